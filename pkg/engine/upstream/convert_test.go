package upstream_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
)

func header(version string) string {
	return "apiVersion: kubescheduler.config.k8s.io/" + version + "\nkind: KubeSchedulerConfiguration\n"
}

func refused(version string) string {
	return fmt.Sprintf("is kubescheduler.config.k8s.io/%s, read here as kubescheduler.config.k8s.io/v1: kube-scheduler 1.37 itself refuses it", version)
}

const raisedWeights = "default score weights are those of v1: InterPodAffinity 2 (was 1), NodeAffinity 2 (was 1), TaintToleration 3 (was 1); " +
	"to keep the old ones, write them in plugins.score.enabled"

// oldWeights is a profile's score section that does not rely on the weights that were raised.
const oldWeights = "{name: InterPodAffinity, weight: 1}, {name: NodeAffinity, weight: 1}, {name: TaintToleration, weight: 1}"

func TestReadConfigConvertsOldVersions(t *testing.T) {
	for name, tc := range map[string]struct {
		version, data string
		// same is a v1 document that means the same.
		same     string
		warnings []string
	}{
		"v1beta3 as it is": {
			version: "v1beta3",
			data:    "profiles:\n- pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}}}]\n",
			same:    "profiles:\n- pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}}}]\n",
		},
		"the version inside args": {
			version: "v1beta2",
			data: "profiles:\n- plugins: {score: {enabled: [" + oldWeights + "]}}\n" +
				"  pluginConfig: [{name: InterPodAffinity, args: {apiVersion: kubescheduler.config.k8s.io/v1beta2, kind: InterPodAffinityArgs, hardPodAffinityWeight: 7}}]\n",
			same: "profiles:\n- plugins: {score: {enabled: [" + oldWeights + "]}}\n" +
				"  pluginConfig: [{name: InterPodAffinity, args: {hardPodAffinityWeight: 7}}]\n",
		},
		"v1beta1 with nothing but a connection": {
			version:  "v1beta1",
			data:     "clientConnection: {kubeconfig: /etc/example/scheduler.kubeconfig}\n",
			same:     "clientConnection: {kubeconfig: /etc/example/scheduler.kubeconfig}\n",
			warnings: []string{raisedWeights},
		},
		"weights that some profile leaves to the defaults": {
			version: "v1beta2",
			data: "profiles:\n- {schedulerName: a, plugins: {score: {enabled: [{name: NodeAffinity, weight: 1}], disabled: [{name: TaintToleration}]}}}\n" +
				"- {schedulerName: b, plugins: {score: {disabled: [{name: '*'}], enabled: [{name: ImageLocality}]}}}\n",
			same: "profiles:\n- {schedulerName: a, plugins: {score: {enabled: [{name: NodeAffinity, weight: 1}], disabled: [{name: TaintToleration}]}}}\n" +
				"- {schedulerName: b, plugins: {score: {disabled: [{name: '*'}], enabled: [{name: ImageLocality}]}}}\n",
			warnings: []string{"default score weights are those of v1: InterPodAffinity 2 (was 1); to keep the old ones, write them in plugins.score.enabled"},
		},
		"fields that are gone": {
			version: "v1beta1",
			data: "healthzBindAddress: 0.0.0.0:10251\nmetricsBindAddress: 0.0.0.0:10251\nleaderElection: {leaderElect: true, resourceLock: endpointsleases}\n" +
				"profiles:\n- plugins: {unreserve: {enabled: [{name: VolumeBinding}]}, score: {enabled: [" + oldWeights + "]}}\n",
			same: "leaderElection: {leaderElect: true, resourceLock: leases}\nprofiles:\n- plugins: {score: {enabled: [" + oldWeights + "]}}\n",
			warnings: []string{
				"healthzBindAddress was dropped: kube-scheduler serves health checks on its secure port",
				"metricsBindAddress was dropped: kube-scheduler serves metrics on its secure port",
				"leaderElection.resourceLock endpointsleases became leases, the only one in v1",
				"profiles[0]: plugins.unreserve was dropped: plugins of reserve undo what they reserved",
			},
		},
		"preemption switched off, without profiles": {
			version:  "v1beta1",
			data:     "disablePreemption: true\n",
			same:     "profiles: [{plugins: {postFilter: {disabled: [{name: DefaultPreemption}]}}}]\n",
			warnings: []string{"disablePreemption became DefaultPreemption in plugins.postFilter.disabled", raisedWeights},
		},
		"preemption switched off, in every profile": {
			version: "v1beta1",
			data:    "disablePreemption: true\nprofiles: [{schedulerName: a}, {schedulerName: b, plugins: {postFilter: {disabled: [{name: X}]}}}]\n",
			same: "profiles: [{schedulerName: a, plugins: {postFilter: {disabled: [{name: DefaultPreemption}]}}}," +
				" {schedulerName: b, plugins: {postFilter: {disabled: [{name: X}, {name: DefaultPreemption}]}}}]\n",
			warnings: []string{
				"disablePreemption became DefaultPreemption in plugins.postFilter.disabled", raisedWeights,
				`profile "b": plugins.postFilter.disabled: kube-scheduler 1.37 has no plugin "X", so there is nothing to disable`,
			},
		},
		"preemption left on": {
			version: "v1beta1", data: "disablePreemption: false\n", same: "",
			warnings: []string{"disablePreemption was dropped: false is what v1 does", raisedWeights},
		},
		"plugins that are gone, wherever they are named": {
			version: "v1beta2",
			data: "profiles:\n- schedulerName: default-scheduler\n  plugins:\n    preScore: {enabled: [{name: SelectorSpread}]}\n" +
				"    score: {enabled: [{name: SelectorSpread, weight: 2}, " + oldWeights + "], disabled: [{name: NodePreferAvoidPods}]}\n" +
				"    filter: {disabled: [{name: EBSLimits}, {name: NodePorts}]}\n  pluginConfig: [{name: NodeLabel, args: {presentLabels: [a]}}]\n",
			same: "profiles:\n- plugins: {score: {enabled: [" + oldWeights + "]}, filter: {disabled: [{name: NodePorts}]}}\n",
			warnings: []string{
				`profile "default-scheduler": plugins.filter.disabled: EBSLimits was dropped: NodeVolumeLimits counts volumes of CSI drivers`,
				`profile "default-scheduler": pluginConfig: NodeLabel was dropped: use addedAffinity of NodeAffinity`,
				`profile "default-scheduler": plugins.score.disabled: NodePreferAvoidPods was dropped: use taints of effect PreferNoSchedule`,
				`profile "default-scheduler": plugins.preScore.enabled: SelectorSpread was dropped: PodTopologySpread, on by default, does much the same`,
				`profile "default-scheduler": plugins.score.enabled: SelectorSpread was dropped: PodTopologySpread, on by default, does much the same`,
			},
		},
		"SelectorSpread in v1beta3": {
			version:  "v1beta3",
			data:     "profiles:\n- plugins: {multiPoint: {enabled: [{name: SelectorSpread}]}}\n",
			same:     "profiles: [{plugins: {}}]\n",
			warnings: []string{"profiles[0]: plugins.multiPoint.enabled: SelectorSpread was dropped: PodTopologySpread, on by default, does much the same"},
		},
		"constraints without a type, which v1beta1 took for a list": {
			version: "v1beta1",
			data: "profiles:\n- plugins: {score: {enabled: [" + oldWeights + "]}}\n" +
				"  pluginConfig: [{name: PodTopologySpread, args: {defaultConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}]}}]\n",
			same: "profiles:\n- plugins: {score: {enabled: [" + oldWeights + "]}}\n" +
				"  pluginConfig: [{name: PodTopologySpread, args: {defaultingType: List, defaultConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}]}}]\n",
			warnings: []string{"profiles[0]: pluginConfig: PodTopologySpread got defaultingType List, v1beta1's default beside defaultConstraints"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := read(t, header(tc.version)+tc.data)
			same := read(t, v1Header+tc.same)
			if diff := cmp.Diff(same.KubeSchedulerConfiguration, got.KubeSchedulerConfiguration); diff != "" {
				t.Errorf("configuration (-want +got):\n%s", diff)
			}
			compareWarnings(t, append([]string{refused(tc.version)}, tc.warnings...), got.Warnings)
		})
	}
}

