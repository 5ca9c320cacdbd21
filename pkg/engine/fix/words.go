package fix

import (
	"fmt"
	"strings"
)

// plural chooses the word for n things.
func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// maxNamed is how many things a sentence names before it counts the rest.
const maxNamed = 3

// list writes "a", "a and b", and beyond maxNamed "a, b, c and 4 more".
func list(names []string) string {
	if len(names) > maxNamed+1 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNamed], ", "), len(names)-maxNamed)
	}
	return strings.Join(names, " and ")
}

// command writes a command line: each word so that a shell takes it as it is.
func command(words ...string) string {
	quoted := make([]string, 0, len(words))
	for _, word := range words {
		quoted = append(quoted, quote(word))
	}
	return strings.Join(quoted, " ")
}

// quote writes a word so that a shell takes it as it is.
func quote(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@%+,", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
