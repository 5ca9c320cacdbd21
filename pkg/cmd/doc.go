// Package cmd turns the command line into ready options and runs a verb in a few lines of calls to the other rooms.
//
// One file per verb, shared groups of flags beside them. Everything impure enters through Env, so that a test builds
// the real command with streams of its own. Only this package prints to the user and knows exit codes.
package cmd
