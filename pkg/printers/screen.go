package printers

import (
	"bytes"
	"io"
	"strings"
)

// Control sequences of ECMA-48, and of xterm where there is a question mark; every terminal of today knows them.
const (
	// enterScreen goes to the alternate screen, hides the cursor, and cuts lines that are too long rather than break
	// them, as after the window was made smaller.
	enterScreen = "\x1b[?1049h\x1b[?25l\x1b[?7l"
	leaveScreen = "\x1b[?7h\x1b[?25h\x1b[?1049l"
	homeCursor  = "\x1b[H"
	clearLine   = "\x1b[K"
	clearBelow  = "\x1b[J"
)

// Screen shows one text after the other on the alternate screen of a terminal, each in the place of the one before, and
// gives back at the end what was there first. It is not for use by several goroutines at once.
type Screen struct {
	w       io.Writer
	entered bool
}

// NewScreen returns the Screen of the terminal that w writes to. Nothing is written before the first Draw.
func NewScreen(w io.Writer) *Screen { return &Screen{w: w} }

// Draw shows a text, in a single call of Write so that it does not flicker.
func (s *Screen) Draw(text string) error {
	var out bytes.Buffer
	if !s.entered {
		out.WriteString(enterScreen)
	}
	out.WriteString(homeCursor)
	// What is to go is cleared before a line is written: behind one of the full width the cursor is still on its last
	// character, which would go too.
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	last := len(lines) - 1
	for _, line := range lines[:last] {
		out.WriteString(clearLine + line + "\r\n")
	}
	out.WriteString(clearBelow + lines[last]) // a newline would scroll a full screen
	s.entered = true
	_, err := s.w.Write(out.Bytes())
	return err
}

// Close gives back the terminal as it was. It may be called again, and without a Draw before it.
func (s *Screen) Close() error {
	if !s.entered {
		return nil
	}
	s.entered = false
	_, err := io.WriteString(s.w, leaveScreen)
	return err
}
