package cmd_test

import (
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/cli-runtime/pkg/resource"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

const (
	deployDir = "../../deploy"
	schedName = "kubectl-sched" // of all that is deployed
)

// manifests are the objects that `kubectl apply` gets.
type manifests []*resource.Info

// kustomized builds a kustomization.
func kustomized(t *testing.T, dir string) manifests {
	t.Helper()
	return read(t, &resource.FilenameOptions{Kustomize: dir})
}

func read(t *testing.T, from *resource.FilenameOptions) manifests {
	t.Helper()
	infos, err := resource.NewLocalBuilder().
		WithScheme(scheme.Scheme, scheme.Scheme.PrioritizedVersionsAllGroups()...).
		FilenameParam(false, from).Flatten().Do().Infos()
	if err != nil {
		t.Fatal(err)
	}
	return infos
}

// the returns the only object of a type.
func the[T any](t *testing.T, all manifests) T {
	t.Helper()
	found := allOf[T](all)
	if len(found) != 1 {
		t.Fatalf("there are %d objects of type %T, want 1", len(found), *new(T))
	}
	return found[0]
}

func allOf[T any](all manifests) []T {
	var found []T
	for _, info := range all {
		if object, ok := info.Object.(T); ok {
			found = append(found, object)
		}
	}
	return found
}

// theContainer returns the container of a Deployment that has one.
func theContainer(t *testing.T, deployment *appsv1.Deployment) corev1.Container {
	t.Helper()
	containers := deployment.Spec.Template.Spec.Containers
	if len(containers) != 1 || len(deployment.Spec.Template.Spec.InitContainers) != 0 {
		t.Fatalf("the Deployment has not one container but %d", len(containers))
	}
	return containers[0]
}

// wantFlagsThatExist has the command itself parse a command line.
func wantFlagsThatExist(t *testing.T, args []string) {
	t.Helper()
	if code, _, stderr := execute(t, append(slices.Clone(args), "--help")); code != 0 {
		t.Errorf("kubectl-sched %s --help: exit code %d: %s", strings.Join(args, " "), code, stderr)
	}
}

// explainTestPod explains the test Pod with a scheduler configuration.
func explainTestPod(t *testing.T, config string) report.Explanation {
	t.Helper()
	_, stdout, stderr := execute(t, []string{
		"explain", "-f", deployDir + "/test-pod.yaml", "--scheduler-config", config,
		"--from", "../../testdata/clusters/shop.yaml", "-o", "json",
	})
	all := parseResults(stdout)
	if len(all) != 1 {
		t.Fatalf("the test Pod has %d explanations, want 1: %s", len(all), stderr)
	}
	return all[0]
}
