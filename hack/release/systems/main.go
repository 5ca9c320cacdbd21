// Command systems checks that the program compiles for other systems. It checks the types of all that is linked, from
// its source, in half a minute where a compiler takes several.
//
//	systems ROOT GOOS...
//
// ROOT is the root of the repository.
package main

import (
	"fmt"
	"os"

	"golang.org/x/tools/go/packages"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: systems ROOT GOOS...")
		os.Exit(2)
	}
	failed := false
	for _, system := range os.Args[2:] {
		for _, err := range check(os.Args[1], system) {
			fmt.Fprintf(os.Stderr, "for %s: %v\n", system, err)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}

// check returns what a compiler would say of our own packages and of those that they import.
func check(root, system string) []error {
	loaded, err := packages.Load(&packages.Config{
		Mode:       packages.LoadAllSyntax,
		Dir:        root,
		Env:        append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system),
		BuildFlags: []string{"-tags=grpcnotrace"},
	}, "./cmd/...", "./pkg/...")
	if err != nil {
		return []error{err}
	}
	var errs []error
	packages.Visit(loaded, nil, func(one *packages.Package) {
		for _, err := range one.Errors {
			errs = append(errs, err)
		}
	})
	return errs
}
