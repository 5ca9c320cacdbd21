package printers_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-sched/kubectl-sched/pkg/printers"
)

func TestScreen(t *testing.T) {
	var out bytes.Buffer
	screen := printers.NewScreen(&out)
	steps := []struct {
		name string
		do   func() error
		want string
	}{
		{"nothing is to be given back before the first text", screen.Close, ""},
		{
			"the first text enters the alternate screen", func() error { return screen.Draw("a\nb\n") },
			"\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[H\x1b[Ka\r\n\x1b[Jb",
		},
		{"the next ones take its place", func() error { return screen.Draw("c\n") }, "\x1b[H\x1b[Jc"},
		{"none at all clears it", func() error { return screen.Draw("") }, "\x1b[H\x1b[J"},
		{"the end gives back what was there", screen.Close, "\x1b[?7h\x1b[?25h\x1b[?1049l"},
		{"once", screen.Close, ""},
		{
			"and begins anew", func() error { return screen.Draw("d") },
			"\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[H\x1b[Jd",
		},
	}
	for _, step := range steps {
		out.Reset()
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if diff := cmp.Diff(step.want, out.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
	}
}

// A text that fills the terminal to its last column and line does not scroll it, and is whole; one that follows leaves
// nothing of it.
func TestScreenOnTerminal(t *testing.T) {
	terminal := &terminal{width: 4, height: 3}
	screen := printers.NewScreen(terminal)
	for _, text := range []string{"abcd\nefgh\nijkl\n", "x\n\nyz\n", "abcd\nefgh\n", "toolong\nb\nc\n", ""} {
		if err := screen.Draw(text); err != nil {
			t.Fatal(err)
		}
		var want []string
		for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
			if len(line) > terminal.width { // the last column has what came last
				line = line[:terminal.width-1] + line[len(line)-1:]
			}
			want = append(want, line)
		}
		for len(want) < terminal.height {
			want = append(want, "")
		}
		if diff := cmp.Diff(want, terminal.lines()); diff != "" {
			t.Errorf("%q is shown as (-want +got):\n%s", text, diff)
		}
	}
}

func TestScreenTellsThatWritingFailed(t *testing.T) {
	screen := printers.NewScreen(failingWriter{})
	if err := screen.Draw("a"); err == nil {
		t.Error("Draw: no error")
	}
	if err := screen.Close(); err == nil {
		t.Error("Close: no error")
	}
}

// terminal acts on the control sequences that a Screen writes, as xterm does: behind a character in the last column the
// cursor stays on it, and a line feed in the last line scrolls.
type terminal struct {
	width, height int
	cells         [][]rune
	row, column   int
}

func (t *terminal) Write(data []byte) (int, error) {
	if t.cells == nil {
		t.cells = make([][]rune, t.height)
		t.clear(0)
	}
	text := string(data)
	for text != "" {
		switch {
		case cutPrefix(&text, "\x1b[?1049h"), cutPrefix(&text, "\x1b[?25l"), cutPrefix(&text, "\x1b[?7l"):
		case cutPrefix(&text, "\x1b[H"):
			t.row, t.column = 0, 0
		case cutPrefix(&text, "\x1b[K"):
			t.clearLine()
		case cutPrefix(&text, "\x1b[J"):
			t.clearLine()
			t.clear(t.row + 1)
		case cutPrefix(&text, "\r"):
			t.column = 0
		case cutPrefix(&text, "\n"):
			t.feed()
		default:
			t.cells[t.row][min(t.column, t.width-1)] = rune(text[0])
			t.column++
			text = text[1:]
		}
	}
	return len(data), nil
}

func cutPrefix(text *string, prefix string) bool {
	rest, found := strings.CutPrefix(*text, prefix)
	*text = rest
	return found
}

func (t *terminal) feed() {
	t.row++
	if t.row == t.height {
		t.row--
		t.cells = append(t.cells[1:], nil)
		t.clear(t.row)
	}
}

func (t *terminal) clearLine() {
	for i := min(t.column, t.width-1); i < t.width; i++ {
		t.cells[t.row][i] = ' '
	}
}

// clear makes the lines from the row on empty.
func (t *terminal) clear(row int) {
	for i := row; i < t.height; i++ {
		t.cells[i] = []rune(strings.Repeat(" ", t.width))
	}
}

func (t *terminal) lines() []string {
	lines := make([]string, 0, t.height)
	for _, cells := range t.cells {
		lines = append(lines, strings.TrimRight(string(cells), " "))
	}
	return lines
}
