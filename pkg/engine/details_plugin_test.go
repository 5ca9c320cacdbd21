package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// silent rejects node a, and Pods labeled alone as a whole.
type silent struct{ name string }

func (s silent) Name() string { return s.name }

func (s silent) Filter(_ context.Context, _ fwk.CycleState, _ *corev1.Pod, node fwk.NodeInfo) *fwk.Status {
	if node.Node().Name == "a" {
		return fwk.NewStatus(fwk.Unschedulable, "the moon is full")
	}
	return nil
}

func (s silent) PreFilter(_ context.Context, _ fwk.CycleState, pod *corev1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult,
	*fwk.Status,
) {
	if pod.Name == "alone" {
		return nil, fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "not today")
	}
	return nil, nil
}

func (s silent) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// talking has facts to tell.
type talking struct{ silent }

func (talking) ExplainRejection(_ context.Context, pod *corev1.Pod, node fwk.NodeInfo, status *fwk.Status,
) []map[string]string {
	if node == nil {
		return []map[string]string{{"pod": pod.Name, "said": status.Message()}}
	}
	return []map[string]string{{"phase": "full", "node": node.Node().Name}, {}, {"said": status.Message()}}
}

// withPlugins runs the plugins behind those of the default profile.
func withPlugins(t *testing.T, plugins ...fwk.Plugin) engine.Options {
	t.Helper()
	options := engine.Options{Plugins: upstream.Registry{}}
	text := "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" +
		"profiles: [{schedulerName: default-scheduler, plugins: {multiPoint: {enabled: ["
	for _, plugin := range plugins {
		options.Plugins[plugin.Name()] = func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) {
			return plugin, nil
		}
		text += "{name: " + plugin.Name() + "}, "
	}
	config, err := upstream.ReadConfig("config.yaml", []byte(text+"]}}}]"), "Moon", "Dark")
	if err != nil {
		t.Fatal(err)
	}
	options.Config = config
	return options
}

func TestPluginsThatAreLinkedIn(t *testing.T) {
	for sentence, test := range map[string]struct {
		plugin fwk.Plugin
		pod    string
		want   map[string]report.Details
	}{
		"facts of its own about a node, but no empty ones": {
			plugin: talking{silent{"Moon"}}, pod: "x",
			want: map[string]report.Details{"a": {
				report.PluginFact{Facts: map[string]string{"phase": "full", "node": "a"}},
				report.PluginFact{Facts: map[string]string{"said": "the moon is full"}},
			}},
		},
		"facts of its own about a Pod": {
			plugin: talking{silent{"Moon"}}, pod: "alone",
			want: map[string]report.Details{
				"": {report.PluginFact{Facts: map[string]string{"pod": "alone", "said": "not today"}}}},
		},
		"nothing but reasons": {
			plugin: silent{"Moon"}, pod: "x", want: map[string]report.Details{"a": {}},
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			state := stateOf(t, nodeText("a", ""), nodeText("b", ""), podText("x", "1"), podText("alone", "1"))
			explanation := explain(t, engineOf(t, state, withPlugins(t, test.plugin)), podNamed(t, state, test.pod))
			if diff := cmp.Diff(test.want, detailsBy("Moon", explanation)); diff != "" {
				t.Errorf("details (-want +got)\n%s", diff)
			}
			if test.pod == "x" {
				want := []report.Rejection{{Plugin: "Moon", Code: "Unschedulable", Reasons: []string{"the moon is full"}}}
				got := explanation.Nodes[len(explanation.Nodes)-1].Filters
				if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(report.Rejection{}, "Details")); diff != "" {
					t.Errorf("rejections of node a (-want +got)\n%s", diff)
				}
			}
		})
	}
}

// Each of two plugins explains only what it rejected itself.
func TestPluginsExplainTheirOwn(t *testing.T) {
	state := stateOf(t, nodeText("a", ""), podText("x", "1"))
	options := withPlugins(t, talking{silent{"Moon"}}, silent{"Dark"})
	explanation := explain(t, engineOf(t, state, options), podNamed(t, state, "x"))
	if got := detailsBy("Dark", explanation)["a"]; got == nil || len(got) > 0 {
		t.Errorf("plugin Dark tells nothing, got %v", got)
	}
	if got := detailsBy("Moon", explanation)["a"]; len(got) != 2 {
		t.Errorf("plugin Moon tells two facts, got %v", got)
	}
}

// An extender is named by its URL, of which nothing secret is shown.
func TestDetailsOfExtenders(t *testing.T) {
	state := stateOf(t, nodeText("a", ""), nodeText("b", ""), nodeText("c", ""), podText("x", "1"))
	options := extended(t, anExtender{filter: &extenderv1.ExtenderFilterResult{
		NodeNames:                  &[]string{"b"},
		FailedNodes:                extenderv1.FailedNodesMap{"a": "no license"},
		FailedAndUnresolvableNodes: extenderv1.FailedNodesMap{"c": "wrong vendor"},
	}}, extenderFilters)
	extender := &options.Config.KubeSchedulerConfiguration.Extenders[0]
	shown := extender.URLPrefix
	extender.URLPrefix = strings.Replace(shown, "http://", "http://user:secret@", 1)
	options.Node = "a"
	explanation := explain(t, engineOf(t, state, options), podNamed(t, state, "x"))
	if strings.Contains(asJSON(t, explanation), "secret") {
		t.Error("the answer shows the password of the extender's URL")
	}
	want := map[string]report.Details{
		"a": {report.ExtenderRefusal{Extender: shown}},
		"c": {report.ExtenderRefusal{Extender: shown, Unresolvable: true}},
	}
	if diff := cmp.Diff(want, detailsBy(shown, explanation)); diff != "" {
		t.Errorf("details (-want +got)\n%s", diff)
	}
}
