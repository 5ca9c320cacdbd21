package upstream_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
)

const v1Header = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"

func TestReadConfigRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		data      string
		outOfTree []string
		want      string
	}{
		"nothing":             {data: "", want: "is empty; write a KubeSchedulerConfiguration, or leave the file out for kube-scheduler's defaults"},
		"only comments":       {data: "# later\n---\n", want: "is empty; write a KubeSchedulerConfiguration, or leave the file out for kube-scheduler's defaults"},
		"a null document":     {data: "null", want: "is empty; write a KubeSchedulerConfiguration, or leave the file out for kube-scheduler's defaults"},
		"a list":              {data: "- a\n", want: "is not an object, not a KubeSchedulerConfiguration of kubescheduler.config.k8s.io/v1; give the file that kube-scheduler gets by its --config flag"},
		"several documents":   {data: v1Header + "---\napiVersion: v1\nkind: Pod\n", want: "holds several documents; leave only the KubeSchedulerConfiguration"},
		"YAML that is broken": {data: v1Header + "\tprofiles: []\n", want: "reading YAML: line 3: found a tab character that violates indentation"},
		"a key that is set twice, with its line in the file": {
			data: "# first\n---\n# second\n---\n" + v1Header + "parallelism: 1\nparallelism: 2\n",
			want: `reading YAML: line 8: key "parallelism" already set in map`},
		"a key that is set twice, in JSON": {
			data: `{"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"KubeSchedulerConfiguration","parallelism":1,"parallelism":2}`,
			want: `duplicate field "parallelism"`},
		"no apiVersion and kind": {data: "profiles: []\n", want: "has no apiVersion and kind, not a KubeSchedulerConfiguration of kubescheduler.config.k8s.io/v1; give the file that kube-scheduler gets by its --config flag"},
		"another kind":           {data: "apiVersion: apps/v1\nkind: Deployment\n", want: "is a Deployment of apps/v1, not a KubeSchedulerConfiguration of kubescheduler.config.k8s.io/v1; give the file that kube-scheduler gets by its --config flag"},
		"a kind of two lines":    {data: "apiVersion: v1\nkind: \"a\\nb\"\n", want: "is a a b of v1, not a KubeSchedulerConfiguration of kubescheduler.config.k8s.io/v1; give the file that kube-scheduler gets by its --config flag"},
		"the args of a plugin":   {data: "apiVersion: kubescheduler.config.k8s.io/v1\nkind: NodeAffinityArgs\n", want: "is a NodeAffinityArgs of kubescheduler.config.k8s.io/v1, not a KubeSchedulerConfiguration of kubescheduler.config.k8s.io/v1; give the file that kube-scheduler gets by its --config flag"},
		"a ConfigMap around it": {
			data: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: sched, namespace: kube-system}\ndata:\n  a.txt: x\n  config.yaml: |\n    kind: KubeSchedulerConfiguration\n",
			want: `is a ConfigMap that holds a KubeSchedulerConfiguration in data["config.yaml"]; save that text as a file of its own: kubectl get configmap sched -n kube-system -o jsonpath='{.data.config\.yaml}'`},
		"a ConfigMap without one": {
			data: "apiVersion: v1\nkind: ConfigMap\ndata: {a: b}\n",
			want: "is a ConfigMap, not a KubeSchedulerConfiguration of kubescheduler.config.k8s.io/v1; give the file that kube-scheduler gets by its --config flag"},
		"a version that is too old": {
			data: "apiVersion: kubescheduler.config.k8s.io/v1alpha2\nkind: KubeSchedulerConfiguration\n",
			want: "apiVersion: KubeSchedulerConfiguration of kubescheduler.config.k8s.io/v1alpha2 cannot be read, only v1 and v1beta1, v1beta2, v1beta3; see the migration notes of that version and write it as kubescheduler.config.k8s.io/v1"},
		"an unknown field": {
			data: v1Header + "hardPodAffinitySymmetricWeight: 1\nprofiles:\n- schedulerName: default-scheduler\n",
			want: `unknown field "hardPodAffinitySymmetricWeight"; remove it or correct its name`},
		"unknown fields in args": {
			data: v1Header + "profiles:\n- pluginConfig: [{name: NodeAffinity, args: {added: 1}}, {name: InterPodAffinity, args: {weight: 1}}]\n",
			want: `decoding .profiles[0].pluginConfig[0]: decoding args for plugin NodeAffinity: unknown field "added", decoding .profiles[0].pluginConfig[1]: decoding args for plugin InterPodAffinity: unknown field "weight"; remove it or correct its name`},
		"an unknown field in an old version": {
			data: "apiVersion: kubescheduler.config.k8s.io/v1beta1\nkind: KubeSchedulerConfiguration\nalgorithmSource: {provider: DefaultProvider}\n",
			want: `unknown field "algorithmSource"; remove it or correct its name`},
		"a string for a number": {data: v1Header + "parallelism: \"16\"\n", want: `field "parallelism": want an integer, got string`},
		"a string for a list":   {data: v1Header + "profiles:\n- plugins: {score: {enabled: NodeName}}\n", want: `field "profiles.plugins.score.enabled": want a list, got string`},
		"a string for an object": {
			data: v1Header + "profiles: [x]\n", want: `field "profiles": want an object, got string`},
		"a number for a switch": {data: v1Header + "leaderElection: {leaderElect: 1}\n", want: `field "leaderElection.leaderElect": want true or false, got number`},
		"a wrong type in args": {
			data: v1Header + "profiles:\n- pluginConfig: [{name: InterPodAffinity, args: {hardPodAffinityWeight: x}}]\n",
			want: `decoding .profiles[0].pluginConfig[0]: decoding args for plugin InterPodAffinity: field "hardPodAffinityWeight": want an integer, got string`},
		"a wrong type in the args of a plugin that is converted": {
			data: "apiVersion: kubescheduler.config.k8s.io/v1beta1\nkind: KubeSchedulerConfiguration\nprofiles:\n" +
				"- plugins: {score: {enabled: [{name: NodeResourcesMostAllocated}]}}\n  pluginConfig: [{name: NodeResourcesMostAllocated, args: [cpu]}]\n",
			want: `decoding .profiles[0].pluginConfig[0]: decoding args for plugin NodeResourcesFit: want an object of args`},
		"a word for a duration": {data: v1Header + "leaderElection: {leaseDuration: soon}\n", want: `time: invalid duration "soon"; write a duration as 10s or 5m`},
		"args of an old version in a v1 file": {
			data: v1Header + "profiles:\n- pluginConfig: [{name: NodeAffinity, args: {apiVersion: kubescheduler.config.k8s.io/v1beta3, kind: NodeAffinityArgs}}]\n",
			want: `decoding .profiles[0].pluginConfig[0]: decoding args for plugin NodeAffinity: no kind "NodeAffinityArgs" is registered for version "kubescheduler.config.k8s.io/v1beta3"; leave apiVersion and kind out of args`},
		"an unknown plugin": {
			data: v1Header + "profiles:\n- schedulerName: default-scheduler\n  plugins:\n    score:\n      enabled: [{name: NoSuchScorer}]\n",
			want: `profile "default-scheduler": plugins.score.enabled: kube-scheduler 1.37 has no plugin "NoSuchScorer"; remove it or correct its name`},
		"a misspelled plugin in a profile without a name": {
			data: v1Header + "profiles:\n- plugins: {multiPoint: {enabled: [{name: nodeports}]}}\n",
			want: `profiles[0]: plugins.multiPoint.enabled: kube-scheduler 1.37 has no plugin "nodeports"; did you mean NodePorts?`},
		"args of a plugin that is gone": {
			data: v1Header + "profiles:\n- schedulerName: default-scheduler\n  pluginConfig:\n  - name: NodeResourcesLeastAllocated\n    args: {resources: [{name: cpu, weight: 1}]}\n",
			want: `profile "default-scheduler": pluginConfig: kube-scheduler 1.37 has no plugin "NodeResourcesLeastAllocated" anymore; remove it: NodeResourcesFit scores by a scoringStrategy of its args`},
		"every unknown plugin at once, those that are linked in aside": {
			data:      v1Header + "profiles:\n- schedulerName: a\n  plugins: {score: {enabled: [{name: Mine}, {name: Yours}]}, filter: {enabled: [{name: Theirs}]}}\n",
			outOfTree: []string{"Mine"},
			want:      `profile "a": plugins.filter.enabled: kube-scheduler 1.37 has no plugin "Theirs"; remove it or correct its name; profile "a": plugins.score.enabled: kube-scheduler 1.37 has no plugin "Yours"; remove it or correct its name`},
		"two profiles of one name": {
			data: v1Header + "profiles: [{schedulerName: a}, {schedulerName: b}, {schedulerName: a}]\n",
			want: `profiles[2].schedulerName: "a" is the name of profiles[0] already; give each profile its own`},
		"several profiles, one without a name": {
			data: v1Header + "profiles: [{schedulerName: a}, {}]\n", want: `profiles[1].schedulerName: Required value`},
		"values out of range": {
			data: v1Header + "parallelism: -1\npercentageOfNodesToScore: 101\n",
			want: `parallelism: Invalid value: -1: should be an integer value greater than zero; percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]`},
		"a scoring strategy that does not exist": {
			data: v1Header + "profiles:\n- pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {type: Best}}}]\n",
			want: `profiles[0].pluginConfig[0].args.scoringStrategy.type: Unsupported value: "Best": supported values: "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"`},
		"args that are missing": {
			data: v1Header + "profiles:\n- pluginConfig: [{name: PodTopologySpread, args: {defaultConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}]}}]\n",
			want: `profiles[0].pluginConfig[0].args.defaultingType: Invalid value: "System": when .defaultConstraints are not empty`},
	} {
		t.Run(name, func(t *testing.T) {
			config, err := upstream.ReadConfig("scheduler.yaml", []byte(tc.data), tc.outOfTree...)
			if err == nil {
				t.Fatalf("read as %+v, want an error", config)
			}
			if diff := cmp.Diff("scheduler.yaml: "+tc.want, err.Error()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadConfigReadsWhatKubeSchedulerReads(t *testing.T) {
	for name, data := range map[string]string{
		"YAML":                        v1Header + "parallelism: 4\n",
		"YAML after a marker":         "--- # ours\n" + v1Header + "parallelism: 4\n---\n# end\n",
		"YAML with a byte order mark": "\uFEFF" + v1Header + "parallelism: 4\n",
		"YAML with CRLF":              strings.ReplaceAll(v1Header+"parallelism: 4\n", "\n", "\r\n"),
		"JSON with tabs":              "{\n\t\"apiVersion\": \"kubescheduler.config.k8s.io/v1\",\n\t\"kind\": \"KubeSchedulerConfiguration\",\n\t\"parallelism\": 4\n}",
	} {
		t.Run(name, func(t *testing.T) {
			want := defaultConfig(t)
			want.Parallelism = 4
			got := read(t, data)
			if diff := cmp.Diff(want, got.KubeSchedulerConfiguration); diff != "" {
				t.Errorf("configuration (-want +got):\n%s", diff)
			}
			if len(got.Warnings) > 0 {
				t.Errorf("warnings: %q", got.Warnings)
			}
		})
	}
}

func TestReadConfigKeepsProfiles(t *testing.T) {
	config := read(t, v1Header+`
percentageOfNodesToScore: 30
profiles:
- schedulerName: default-scheduler
- schedulerName: edge-scheduler
  percentageOfNodesToScore: 20
  pluginConfig:
  - name: NodeAffinity
    args:
      addedAffinity:
        requiredDuringSchedulingIgnoredDuringExecution:
          nodeSelectorTerms: [{matchExpressions: [{key: pool, operator: In, values: [edge]}]}]
`).KubeSchedulerConfiguration
	if got := *config.PercentageOfNodesToScore; got != 30 {
		t.Errorf("percentageOfNodesToScore = %d, want it as read, 30", got)
	}
	type summary struct {
		Name       string
		Percentage *int32
		Affinity   *corev1.NodeAffinity
	}
	var got []summary
	for _, profile := range config.Profiles {
		args := argsOf[*schedulerapi.NodeAffinityArgs](t, profile, "NodeAffinity")
		got = append(got, summary{profile.SchedulerName, profile.PercentageOfNodesToScore, args.AddedAffinity})
	}
	twenty := int32(20)
	want := []summary{{Name: "default-scheduler"}, {Name: "edge-scheduler", Percentage: &twenty, Affinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "pool", Operator: "In", Values: []string{"edge"}}},
		}}},
	}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("profiles (-want +got):\n%s", diff)
	}
}

