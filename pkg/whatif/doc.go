// Package whatif describes changes to a cluster and returns edited copies of a State.
//
// It decides nothing and asks nobody: an Edit is data. A State is never changed in place, and a copy shares every
// object that the Edit leaves alone.
//
// The engine tries an Edit in place, on the scheduler it has; Apply makes the State that a scheduler of its own would
// start from, and both have to agree.
package whatif
