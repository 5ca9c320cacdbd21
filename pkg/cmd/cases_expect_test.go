package cmd_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// expectedRun is one run of an expect.json.
type expectedRun struct {
	Args []string `json:"args"`
	Note string   `json:"note"`
	expectedAnswer
}

// expectedAnswer is what a run asks of an answer; what is not given is not checked.
type expectedAnswer struct {
	Exit              oneOrMany[int]                    `json:"exit"`
	Pods              map[string]oneOrMany[expectedPod] `json:"pods"`
	AnyOf             []expectedAnswer                  `json:"anyOf"`
	NoResult          bool                              `json:"noResult"`
	StderrContains    texts                             `json:"stderrContains"`
	StderrContainsAny oneOrMany[string]                 `json:"stderrContainsAny"`
	OutputContains    texts                             `json:"outputContains"`
	WarningContains   texts                             `json:"warningContains"`
}

// expectedPod is what a run asks of the result for a Pod.
type expectedPod struct {
	Verdict         oneOrMany[report.Verdict]   `json:"verdict"`
	Profile         oneOrMany[string]           `json:"profile"`
	Absent          bool                        `json:"absent"`
	NodeName        oneOrMany[string]           `json:"nodeName"`
	NodeNameIn      []string                    `json:"nodeNameIn"`
	Ties            []string                    `json:"ties"`
	Feasible        []string                    `json:"feasible"`
	Rejected        map[string]string           `json:"rejected"`
	NotRejected     []string                    `json:"notRejected"`
	NotEvaluated    []string                    `json:"notEvaluated"`
	Reasons         map[string][]string         `json:"reasons"`
	Codes           map[string]string           `json:"codes"`
	Details         map[string][]map[string]any `json:"details"`
	DetailContains  map[string]texts            `json:"detailContains"`
	PreFilter       []expectedPreFilter         `json:"preFilter"`
	Total           map[string]int64            `json:"total"`
	Higher          []string                    `json:"higher"`
	Scores          map[string]map[string]int64 `json:"scores"`
	Preemption      *expectedPreemption         `json:"preemption"`
	MessageContains texts                       `json:"messageContains"`
	WarningContains texts                       `json:"warningContains"`
	Contains        texts                       `json:"contains"`
}

type expectedPreFilter struct {
	Plugin         string `json:"plugin"`
	Code           string `json:"code"`
	ReasonContains texts  `json:"reasonContains"`
	DetailContains texts  `json:"detailContains"`
}

type expectedPreemption struct {
	Possible        *bool    `json:"possible"`
	NodeName        *string  `json:"nodeName"`
	Victims         []string `json:"victims"`
	PDBViolations   *int     `json:"pdbViolations"`
	MessageContains texts    `json:"messageContains"`
}

// failures are the checks that do not hold.
type failures []string

func (f *failures) addf(format string, args ...any) {
	*f = append(*f, fmt.Sprintf(format, args...))
}

// lacks adds a failure for each missing part.
func (f *failures) lacks(what string, missing []string) {
	for _, part := range missing {
		f.addf("%s does not mention %s", what, part)
	}
}

// anyOf returns no failure if one of the options has none, and else those of the option that has fewest.
func anyOf[T any](options []T, check func(T) failures) failures {
	var closest failures
	for i, option := range options {
		failed := check(option)
		if len(failed) == 0 {
			return nil
		}
		if i == 0 || len(failed) < len(closest) {
			closest = failed
		}
	}
	return closest
}

func (w expectedAnswer) check(got answer) failures {
	if len(w.AnyOf) > 0 {
		return anyOf(w.AnyOf, func(option expectedAnswer) failures { return option.check(got) })
	}
	var f failures
	if w.Exit != nil && !slices.Contains(w.Exit, got.exit) {
		f.addf("exit code is %d, want %v (stderr: %s)", got.exit, w.Exit, got.stderr)
	}
	if w.NoResult && len(got.results) > 0 {
		f.addf("prints a result, want an error only")
	}
	f.lacks("stderr", w.StderrContains.missing(got.stderr))
	if w.StderrContainsAny != nil {
		f.lacks("stderr", texts{w.StderrContainsAny}.missing(got.stderr))
	}
	f.lacks("the output", w.OutputContains.missing(got.stdout+"\n"+got.plainStderr))
	warnings := got.plainStderr
	for _, result := range got.results {
		warnings += "\n" + strings.Join(result.Warnings, "\n")
	}
	f.lacks("a warning", w.WarningContains.missing(warnings))
	for _, name := range slices.Sorted(maps.Keys(w.Pods)) {
		result := got.find(name)
		for _, failed := range anyOf(w.Pods[name], func(option expectedPod) failures {
			return option.check(result, got.plainStderr)
		}) {
			f.addf("pod %s: %s", name, failed)
		}
	}
	return f
}

