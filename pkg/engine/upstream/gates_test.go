package upstream_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/util/compatibility"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	basecompatibility "k8s.io/component-base/compatibility"
	"k8s.io/component-base/featuregate"
	"k8s.io/kubernetes/pkg/features"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
)

func TestParseGates(t *testing.T) {
	for name, tc := range map[string]struct {
		value   string
		want    map[string]bool
		wantErr string
	}{
		"nothing":                       {value: "", want: map[string]bool{}},
		"two, with spaces and a prefix": {value: " A=true, kube:B=false,", want: map[string]bool{"A": true, "B": false}},
		"the last of a gate":            {value: "A=true,A=0", want: map[string]bool{"A": false}},
		"no value":                      {value: "A=true,B", wantErr: `--feature-gates: "B" is not of the form NAME=true or NAME=false`},
		"no name":                       {value: "=true", wantErr: `--feature-gates: "=true" is not of the form NAME=true or NAME=false`},
		"no switch":                     {value: "A=maybe", wantErr: "--feature-gates: A=maybe: want true or false"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := upstream.ParseGates(tc.value)
			compareError(t, tc.wantErr, err)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("gates (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSetGatesRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		gates    map[string]bool
		emulated string
		want     string
	}{
		"an unknown gate":   {gates: map[string]bool{"NoSuchThing": true}, want: `--feature-gates: kube-scheduler 1.37 has no gate "NoSuchThing"; remove it or correct its name`},
		"a misspelled gate": {gates: map[string]bool{"genericworkloads": true}, want: `--feature-gates: kube-scheduler 1.37 has no gate "genericworkloads"; did you mean GenericWorkload?`},
		"a locked gate":     {gates: map[string]bool{"DynamicResourceAllocation": false}, want: `--feature-gates: cannot set feature gate DynamicResourceAllocation to false, feature is locked to true`},
		"a gate without its base": {gates: map[string]bool{"TopologyAwareWorkloadScheduling": true, "GenericWorkload": false},
			want: `--feature-gates: TopologyAwareWorkloadScheduling is enabled, but depends on features that are disabled: [GenericWorkload]`},
		"a gate before its time": {gates: map[string]bool{"TaintTolerationComparisonOperators": true}, emulated: "1.34",
			want: `--feature-gates: cannot set feature gate TaintTolerationComparisonOperators to true, feature is PreAlpha at emulated version 1.34, min compatibility version 1.34`},
		"a version that is too old": {emulated: "1.33", want: "--emulated-version 1.33: kube-scheduler 1.37 emulates 1.34 to 1.37 only"},
		"a version to come":         {emulated: "1.38", want: "--emulated-version 1.38: kube-scheduler 1.37 emulates 1.34 to 1.37 only"},
		"a patch version":           {emulated: "1.36.2", want: "--emulated-version 1.36.2: want MAJOR.MINOR, for example 1.37"},
		"a version that is none":    {emulated: "latest", want: "--emulated-version latest: want MAJOR.MINOR, for example 1.37"},
		"a good version with a bad gate": {gates: map[string]bool{"NoSuchThing": true}, emulated: "1.35",
			want: `--feature-gates: kube-scheduler 1.37 has no gate "NoSuchThing"; remove it or correct its name`},
	} {
		t.Run(name, func(t *testing.T) {
			restoreGates(t)
			compareError(t, tc.want, upstream.SetGates(tc.gates, tc.emulated))
			if got := utilfeature.DefaultMutableFeatureGate.EmulationVersion().String(); got != "1.37" {
				t.Errorf("the gates emulate %s after the error, want 1.37", got)
			}
		})
	}
}

func TestSetGates(t *testing.T) {
	for name, tc := range map[string]struct {
		gates     map[string]bool
		emulated  string
		want      map[featuregate.Feature]bool
		registers string
	}{
		"the defaults": {registers: "1.37",
			want: map[featuregate.Feature]bool{features.GenericWorkload: false, features.StorageCapacityScoring: true}},
		"gates of scheduling": {gates: map[string]bool{"GenericWorkload": true, "StorageCapacityScoring": false}, registers: "1.37",
			want: map[featuregate.Feature]bool{features.GenericWorkload: true, features.StorageCapacityScoring: false}},
		"gates that only the log has": {gates: map[string]bool{"ContextualLogging": true}, registers: "1.37",
			want: map[featuregate.Feature]bool{"ContextualLogging": true}},
		"the defaults of an older version": {emulated: "1.35", registers: "1.35",
			want: map[featuregate.Feature]bool{features.GenericWorkload: false, features.StorageCapacityScoring: false}},
		"a version as kube-scheduler's flag may have it": {emulated: "kube=1.36", registers: "1.36",
			want: map[featuregate.Feature]bool{}},
	} {
		t.Run(name, func(t *testing.T) {
			restoreGates(t)
			if err := upstream.SetGates(tc.gates, tc.emulated); err != nil {
				t.Fatal(err)
			}
			got := map[featuregate.Feature]bool{}
			for feature := range tc.want {
				got[feature] = utilfeature.DefaultFeatureGate.Enabled(feature)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("gates (-want +got):\n%s", diff)
			}
			registered := compatibility.DefaultComponentGlobalsRegistry.EffectiveVersionFor(basecompatibility.DefaultKubeComponent)
			for what, got := range map[string]*version.Version{
				"registry": registered.EmulationVersion(), "gates": utilfeature.DefaultMutableFeatureGate.EmulationVersion(),
			} {
				if got.String() != tc.registers {
					t.Errorf("the %s emulates %s, want %s", what, got, tc.registers)
				}
			}
		})
	}
}

func TestGatesChangeTheDefaultConfig(t *testing.T) {
	restoreGates(t)
	has := func() bool {
		return slices.ContainsFunc(defaultConfig(t).Profiles[0].Plugins.MultiPoint.Enabled,
			func(plugin schedulerapi.Plugin) bool { return plugin.Name == "GangScheduling" })
	}
	if has() {
		t.Error("GangScheduling is enabled before its gate")
	}
	if err := upstream.SetGates(map[string]bool{"GenericWorkload": true}, ""); err != nil {
		t.Fatal(err)
	}
	if !has() {
		t.Error("GangScheduling is not enabled after its gate")
	}
}

// restoreGates puts back, at the end of the test, what SetGates changed for the process.
func restoreGates(t *testing.T) {
	t.Helper()
	gate := utilfeature.DefaultMutableFeatureGate
	registered := compatibility.DefaultComponentGlobalsRegistry.EffectiveVersionFor(basecompatibility.DefaultKubeComponent)
	emulated, compatible := gate.EmulationVersion(), gate.MinCompatibilityVersion()
	t.Cleanup(func() {
		for feature := range gate.GetAllVersioned() {
			if err := gate.ResetFeatureValueToDefault(feature); err != nil {
				t.Error(err)
			}
		}
		if err := gate.SetEmulationVersionAndMinCompatibilityVersion(emulated, compatible); err != nil {
			t.Error(err)
		}
		registered.(basecompatibility.MutableEffectiveVersion).SetEmulationVersion(emulated)
	})
}

func compareError(t *testing.T, want string, err error) {
	t.Helper()
	got := ""
	if err != nil {
		got = err.Error()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}
