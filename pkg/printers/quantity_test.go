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

func TestReadableOfAResource(t *testing.T) {
	for _, test := range []struct{ resource, quantity, want string }{
		{"memory", "24302736Ki", "23.2Gi"},
		{"ephemeral-storage", "92403989501", "86.1Gi"},
		{"memory", "-2147483648", "-2.0Gi"},
		{"memory", "1Gi", "1Gi"},
		{"memory", "no quantity", "no quantity"},
		{"example.com/tokens", "92403989501", "92403989501"},
		{"cpu", "1234567m", "1234567m"},
	} {
		if got := readableOf(test.resource, test.quantity); got != test.want {
			t.Errorf("readableOf(%q, %q) is %q, want %q", test.resource, test.quantity, got, test.want)
		}
	}
}