func TestReadConfigMakesResourceScorersAStrategy(t *testing.T) {
	for name, tc := range map[string]struct {
		score, pluginConfig string
		sameScore, sameArgs string
		warnings            []string
	}{
		"most in place of least, with args": {
			score:        "{disabled: [{name: NodeResourcesLeastAllocated}], enabled: [{name: NodeResourcesMostAllocated, weight: 1}, " + oldWeights + "]}",
			pluginConfig: "[{name: NodeResourcesMostAllocated, args: {resources: [{name: cpu, weight: 1}]}}]",
			sameScore:    "{enabled: [{name: NodeResourcesFit, weight: 1}, " + oldWeights + "]}",
			sameArgs:     "{scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}}",
			warnings: []string{
				"profiles[0]: plugins.score.enabled: NodeResourcesMostAllocated became scoringStrategy MostAllocated of NodeResourcesFit",
				"profiles[0]: pluginConfig: NodeResourcesMostAllocated became scoringStrategy of NodeResourcesFit",
				"profiles[0]: plugins.score.disabled: NodeResourcesLeastAllocated was dropped: NodeResourcesFit scores by a scoringStrategy of its args",
			},
		},
		"most beside least, without args": {
			score:        "{enabled: [{name: NodeResourcesMostAllocated, weight: 4}, " + oldWeights + "]}",
			pluginConfig: "[{name: NodeResourcesFit, args: {ignoredResources: [example.com/x]}}]",
			sameScore:    "{enabled: [{name: NodeResourcesFit, weight: 4}, " + oldWeights + "]}",
			sameArgs:     "{ignoredResources: [example.com/x], scoringStrategy: {type: MostAllocated}}",
			warnings: []string{
				"profiles[0]: plugins.score: NodeResourcesLeastAllocated, on by default in v1beta1, no longer scores beside NodeResourcesMostAllocated",
				"profiles[0]: plugins.score.enabled: NodeResourcesMostAllocated became scoringStrategy MostAllocated of NodeResourcesFit",
			},
		},
		"a shape": {
			score: "{disabled: [{name: '*'}], enabled: [{name: RequestedToCapacityRatio, weight: 2}]}",
			pluginConfig: "[{name: RequestedToCapacityRatio, args: {apiVersion: kubescheduler.config.k8s.io/v1beta1, kind: RequestedToCapacityRatioArgs, " +
				"shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}], resources: [{name: example.com/gpu, weight: 5}]}}]",
			sameScore: "{disabled: [{name: '*'}], enabled: [{name: NodeResourcesFit, weight: 2}]}",
			sameArgs: "{scoringStrategy: {type: RequestedToCapacityRatio, resources: [{name: example.com/gpu, weight: 5}], " +
				"requestedToCapacityRatio: {shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]}}}",
			warnings: []string{
				"profiles[0]: plugins.score.enabled: RequestedToCapacityRatio became scoringStrategy RequestedToCapacityRatio of NodeResourcesFit",
				"profiles[0]: pluginConfig: RequestedToCapacityRatio became scoringStrategy of NodeResourcesFit",
			},
		},
		"two of them: the last": {
			score:     "{enabled: [{name: NodeResourcesLeastAllocated, weight: 9}, {name: NodeResourcesMostAllocated}, " + oldWeights + "], disabled: [{name: NodeResourcesLeastAllocated}]}",
			sameScore: "{enabled: [{name: NodeResourcesFit}, " + oldWeights + "]}",
			sameArgs:  "{scoringStrategy: {type: MostAllocated}}",
			warnings: []string{
				"profiles[0]: plugins.score.enabled: NodeResourcesMostAllocated became scoringStrategy MostAllocated of NodeResourcesFit",
				"profiles[0]: plugins.score.enabled: NodeResourcesLeastAllocated was dropped: NodeResourcesFit scores by a scoringStrategy of its args",
				"profiles[0]: plugins.score.disabled: NodeResourcesLeastAllocated was dropped: NodeResourcesFit scores by a scoringStrategy of its args",
			},
		},
		"least by default, with args": {
			score:        "{enabled: [" + oldWeights + "]}",
			pluginConfig: "[{name: NodeResourcesLeastAllocated, args: {resources: [{name: memory, weight: 3}]}}, {name: NodeResourcesMostAllocated}]",
			sameScore:    "{enabled: [" + oldWeights + "]}",
			sameArgs:     "{scoringStrategy: {type: LeastAllocated, resources: [{name: memory, weight: 3}]}}",
			warnings: []string{
				"profiles[0]: pluginConfig: NodeResourcesLeastAllocated became scoringStrategy of NodeResourcesFit",
				"profiles[0]: pluginConfig: NodeResourcesMostAllocated was dropped: NodeResourcesFit scores by a scoringStrategy of its args",
			},
		},
		"least switched off": {
			score:     "{disabled: [{name: NodeResourcesLeastAllocated}], enabled: [" + oldWeights + "]}",
			sameScore: "{disabled: [{name: NodeResourcesFit}], enabled: [" + oldWeights + "]}",
			sameArgs:  "{}",
			warnings:  []string{"profiles[0]: plugins.score.disabled: NodeResourcesLeastAllocated became NodeResourcesFit"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			old := fmt.Sprintf("profiles:\n- plugins: {score: %s}\n", tc.score)
			if tc.pluginConfig != "" {
				old += "  pluginConfig: " + tc.pluginConfig + "\n"
			}
			got := read(t, header("v1beta1")+old)
			same := read(t, v1Header+fmt.Sprintf("profiles:\n- plugins: {score: %s}\n  pluginConfig: [{name: NodeResourcesFit, args: %s}]\n", tc.sameScore, tc.sameArgs))
			gotProfile, sameProfile := got.KubeSchedulerConfiguration.Profiles[0], same.KubeSchedulerConfiguration.Profiles[0]
			if diff := cmp.Diff(sameProfile.Plugins, gotProfile.Plugins); diff != "" {
				t.Errorf("plugins (-want +got):\n%s", diff)
			}
			wantArgs := argsOf[*schedulerapi.NodeResourcesFitArgs](t, sameProfile, "NodeResourcesFit")
			if diff := cmp.Diff(wantArgs, argsOf[*schedulerapi.NodeResourcesFitArgs](t, gotProfile, "NodeResourcesFit")); diff != "" {
				t.Errorf("args (-want +got):\n%s", diff)
			}
			want := append([]string{refused("v1beta1")}, tc.warnings...)
			compareWarnings(t, want, got.Warnings)
		})
	}
}

func TestRaisedWeightsAreUpstreamsDefaults(t *testing.T) {
	for _, plugin := range defaultConfig(t).Profiles[0].Plugins.MultiPoint.Enabled {
		said := strings.Contains(raisedWeights, fmt.Sprintf("%s %d (was 1)", plugin.Name, plugin.Weight))
		named := strings.Contains(raisedWeights, plugin.Name+" ")
		if named != said {
			t.Errorf("%s has weight %d; the warning says %q", plugin.Name, plugin.Weight, raisedWeights)
		}
	}
}

func compareWarnings(t *testing.T, want, got []string) {
	t.Helper()
	for i := range want {
		want[i] = "scheduler.yaml: " + want[i]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}
