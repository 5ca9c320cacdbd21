package cmd

import (
	"fmt"
	"strconv"

	"github.com/spf13/pflag"
)

// defaultFixes is how many fixes are shown.
const defaultFixes = 5

// fixFlags say how many fixes are looked for.
type fixFlags struct{ fixes string }

func (f *fixFlags) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&f.fixes, "fixes", strconv.Itoa(defaultFixes),
		"how many changes that make a Pod fit to try and show; false for none")
}

// count returns how many.
func (f *fixFlags) count() (int, error) {
	if wanted, err := strconv.Atoi(f.fixes); err == nil && wanted >= 0 {
		return wanted, nil
	}
	switch wanted, err := strconv.ParseBool(f.fixes); {
	case err == nil && wanted:
		return defaultFixes, nil
	case err == nil:
		return 0, nil
	}
	return 0, fmt.Errorf("--fixes %q: use a number, true or false", f.fixes)
}
