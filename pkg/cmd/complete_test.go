package cmd_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// free are the flags that take any text: nothing completes them.
var free = []string{
	"as", "as-group", "as-uid", "as-user-extra", "bind-address", "burst", "leader-elect-lease-duration",
	"leader-elect-renew-deadline", "leader-elect-retry-period", "max", "proxy-url", "qps", "request-timeout", "selector",
	"server", "tls-server-name", "token", "v", "volume-timeout", "wait",
}

// Every flag completes its values, or takes free text.
func TestEveryFlagCompletes(t *testing.T) {
	var missing, needless []string
	for _, command := range commands(commandTree()) {
		visit := func(flag *pflag.Flag) {
			completes := completesValue(command, flag)
			name := command.CommandPath() + " --" + flag.Name
			switch isFree := slices.Contains(free, flag.Name); {
			case !completes && !isFree:
				missing = append(missing, name)
			case completes && isFree:
				needless = append(needless, name)
			}
		}
		command.LocalFlags().VisitAll(visit)
	}
	if diff := cmp.Diff([]string(nil), missing); diff != "" {
		t.Errorf("flags without a completion of their values (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string(nil), needless); diff != "" {
		t.Errorf("flags that complete and count as free (-want +got):\n%s", diff)
	}
}

// completesValue tells whether something completes the value of a flag; a flag without one needs nothing.
func completesValue(command *cobra.Command, flag *pflag.Flag) bool {
	if flag.Name == "help" {
		return true
	}
	complete, found := command.GetFlagCompletionFunc(flag.Name)
	return found && complete != nil
}
