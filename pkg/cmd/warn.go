package cmd

import (
	"fmt"
	"io"
	"strings"
	"unicode"
)

// warner prints warnings as kubectl prints those of the API server, each once.
type warner struct {
	out  io.Writer
	told map[string]bool
}

func newWarner(out io.Writer) *warner { return &warner{out: out, told: map[string]bool{}} }

func (w *warner) tell(warnings ...string) {
	for _, warning := range warnings {
		if !w.told[warning] {
			w.told[warning] = true
			fmt.Fprintf(w.out, "Warning: %s\n", oneLine(warning))
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
