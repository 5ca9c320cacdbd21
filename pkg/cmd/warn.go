package cmd

import (
	"fmt"
	"io"
	"strings"
	"unicode"
)

// warn prints warnings as kubectl prints those of the API server, each once, in their order.
func warn(w io.Writer, warnings ...string) {
	told := map[string]bool{"": true}
	for _, warning := range warnings {
		if !told[warning] {
			told[warning] = true
			fmt.Fprintf(w, "Warning: %s\n", oneLine(warning))
		}
	}
}

// printable makes a string from the cluster or from a file safe for a terminal: what does not print is escaped.
func printable(text string) string {
	var out strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) {
			out.WriteRune(r)
			continue
		}
		fmt.Fprintf(&out, "\\u%04x", r)
	}
	return out.String()
}
