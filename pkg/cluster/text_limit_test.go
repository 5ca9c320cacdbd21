package cluster

import (
	"strings"
	"testing"
)

// The limit that ReadFiles sets is too large to reach in a test.
func TestReadTextRefusesWhatIsTooLarge(t *testing.T) {
	text := strings.Repeat("x", 2<<20)
	if _, err := readText(strings.NewReader(text), 2<<20); err != nil {
		t.Errorf("as large as the limit: %v", err)
	}
	_, err := readText(strings.NewReader(text+"x"), 2<<20)
	if want := "more than 2 MiB: split it into several files"; err == nil || err.Error() != want {
		t.Errorf("larger than the limit: got %v, want %s", err, want)
	}
}
