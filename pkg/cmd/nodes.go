package cmd

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// nodeFlags ask about single nodes.
type nodeFlags struct {
	node    string
	compare string
}

func (f *nodeFlags) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&f.node, "node", "", "tell all about one node: every plugin's verdict, its resources, who uses them")
	flags.StringVar(&f.compare, "compare", "", "tell which of two nodes is better and why: nodeA,nodeB")
}

// nodeQuestion is what is asked about single nodes: all about one, or which of a and b is better; or nothing.
type nodeQuestion struct{ node, a, b string }

func (f *nodeFlags) toQuestion() (nodeQuestion, error) {
	if f.compare == "" {
		return nodeQuestion{node: f.node}, nil
	}
	if f.node != "" {
		return nodeQuestion{}, errors.New("--node and --compare cannot be used together")
	}
	names := strings.Split(f.compare, ",")
	if len(names) != 2 || names[0] == "" || names[1] == "" || names[0] == names[1] {
		return nodeQuestion{}, fmt.Errorf("--compare %q: name two different nodes, as in --compare nodeA,nodeB", f.compare)
	}
	return nodeQuestion{a: names[0], b: names[1]}, nil
}

// check fails when the cluster lacks a node that is asked about.
func (q nodeQuestion) check(e *engine.Engine) error {
	for _, asked := range []struct{ flag, node string }{{"--node", q.node}, {"--compare", q.a}, {"--compare", q.b}} {
		if asked.node == "" {
			continue
		}
		if err := e.CheckNode(asked.node); err != nil {
			return fmt.Errorf("%s: %w", asked.flag, err)
		}
	}
	return nil
}

// compare adds the comparison that is asked for to an answer in which nodes were judged.
func (q nodeQuestion) compare(answer *report.Explanation) error {
	if q.a == "" || len(answer.Nodes) == 0 {
		return nil
	}
	var err error
	if answer.Comparison, err = report.Compare(answer, q.a, q.b); err != nil {
		return fmt.Errorf("--compare with %s/%s: %w", answer.Metadata.Kind, answer.Metadata.Name, err)
	}
	return nil
}
