// Package cluster holds State, the API objects that a scheduler reads, and its ways in and out: a live API server,
// files, standard input.
//
// One table of kinds drives all of them; a new kind is one row in kinds.go. The package knows no flags, no scheduler
// and no global state: files reach it as io.Reader or fs.FS, an API server as a rest.Config.
package cluster