func TestReadConfigWarnsOfDisabledPluginsThatDoNotExist(t *testing.T) {
	config := read(t, v1Header+`
profiles:
- schedulerName: a
  plugins:
    score: {disabled: [{name: "*"}, {name: NoSuchScorer}, {name: ImageLocality}]}
    filter: {disabled: [{name: EBSLimits}]}
`)
	want := []string{
		`scheduler.yaml: profile "a": plugins.filter.disabled: kube-scheduler 1.37 has no plugin "EBSLimits", so there is nothing to disable`,
		`scheduler.yaml: profile "a": plugins.score.disabled: kube-scheduler 1.37 has no plugin "NoSuchScorer", so there is nothing to disable`,
	}
	if diff := cmp.Diff(want, config.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

func TestReadConfigTakesPluginsThatAreLinkedIn(t *testing.T) {
	config, err := upstream.ReadConfig("scheduler.yaml", []byte(v1Header+`
profiles:
- plugins: {score: {enabled: [{name: Mine, weight: 5}]}}
  pluginConfig: [{name: Mine, args: {anything: true}}]
`), "Mine")
	if err != nil {
		t.Fatal(err)
	}
	want := []schedulerapi.Plugin{{Name: "Mine", Weight: 5}}
	if diff := cmp.Diff(want, config.KubeSchedulerConfiguration.Profiles[0].Plugins.Score.Enabled); diff != "" {
		t.Errorf("score plugins (-want +got):\n%s", diff)
	}
}

// FuzzReadConfig looks for input that panics; and an error must stay one line, a configuration must be complete.
func FuzzReadConfig(f *testing.F) {
	for _, seed := range []string{
		"", "---\n---\n", v1Header, `{"apiVersion":"kubescheduler.config.k8s.io/v1beta1","kind":"KubeSchedulerConfiguration","disablePreemption":true}`,
		v1Header + "profiles:\n- plugins: {score: {enabled: [{name: Mine, weight: 5}]}}\n  pluginConfig: [{name: NodeAffinity}]\n",
		"apiVersion: kubescheduler.config.k8s.io/v1beta1\nkind: KubeSchedulerConfiguration\nprofiles:\n" +
			"- plugins: {unreserve: {}, score: {enabled: [{name: RequestedToCapacityRatio}], disabled: [{name: NodeResourcesLeastAllocated}]}}\n" +
			"  pluginConfig: [{name: RequestedToCapacityRatio, args: {shape: [{utilization: 0, score: 0}]}}, {name: PodTopologySpread, args: {defaultConstraints: [{}]}}]\n",
		"apiVersion: v1\nkind: ConfigMap\ndata: {a: KubeSchedulerConfiguration}\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		config, err := upstream.ReadConfig("scheduler.yaml", data)
		switch {
		case err != nil && strings.ContainsAny(err.Error(), "\n\r"):
			t.Errorf("the error has several lines: %q", err)
		case err == nil && len(config.KubeSchedulerConfiguration.Profiles) == 0:
			t.Error("no profile")
		}
	})
}

func read(t *testing.T, data string) *upstream.Config {
	t.Helper()
	config, err := upstream.ReadConfig("scheduler.yaml", []byte(data))
	if err != nil {
		t.Fatal(err)
	}
	return config
}

func defaultConfig(t *testing.T) *schedulerapi.KubeSchedulerConfiguration {
	t.Helper()
	config, err := upstream.DefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	return config.KubeSchedulerConfiguration
}

func argsOf[T any](t *testing.T, profile schedulerapi.KubeSchedulerProfile, plugin string) T {
	t.Helper()
	for _, config := range profile.PluginConfig {
		if args, ok := config.Args.(T); ok && config.Name == plugin {
			return args
		}
	}
	t.Errorf("profile %q has no args of its type for %s", profile.SchedulerName, plugin)
	var none T
	return none
}