func (w expectedPod) check(got *report.Explanation, stderr string) failures {
	var f failures
	switch {
	case w.Absent && got != nil:
		f.addf("is in the output, want it left out")
	case w.Absent:
		f.lacks("stderr", w.Contains.missing(stderr))
	case got == nil:
		f.addf("is not in the output")
	default:
		p := podCheck{failures: &f, got: got}
		p.checkSummary(w)
		p.checkNodes(w)
		p.checkDetails(w)
		p.checkScores(w)
		for _, entry := range w.PreFilter {
			p.checkPreFilter(entry)
		}
		if w.Preemption != nil {
			p.checkPreemption(w.Preemption)
		}
		p.checkTexts(w, stderr)
	}
	return f
}

// podCheck compares one result with what is expected of it.
type podCheck struct {
	*failures
	got *report.Explanation
}

func (p podCheck) checkSummary(w expectedPod) {
	if p.got.Kind != "Explanation" {
		p.addf("kind is %q, want Explanation", p.got.Kind)
	}
	if w.Verdict != nil && !slices.Contains(w.Verdict, p.got.Verdict) {
		p.addf("verdict is %q, want %q", p.got.Verdict, w.Verdict)
	}
	if w.Profile != nil && !slices.Contains(w.Profile, p.got.Profile) {
		p.addf("profile is %q, want %q", p.got.Profile, w.Profile)
	}
	for _, names := range [][]string{w.NodeName, w.NodeNameIn} {
		if names != nil && !slices.Contains(names, p.got.NodeName) {
			p.addf("nodeName is %q, want one of %q", p.got.NodeName, names)
		}
	}
	if w.Ties != nil {
		p.sameSet("ties", p.got.Ties, w.Ties)
	}
}

func (p podCheck) sameSet(what string, got, want []string) {
	got, want = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) {
		p.addf("%s are %q, want %q", what, got, want)
	}
}

func (p podCheck) withVerdict(verdict report.NodeVerdict) []string {
	var names []string
	for _, node := range p.got.Nodes {
		if node.Verdict == verdict {
			names = append(names, node.Name)
		}
	}
	return names
}

func (p podCheck) node(name string) (report.Node, bool) {
	i := slices.IndexFunc(p.got.Nodes, func(node report.Node) bool { return node.Name == name })
	if i < 0 {
		p.addf("node %s: not in the output", name)
		return report.Node{}, false
	}
	return p.got.Nodes[i], true
}

// first is the filter that rejects the node, as kube-scheduler sees it.
func (p podCheck) first(name string) (report.Rejection, bool) {
	node, ok := p.node(name)
	if ok && (node.Verdict != report.Rejected || len(node.Filters) == 0) {
		p.addf("node %s: verdict is %s with %d filters, want Rejected", name, node.Verdict, len(node.Filters))
		return report.Rejection{}, false
	}
	if !ok {
		return report.Rejection{}, false
	}
	return node.Filters[0], true
}

func (p podCheck) checkNodes(w expectedPod) {
	if w.Feasible != nil {
		p.sameSet("feasible nodes", p.withVerdict(report.Feasible), w.Feasible)
	}
	if w.NotEvaluated != nil {
		p.sameSet("nodes that are not evaluated", p.withVerdict(report.NotEvaluated), w.NotEvaluated)
	}
	for _, name := range w.NotRejected {
		if node, ok := p.node(name); ok && node.Verdict == report.Rejected {
			p.addf("node %s: is rejected", name)
		}
	}
	for name, want := range w.Rejected {
		if filter, ok := p.first(name); ok && filter.Plugin != want {
			p.addf("node %s: first rejecting plugin is %s, want %s", name, filter.Plugin, want)
		}
	}
	for name, want := range w.Reasons {
		if filter, ok := p.first(name); ok {
			p.sameSet("reasons of node "+name, filter.Reasons, want)
		}
	}
	for name, want := range w.Codes {
		if filter, ok := p.first(name); ok && filter.Code != want {
			p.addf("node %s: code is %s, want %s", name, filter.Code, want)
		}
	}
}

func (p podCheck) checkDetails(w expectedPod) {
	for name, facts := range w.Details {
		details := fieldsOf(p.details(name))
		for _, fact := range facts {
			if !slices.ContainsFunc(details, func(detail map[string]any) bool { return hasFields(detail, fact) }) {
				p.addf("node %s: no detail says %v", name, fact)
			}
		}
	}
	for name, want := range w.DetailContains {
		for _, part := range want.missing(asJSON(p.details(name))) {
			p.addf("node %s: the details do not mention %s", name, part)
		}
	}
}

