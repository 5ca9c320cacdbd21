package printers

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// grid is a table of cells, written as kubectl writes tables: no lines, left-aligned, gaps between columns.
type grid struct {
	headers []string
	rows    [][]string
	// gap is the number of spaces between columns.
	gap int
}

// fit wraps the cells of the first and the last column so that no line is longer than width. The columns between keep
// their width; the first takes what it needs, as long as the last keeps minLast, half of what there is, or its need.
func (g *grid) fit(width, minLast int) {
	last := len(g.headers) - 1
	left := g.left(width, last)
	first := min(g.natural(0), max(left-min(minLast, g.natural(last)), left/2))
	g.wrapColumn(0, first)
	g.wrapColumn(last, left-first)
}

// fitFirst wraps the cells of the first column to what the others leave of width, but to minFirst at least.
func (g *grid) fitFirst(width, minFirst int) {
	g.wrapColumn(0, max(g.left(width, len(g.headers)), minFirst))
}

// left is what the columns from the second up to end, and the gaps, leave of width.
func (g *grid) left(width, end int) int {
	left := width - (len(g.headers)-1)*g.gap
	for column := 1; column < end; column++ {
		left -= g.natural(column)
	}
	return left
}

func (g *grid) wrapColumn(column, width int) {
	for _, cells := range g.rows {
		cells[column] = strings.Join(wrap(cells[column], width, width), "\n")
	}
}

// leaveOut removes columns by their headers, one after the other, until the others leave minFirst of width to the first
// column, or all that it needs.
func (g *grid) leaveOut(width, minFirst int, headers ...string) {
	for _, header := range headers {
		column := slices.Index(g.headers, header)
		if column < 0 || g.left(width, len(g.headers)) >= min(minFirst, g.natural(0)) {
			continue
		}
		g.headers = slices.Delete(g.headers, column, column+1)
		for i := range g.rows {
			g.rows[i] = slices.Delete(g.rows[i], column, column+1)
		}
	}
}

// natural is the width of a column as it is: that of its widest line.
func (g *grid) natural(column int) int {
	width := 0
	for _, cells := range append([][]string{g.headers}, g.rows...) {
		for line := range strings.Lines(cells[column]) {
			width = max(width, twwidth.Width(strings.TrimSuffix(line, "\n")))
		}
	}
	return width
}

// write writes the grid, headers first if there are any, without spaces at the ends of lines.
func (g *grid) write(b *bytes.Buffer) error {
	var padded bytes.Buffer
	table := g.newTable(&padded)
	if len(g.headers) > 0 {
		table.Header(g.headers)
	}
	for _, cells := range g.rows {
		if err := table.Append(cells); err != nil {
			return fmt.Errorf("adding a row: %w", err)
		}
	}
	if err := table.Render(); err != nil {
		return fmt.Errorf("laying out columns: %w", err)
	}
	for line := range strings.Lines(padded.String()) {
		b.WriteString(strings.TrimRight(line, " \n"))
		b.WriteByte('\n')
	}
	return nil
}

func (g *grid) newTable(b *bytes.Buffer) *tablewriter.Table {
	cell := tw.CellConfig{
		Alignment:  tw.CellAlignment{Global: tw.AlignLeft},
		Formatting: tw.CellFormatting{AutoFormat: tw.Off, AutoWrap: tw.WrapNone},
		Padding:    tw.CellPadding{Global: tw.Padding{Right: strings.Repeat(" ", g.gap), Overwrite: true}},
	}
	return tablewriter.NewTable(b,
		tablewriter.WithConfig(tablewriter.Config{
			Header:   cell,
			Row:      cell,
			Behavior: tw.Behavior{TrimSpace: tw.Off, TrimTab: tw.Off},
		}),
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders:  tw.BorderNone,
			Settings: tw.Settings{Lines: tw.LinesNone, Separators: tw.SeparatorsNone},
		})),
	)
}
