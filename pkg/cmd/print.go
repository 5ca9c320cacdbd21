package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/kubectl/pkg/util/term"

	"github.com/kubectl-sched/kubectl-sched/pkg/printers"
)

// printFlags say how results are printed.
type printFlags struct {
	output    string
	noHeaders bool
	color     string
	nodes     string
	scores    bool
	// allowMissing is kubectl's --allow-missing-template-keys.
	allowMissing bool
}

func (f *printFlags) addFlags(flags *pflag.FlagSet) {
	flags.StringVarP(&f.output, "output", "o", "", "output format: "+strings.Join(printers.Formats(), "|"))
	flags.BoolVar(&f.allowMissing, "allow-missing-template-keys", true,
		"pass over fields and keys that a template names and the result lacks; for jsonpath and go-template")
	flags.BoolVar(&f.noHeaders, "no-headers", false, "leave out the column headers of tables")
	flags.StringVar(&f.color, "color", "auto",
		"color verdicts: auto (on a terminal, unless NO_COLOR is set), always or never")
}

// addNodeFlags adds the flags of tables of nodes.
func (f *printFlags) addNodeFlags(flags *pflag.FlagSet) {
	flags.StringVar(&f.nodes, "nodes", "", "nodes to show in tables: all, failed, feasible or how many; "+
		"by default all, those that fail alike on one line when there are many")
	flags.BoolVar(&f.scores, "scores", false, "add a column for every score plugin")
}

func (f *printFlags) toPrinter(env Env) (printers.Printer, error) {
	options, err := f.toOptions(env)
	if err != nil {
		return nil, err
	}
	return printers.New(options)
}

func (f *printFlags) toOptions(env Env) (printers.Options, error) {
	colored, err := f.colored(env)
	if err != nil {
		return printers.Options{}, err
	}
	options := printers.Options{
		Output:      f.output,
		NoHeaders:   f.noHeaders,
		Color:       colored,
		Nodes:       f.nodes,
		Scores:      f.scores,
		RequireKeys: !f.allowMissing,
	}
	if size := (term.TTY{Out: env.Out}).GetSize(); size != nil {
		options.Width = int(size.Width)
	}
	return options, nil
}

func (f *printFlags) colored(env Env) (bool, error) {
	switch f.color {
	case "always":
		return true, nil
	case "never":
		return false, nil
	case "auto":
		plain := env.Getenv("NO_COLOR") != "" || env.Getenv("TERM") == "dumb"
		return !plain && term.IsTerminal(env.Out), nil
	}
	return false, fmt.Errorf("--color %q: use auto, always or never", f.color)
}

// forReader tells whether the output is one that people read, not scripts.
func (f *printFlags) forReader() bool { return f.output == "" || f.output == "wide" }
