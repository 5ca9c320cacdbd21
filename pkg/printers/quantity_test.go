package printers

import "testing"

func TestReadable(t *testing.T) {
	for quantity, want := range map[string]string{
		"24302736Ki":  "23.2Gi",
		"31059088Ki":  "29.6Gi",
		"1Gi":         "1Gi",
		"1023Mi":      "1023Mi",
		"1500m":       "1500m",
		"24302736":    "24302736",
		"no quantity": "no quantity",
	} {
		if got := readable(quantity); got != want {
			t.Errorf("readable(%q) is %q, want %q", quantity, got, want)
		}
	}
}
