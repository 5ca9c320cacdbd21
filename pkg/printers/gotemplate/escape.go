package gotemplate

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// escaper makes a function of one that escapes the text of all arguments.
func escaper(escape func(string) string) func([]any) (any, error) {
	return func(args []any) (any, error) {
		shown := make([]any, len(args))
		for i, arg := range args {
			shown[i] = printable(arg)
		}
		return escape(fmt.Sprint(shown...)), nil
	}
}

func escapeQuery(s string) string { return url.QueryEscape(s) }

var htmlReplacer = strings.NewReplacer(
	`&`, "&amp;", `<`, "&lt;", `>`, "&gt;", `"`, "&#34;", `'`, "&#39;", "\x00", "\ufffd",
)

func escapeHTML(s string) string { return htmlReplacer.Replace(s) }

// jsEscapes are the characters that end a string or a script, or start a tag or an attribute.
var jsEscapes = map[rune]string{
	'\\': `\\`, '\'': `\'`, '"': `\"`, '<': `\u003C`, '>': `\u003E`, '&': `\u0026`, '=': `\u003D`,
}

// escapeJS makes the text fit for a string of JavaScript. Bytes that are no UTF-8 stay.
func escapeJS(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		escape, isSpecial := jsEscapes[r]
		switch {
		case isSpecial:
			out.WriteString(escape)
		case r < ' ' || r >= utf8.RuneSelf && !unicode.IsPrint(r):
			fmt.Fprintf(&out, `\u%04X`, r)
		default:
			out.WriteString(s[i : i+size])
		}
		i += size
	}
	return out.String()
}
