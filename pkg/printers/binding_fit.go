package printers

import (
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

const (
	// minBindings keeps names legible: narrower terminals break the lines themselves.
	minBindings = 80
	// minReason is the width that the last column keeps even beside long names.
	minReason = 20
	// reasonLines is how many lines of a reason are shown: many Pods may have the same long one.
	reasonLines = 3
	ellipsis    = "…"
)

// bindingNameColumns is how many columns hold names: of namespace, Pod and node.
const bindingNameColumns = 3

// fitBindings makes a table of bindings fit the width: the names, in the first columns, are wrapped when they leave the
// reasons less than minReason, then the reasons, in the last one, are wrapped and cut. It tells whether one was cut.
func fitBindings(t *grid, width int) (cut bool) {
	last := len(t.headers) - 1
	left := max(width, minBindings) - last*t.gap
	for column := bindingNameColumns; column < last; column++ {
		left -= t.natural(column)
	}
	var names []int
	for column := range bindingNameColumns {
		names = append(names, t.natural(column))
	}
	limit := commonLimit(names, left-min(minReason, t.natural(last)))
	for column := range bindingNameColumns {
		t.wrapColumn(column, limit)
		left -= t.natural(column)
	}
	for _, cells := range t.rows {
		lines := wrap(cells[last], left, left)
		if len(lines) > reasonLines {
			lines, cut = cutLines(lines, left), true
		}
		cells[last] = strings.Join(lines, "\n")
	}
	return cut
}

// commonLimit is the width to which all columns have to be limited to need no more than width together.
func commonLimit(needs []int, width int) int {
	for limit := width; limit > 1; limit-- {
		total := 0
		for _, need := range needs {
			total += min(need, limit)
		}
		if total <= width {
			return limit
		}
	}
	return 1
}

// cutLines returns the first lines, with an ellipsis in place of the last words that leave it no room.
func cutLines(lines []string, width int) []string {
	end := lines[reasonLines-1]
	if room := width - twwidth.Width(ellipsis); twwidth.Width(end) > room {
		end, _ = breakWord(end, room)
		if space := strings.LastIndexByte(end, ' '); space > 0 {
			end = end[:space]
		}
	}
	return append(lines[:reasonLines-1:reasonLines-1], end+ellipsis)
}