func (p podCheck) details(name string) []report.Detail {
	node, _ := p.node(name)
	var details []report.Detail
	for _, filter := range node.Filters {
		details = append(details, filter.Details...)
	}
	return details
}

func fieldsOf(details []report.Detail) []map[string]any {
	var fields []map[string]any
	if err := json.Unmarshal([]byte(asJSON(details)), &fields); err != nil {
		panic(err) // unreachable: these are the bytes of json.Encoder
	}
	return fields
}

func asJSON(value any) string {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err) // unreachable: reports hold nothing that does not marshal
	}
	return out.String()
}

func hasFields(detail, fact map[string]any) bool {
	for field, want := range fact {
		if !sameValue(detail[field], want) {
			return false
		}
	}
	return true
}

// sameValue compares as quantities where both are, as text otherwise; an absent field is 0 or empty.
func sameValue(got, want any) bool {
	wanted, err := resource.ParseQuantity(fmt.Sprint(want))
	if err != nil {
		return got == nil && want == "" || got != nil && strings.EqualFold(fmt.Sprint(got), fmt.Sprint(want))
	}
	if got == nil {
		got = "0"
	}
	quantity, err := resource.ParseQuantity(fmt.Sprint(got))
	return err == nil && quantity.Cmp(wanted) == 0
}

func (p podCheck) checkScores(w expectedPod) {
	for name, want := range w.Total {
		if node, ok := p.node(name); ok && node.Total != want {
			p.addf("node %s: total is %d, want %d", name, node.Total, want)
		}
	}
	for i := 1; i < len(w.Higher); i++ {
		better, _ := p.node(w.Higher[i-1])
		worse, _ := p.node(w.Higher[i])
		if better.Total <= worse.Total {
			p.addf("node %s: total %d is not higher than %d of node %s", better.Name, better.Total, worse.Total, worse.Name)
		}
	}
	for name, plugins := range w.Scores {
		node, _ := p.node(name)
		got := map[string]int64{}
		for _, score := range node.Scores {
			got[score.Plugin] = score.Weighted
		}
		for plugin, want := range plugins {
			if got[plugin] != want {
				p.addf("node %s: weighted score of %s is %d, want %d", name, plugin, got[plugin], want)
			}
		}
	}
}

func (p podCheck) checkPreFilter(w expectedPreFilter) {
	var codes, reasons []string
	var details []report.Detail
	for _, entry := range p.got.PreFilter {
		if entry.Plugin == w.Plugin {
			codes = append(codes, entry.Code)
			reasons = append(reasons, entry.Reasons...)
			details = append(details, entry.Details...)
		}
	}
	if codes == nil {
		p.addf("no preFilter entry of plugin %s", w.Plugin)
		return
	}
	if w.Code != "" && !slices.Contains(codes, w.Code) {
		p.addf("preFilter %s: code is %q, want %s", w.Plugin, codes, w.Code)
	}
	p.lacks("preFilter "+w.Plugin, w.ReasonContains.missing(strings.Join(reasons, "\n")))
	for _, part := range w.DetailContains.missing(asJSON(details)) {
		p.addf("preFilter %s: the details do not mention %s", w.Plugin, part)
	}
}

func (p podCheck) checkPreemption(w *expectedPreemption) {
	got := p.got.Preemption
	if got == nil {
		got = &report.Preemption{}
	}
	if w.Possible != nil && got.Possible != *w.Possible {
		p.addf("preemption: possible is %t, want %t", got.Possible, *w.Possible)
	}
	if w.NodeName != nil && got.NodeName != *w.NodeName {
		p.addf("preemption: nodeName is %q, want %q", got.NodeName, *w.NodeName)
	}
	violations := 0
	victims := []string{}
	for _, victim := range got.Victims {
		victims = append(victims, victim.Namespace+"/"+victim.Name)
		if victim.ViolatesPDB {
			violations++
		}
	}
	if w.Victims != nil {
		p.sameSet("victims", victims, w.Victims)
	}
	if w.PDBViolations != nil && violations != *w.PDBViolations {
		p.addf("preemption: %d victims violate a budget, want %d", violations, *w.PDBViolations)
	}
	p.lacks("preemption", w.MessageContains.missing(got.Message+"\n"+p.got.Message))
}

func (p podCheck) checkTexts(w expectedPod, stderr string) {
	own := p.got.Metadata.Name
	p.lacks("message", w.MessageContains.missing(p.got.Message))
	p.lacks("a warning", w.WarningContains.missing(withoutWord(asJSON(p.got.Warnings)+"\n"+stderr, own)))
	nameless := *p.got
	nameless.Metadata = report.Metadata{}
	p.lacks("the result", w.Contains.missing(withoutWord(asJSON(nameless)+"\n"+stderr, own)))
}
