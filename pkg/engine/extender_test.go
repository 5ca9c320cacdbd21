package engine_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
)

// anExtender answers every verb with what is set, and with an error where nothing is.
type anExtender struct {
	filter     *extenderv1.ExtenderFilterResult
	prioritize extenderv1.HostPriorityList
	preempt    func(*extenderv1.ExtenderPreemptionArgs) *extenderv1.ExtenderPreemptionResult
}

func (e anExtender) serve(t *testing.T) (url string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var answer any
		switch verb := r.URL.Path; {
		case verb == "/filter" && e.filter != nil:
			answer = e.filter
		case verb == "/prioritize" && e.prioritize != nil:
			answer = e.prioritize
		case verb == "/preempt" && e.preempt != nil:
			args := &extenderv1.ExtenderPreemptionArgs{}
			if err := json.NewDecoder(r.Body).Decode(args); err != nil {
				t.Error(err)
			}
			answer = e.preempt(args)
		default:
			http.Error(w, "out of order", http.StatusInternalServerError)
			return
		}
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// extended is a scheduler configuration with the extender, to be called for the given verbs.
func extended(t *testing.T, e anExtender, fields string) engine.Options {
	t.Helper()
	return engine.Options{Config: configOf(t,
		fmt.Sprintf("extenders: [{urlPrefix: %q, nodeCacheCapable: true, %s}]\n", e.serve(t), fields))}
}

const extenderFilters = "filterVerb: filter"

// An extender that fails is no verdict on the Pod: kube-scheduler tries again, and we cannot decide.
func TestExtenderThatFailsIsNoVerdict(t *testing.T) {
	state := stateOf(t, nodeText("a", ""), podText("x", "1"))
	options := extended(t, anExtender{}, extenderFilters)
	explanation, err := engineOf(t, state, options).Explain(t.Context(), podNamed(t, state, "x"))
	if want := "pod default/x: kube-scheduler fails on it and tries again later: failed filter with extender"; err == nil ||
		!strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v and error %v, want an error %q", explanation, err, want)
	}
}

func TestExtender(t *testing.T) {
	onlyB := &extenderv1.ExtenderFilterResult{
		NodeNames:                  &[]string{"b"},
		FailedNodes:                extenderv1.FailedNodesMap{"a": "no license"},
		FailedAndUnresolvableNodes: extenderv1.FailedNodesMap{"c": "wrong vendor"},
	}
	for sentence, test := range map[string]struct {
		extender anExtender
		fields   string
		want     []string
	}{
		"filters nodes that the plugins pass": {
			extender: anExtender{filter: onlyB}, fields: extenderFilters,
			want: []string{"Schedulable b", "b Feasible", "a Rejected EXTENDER", "c Rejected EXTENDER"},
		},
		"leaves nodes out without a word": {
			extender: anExtender{filter: &extenderv1.ExtenderFilterResult{NodeNames: &[]string{"b"}}}, fields: extenderFilters,
			want: []string{"Schedulable b", "b Feasible", "a Rejected EXTENDER", "c Rejected EXTENDER"},
		},
		"leaves all nodes out without a word": {
			extender: anExtender{filter: &extenderv1.ExtenderFilterResult{NodeNames: &[]string{}}}, fields: extenderFilters,
			want: []string{"Unschedulable", "a Rejected EXTENDER", "b Rejected EXTENDER", "c Rejected EXTENDER"},
		},
		"prioritizes": {
			extender: anExtender{prioritize: extenderv1.HostPriorityList{{Host: "c", Score: 10}}},
			fields:   "prioritizeVerb: prioritize, weight: 5",
			want:     []string{"Schedulable c", "c Feasible", "a Feasible", "b Feasible"},
		},
		"that fails to prioritize is left out": {
			fields: "prioritizeVerb: prioritize, weight: 5",
			want:   []string{"Schedulable a", "a Feasible", "b Feasible", "c Feasible"},
		},
		"that fails and is ignorable is left out": {
			fields: extenderFilters + ", ignorable: true",
			want:   []string{"Schedulable a", "a Feasible", "b Feasible", "c Feasible"},
		},
		"is not asked for Pods without its resources": {
			fields: extenderFilters + ", managedResources: [{name: example.com/fpga}]",
			want:   []string{"Schedulable a", "a Feasible", "b Feasible", "c Feasible"},
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			state := stateOf(t, nodeText("a", ""), nodeText("b", ""), nodeText("c", ""), podText("x", "1"))
			options := extended(t, test.extender, test.fields)
			explanation := explain(t, engineOf(t, state, options), podNamed(t, state, "x"))
			got := brief(explanation)
			for i := range got {
				got[i] = strings.ReplaceAll(got[i], options.Config.KubeSchedulerConfiguration.Extenders[0].URLPrefix, "EXTENDER")
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("verdicts (-want +got)\n%s", diff)
			}
		})
	}
}

func TestExtenderPrioritizesWithoutScorePlugins(t *testing.T) {
	state := stateOf(t, nodeText("a", ""), nodeText("b", ""), podText("x", "1"))
	extender := anExtender{prioritize: extenderv1.HostPriorityList{{Host: "b", Score: 10}, {Host: "a", Score: 1}}}
	options := engine.Options{Config: configOf(t, fmt.Sprintf("extenders: [{urlPrefix: %q, nodeCacheCapable: true, "+
		"prioritizeVerb: prioritize, weight: 5}]\nprofiles: [{schedulerName: default-scheduler, plugins: "+
		"{preScore: {disabled: [{name: '*'}]}, score: {disabled: [{name: '*'}]}}}]\n", extender.serve(t)))}
	explanation := explain(t, engineOf(t, state, options), podNamed(t, state, "x"))
	if explanation.NodeName != "b" || len(explanation.Ties) > 0 {
		t.Errorf("got node %s and ties %v, want b, which the extender prefers", explanation.NodeName, explanation.Ties)
	}
}

// An extender may take candidates away from preemption; the best of those that it leaves is the answer.
func TestExtenderTakesPartInPreemption(t *testing.T) {
	state := stateOf(t, nodeText("a", ""), nodeText("b", ""),
		podText("on-a", "4", "nodeName: a", "\nstatus: {startTime: 2026-01-02T00:00:00Z}"),
		podText("on-b", "4", "nodeName: b", "\nstatus: {startTime: 2026-01-01T00:00:00Z}"),
		podText("x", "1", "priority: 100"))
	notA := func(args *extenderv1.ExtenderPreemptionArgs) *extenderv1.ExtenderPreemptionResult {
		delete(args.NodeNameToMetaVictims, "a")
		return &extenderv1.ExtenderPreemptionResult{NodeNameToMetaVictims: args.NodeNameToMetaVictims}
	}
	options := extended(t, anExtender{preempt: notA}, "preemptVerb: preempt")
	got := explain(t, engineOf(t, state, options), podNamed(t, state, "x")).Preemption
	if got == nil || got.NodeName != "b" || len(got.Victims) != 1 {
		t.Errorf("got %+v, want Pod on-b evicted from node b", got)
	}
}
