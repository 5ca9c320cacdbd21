package cmd_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
)

// verbs are what a live run does with a kind: all that is read is listed, and what can be asked about by name is fetched
// by name.
func verbs(t *testing.T, kind *cluster.Kind) []string {
	t.Helper()
	var verbs []string
	if slices.Contains(askable(t), strings.ToLower(kind.Kind)) {
		verbs = append(verbs, "get")
	}
	// By way of its Jobs a CronJob owns Pods.
	if kind.Use != cluster.Asked || kind.Kind == "Job" {
		verbs = append(verbs, "list")
	}
	return verbs
}

// askable are the kinds that can be asked about, as the command's own message lists them.
func askable(t *testing.T) []string {
	t.Helper()
	_, _, stderr := execute(t, []string{"explain", "no-such-type/x", "--from", "-"})
	_, list, found := strings.Cut(strings.TrimSpace(stderr), "use one of ")
	if !found {
		t.Fatalf("no list of types in %q", stderr)
	}
	return strings.Split(list, ", ")
}

func TestClusterRoleAllowsWhatIsReadAndNoMore(t *testing.T) {
	data, err := os.ReadFile("../../deploy/rbac-explain.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var role rbacv1.ClusterRole
	if err := yaml.UnmarshalStrict(data, &role); err != nil {
		t.Fatal(err)
	}
	want, got := sets.New[string](), sets.New[string]()
	for _, kind := range cluster.Kinds {
		for _, verb := range verbs(t, kind) {
			want.Insert(verb + " " + kind.GroupVersion().WithResource(kind.Resource).GroupResource().String())
		}
	}
	for _, rule := range role.Rules {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					name := verb + " " + rbacv1Resource(group, resource)
					if got.Has(name) {
						t.Errorf("allowed twice: %s", name)
					}
					got.Insert(name)
				}
			}
		}
	}
	if diff := cmp.Diff(sets.List(want), sets.List(got)); diff != "" {
		t.Errorf("deploy/rbac-explain.yaml (-want +got):\n%s", diff)
	}
}

func rbacv1Resource(group, resource string) string {
	if group == "" {
		return resource
	}
	return resource + "." + group
}

// whenRead says when a kind is read, by its use.
var whenRead = map[cluster.Use]string{
	cluster.Scheduling: "always",
	cluster.Admission:  "always; counts for manifests and templates",
	cluster.Gated:      "with the gate `GenericWorkload`",
	cluster.Asked:      "when asked about",
}

func TestPermissionsPageListsTheKinds(t *testing.T) {
	const page = "../../docs/permissions.md"
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var rows strings.Builder
	for _, kind := range cluster.Kinds {
		group := "core"
		if kind.Group != "" {
			group = kind.Group
		}
		fmt.Fprintf(&rows, "| %s | %s | %s | %s | %s |\n", kind.Resource, group, strings.Join(verbs(t, kind), ", "),
			kind.Judges, whenRead[kind.Use])
	}
	header := regexp.MustCompile(`(?m)^\|---\|---\|---\|---\|---\|\n(\|.*\n)*`)
	got := string(data)
	want := header.ReplaceAllString(got, "|---|---|---|---|---|\n"+rows.String())
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil { //nolint:gosec // the page is for all to read
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("docs/permissions.md, go test ./pkg/cmd -update rewrites it (-want +got):\n%s", diff)
	}
}

// TestReadmeSavesWhatIsRead checks the kubectl commands of README.md that save a cluster.
func TestReadmeSavesWhatIsRead(t *testing.T) {
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(data), "    kubectl get ")
	resources, _, ended := strings.Cut(rest, " -A -o yaml")
	if !found || !ended {
		t.Fatal("README.md: no command that saves a cluster")
	}
	var want, devices []string
	for _, kind := range cluster.Kinds {
		switch {
		case kind.Use != cluster.Scheduling && kind.Use != cluster.Admission:
		case kind.Group == "resource.k8s.io":
			devices = append(devices, kind.Resource)
		default:
			want = append(want, kind.Resource)
		}
	}
	slices.Sort(want)
	got := slices.Sorted(slices.Values(strings.Split(resources, ",")))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the kinds that README.md saves (-want +got):\n%s", diff)
	}
	for _, resource := range devices {
		if !regexp.MustCompile("Add `[^`]*\\b" + resource + "\\b").MatchString(rest) {
			t.Errorf("README.md does not say to save %s for devices", resource)
		}
	}
}
