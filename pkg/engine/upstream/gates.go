package upstream

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/util/compatibility"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	basecompatibility "k8s.io/component-base/compatibility"
	"k8s.io/component-base/featuregate"
	logsapi "k8s.io/component-base/logs/api/v1"
	metricsfeatures "k8s.io/component-base/metrics/features"
	_ "k8s.io/kubernetes/pkg/features" // registers Kubernetes' own gates
)

// kubeComponent may stand before a gate or a version, as kube-scheduler's flags allow.
const kubeComponent = basecompatibility.DefaultKubeComponent

// ParseGates reads the value of --feature-gates, "A=true,B=false". Of a gate given twice the last counts, as upstream.
func ParseGates(value string) (map[string]bool, error) {
	gates := map[string]bool{}
	for pair := range strings.SplitSeq(value, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, setting, found := strings.Cut(pair, "=")
		name, setting = strings.TrimPrefix(strings.TrimSpace(name), kubeComponent+":"), strings.TrimSpace(setting)
		if !found || name == "" {
			return nil, fmt.Errorf("--feature-gates: %q is not of the form NAME=true or NAME=false", strings.TrimSpace(pair))
		}
		enabled, err := strconv.ParseBool(setting)
		if err != nil {
			return nil, fmt.Errorf("--feature-gates: %s=%s: want true or false", name, setting)
		}
		gates[name] = enabled
	}
	return gates, nil
}

// SetGates does what kube-scheduler does with --feature-gates and --emulated-version; an empty version is the linked
// one.
//
// Upstream's gates belong to the process: call SetGates once, before ReadConfig, DefaultConfig and New. After an error
// nothing has changed.
func SetGates(gates map[string]bool, emulated string) error {
	gate := utilfeature.DefaultMutableFeatureGate
	// kube-scheduler's flag knows these too; they have no bearing on scheduling.
	if err := errors.Join(logsapi.AddFeatureGates(gate), metricsfeatures.AddFeatureGates(gate)); err != nil {
		return fmt.Errorf("registering feature gates: %w", err)
	}
	target, err := emulatedVersion(emulated)
	if err != nil {
		return err
	}
	if err := checkGateNames(gate, gates); err != nil {
		return err
	}
	if err := applyGates(gate.DeepCopy(), target, gates); err != nil {
		return err
	}
	// CEL expressions of DRA ask the registry for the version, not the gates.
	registered := compatibility.DefaultComponentGlobalsRegistry.EffectiveVersionFor(kubeComponent)
	if effective, ok := registered.(basecompatibility.MutableEffectiveVersion); ok {
		effective.SetEmulationVersion(target.EmulationVersion())
	}
	return applyGates(gate, target, gates)
}

// emulatedVersion is the effective version of a kube-scheduler that was started with this --emulated-version.
func emulatedVersion(text string) (basecompatibility.EffectiveVersion, error) {
	effective := compatibility.DefaultBuildEffectiveVersion()
	if text == "" {
		return effective, nil
	}
	parsed, err := version.Parse(strings.TrimPrefix(text, kubeComponent+"="))
	if err != nil || parsed.Patch() != 0 {
		return nil, fmt.Errorf("--emulated-version %s: want MAJOR.MINOR, for example %s", text, effective.EmulationVersion())
	}
	allowed, _, _ := strings.Cut(effective.AllowedEmulationVersionRange(), "(")
	lowest, highest, _ := strings.Cut(allowed, "..")
	effective.SetEmulationVersion(parsed)
	if len(effective.Validate()) > 0 {
		return nil, fmt.Errorf("--emulated-version %s: %s emulates %s to %s only", text, linkedScheduler, lowest, highest)
	}
	return effective, nil
}

func checkGateNames(gate featuregate.MutableVersionedFeatureGate, gates map[string]bool) error {
	var known []string
	for feature := range gate.GetAllVersioned() {
		known = append(known, string(feature))
	}
	for _, name := range slices.Sorted(maps.Keys(gates)) {
		if slices.Contains(known, name) {
			continue
		}
		hint := "remove it or correct its name"
		if near := nearest(name, known); len(near) > 0 {
			hint = "did you mean " + strings.Join(near, " or ") + "?"
		}
		return fmt.Errorf("--feature-gates: %s has no gate %q; %s", linkedScheduler, name, hint)
	}
	return nil
}

// applyGates sets the version before the gates, whose defaults and locks depend on it. Upstream would log that a gate
// is deprecated, or generally available; that is of no use to someone who repeats a running scheduler's flags.
func applyGates(gate featuregate.MutableVersionedFeatureGate, target basecompatibility.EffectiveVersion,
	gates map[string]bool,
) error {
	quiet, ok := gate.(interface {
		featuregate.MutableFeatureGateWithLogger
		featuregate.MutableVersionedFeatureGateWithLogger
	})
	if !ok {
		return fmt.Errorf("setting feature gates: %T cannot be set without a log", gate)
	}
	err := quiet.SetEmulationVersionAndMinCompatibilityVersionWithLogger(logr.Discard(),
		target.EmulationVersion(), target.MinCompatibilityVersion())
	if err != nil {
		return fmt.Errorf("--emulated-version: %w", joinSorted([]error{err}))
	}
	if err := quiet.SetFromMapWithLogger(logr.Discard(), gates); err != nil {
		return fmt.Errorf("--feature-gates: %w", joinSorted([]error{err}))
	}
	return nil
}
