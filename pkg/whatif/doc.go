// Package whatif describes changes to a cluster and returns edited copies of a State.
//
// It decides nothing and asks nobody: an Edit is data. A State is never changed in place, and a copy shares every
// object that the Edit leaves alone.
package whatif
