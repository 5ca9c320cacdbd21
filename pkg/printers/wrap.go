package printers

import "strings"

// hanging is how far the second and later lines of a paragraph are indented.
const hanging = "  "

// paragraph returns the text in lines of at most width columns, each ended by a newline, with a hanging indent. A width
// of 0 leaves it on one line.
func paragraph(text string, width int) string {
	lines := wrap(text, width, width-len(hanging))
	return strings.Join(lines, "\n"+hanging) + "\n"
}

// wrap breaks the text at spaces into lines of at most first columns, and rest columns for the later lines. Words that
// are longer than a line are broken too, after a punctuation mark where there is one. A width below 1 does not break.
func wrap(text string, first, rest int) []string {
	if first < 1 || rest < 1 || textWidth(text) <= first {
		return []string{text}
	}
	var lines []string
	line, limit := "", first
	for i, word := range strings.Split(text, " ") {
		if i > 0 {
			if textWidth(line)+1+textWidth(word) <= limit {
				line += " " + word
				continue
			}
			lines, limit = append(lines, line), rest
		}
		for textWidth(word) > limit {
			var head string
			head, word = breakWord(word, limit)
			lines, limit = append(lines, head), rest
		}
		line = word
	}
	return append(lines, line)
}

// breakWord splits a word that is wider than width columns (at least 1) into a head that fits and the rest.
func breakWord(word string, width int) (head, rest string) {
	end, columns, afterMark := 0, 0, 0
	for i, r := range word {
		columns += textWidth(string(r))
		// A first character that is too wide all the same has to go somewhere.
		if columns > width && i > 0 {
			break
		}
		end = i + len(string(r))
		if strings.ContainsRune("-./,:;=_", r) && columns > width/2 {
			afterMark = end
		}
	}
	if afterMark > 0 {
		end = afterMark
	}
	return word[:end], word[end:]
}
