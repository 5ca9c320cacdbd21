package printers

import (
	"strings"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// tabbedLine is a line of a table whose other lines are not known: cells begin at the same places in all of them. One
// that is too long for its column pushes the next ones to the right, until shorter ones make up for it.
type tabbedLine struct {
	text []byte
	// limit is the width at which cells are cut; 0 does not cut.
	limit int
	// end is how many columns the text has, and next where the next cell is to begin.
	end, next int
}

// cell adds a cell of a column of the width, in the color unless that is empty.
func (l *tabbedLine) cell(text string, width int, color string) {
	if l.next > 0 {
		gap := max(scoreGap, l.next-l.end)
		l.text = append(l.text, strings.Repeat(" ", gap)...)
		l.end += gap
	}
	l.add(text, color)
	l.next += width + scoreGap
}

// add adds to the last cell.
func (l *tabbedLine) add(text, color string) {
	if l.limit > 0 {
		text = cutEnd(text, l.limit-l.end)
	}
	l.end += textWidth(text)
	if color == "" || text == "" {
		l.text = append(l.text, text...)
		return
	}
	l.text = append(append(append(l.text, color...), text...), foreground...)
}

// textWidth is how many columns a text takes. Most texts are printable ASCII, of which that is the length: it need not
// be looked up.
func textWidth(text string) int {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return twwidth.Width(text)
		}
	}
	return len(text)
}

// cutEnd returns at most width columns of a text, the last of them an ellipsis where it goes on.
func cutEnd(text string, width int) string {
	if textWidth(text) <= width {
		return text
	}
	if width < textWidth(ellipsis) {
		return ""
	}
	return text[:headLength(text, width-textWidth(ellipsis))] + ellipsis
}

// cutMiddle returns at most width columns of a name, with an ellipsis in its middle if it has more: the names of a
// workload's Pods differ at their ends.
func cutMiddle(name string, width int) string {
	room := width - textWidth(ellipsis)
	if textWidth(name) <= width || room < 2 {
		return cutEnd(name, width)
	}
	head := headLength(name, room/2)
	tail := len(name)
	for columns := 0; tail > head; {
		r, size := utf8.DecodeLastRuneInString(name[:tail])
		columns += textWidth(string(r))
		if columns > room-room/2 {
			break
		}
		tail -= size
	}
	return name[:head] + ellipsis + name[tail:]
}

// headLength is how many bytes of a text make up at most so many columns.
func headLength(text string, columns int) int {
	for i, r := range text {
		if columns -= textWidth(string(r)); columns < 0 {
			return i
		}
	}
	return len(text)
}
