package cmd_test

import (
	stdcmp "cmp"
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

// kindVerbs tell what a command does with a kind of a live cluster.
type kindVerbs func(*cluster.Kind) []string

// explainVerbs are those of explain: all that is read is listed, and what can be asked about by name is fetched.
func explainVerbs(t *testing.T) kindVerbs {
	t.Helper()
	askable := askable(t)
	return func(kind *cluster.Kind) []string {
		var verbs []string
		if slices.Contains(askable, strings.ToLower(kind.Kind)) {
			verbs = append(verbs, "get")
		}
		// By way of its Jobs a CronJob owns Pods.
		if kind.Use != cluster.Asked || kind.Kind == "Job" {
			verbs = append(verbs, "list")
		}
		return verbs
	}
}

// schedulerReads are those of bind and run that change nothing: what a scheduler reads is watched. What became of a
// Pod, or of a claim of devices that could not be written, is looked up.
func schedulerReads(kind *cluster.Kind) []string {
	switch {
	case kind.Kind == "Pod", kind.Kind == "ResourceClaim":
		return []string{"get", "list", "watch"}
	case kind.Use == cluster.Scheduling, kind.Use == cluster.Gated:
		return []string{"list", "watch"}
	}
	return nil
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

func TestClusterRoleOfExplainAllowsWhatIsReadAndNoMore(t *testing.T) {
	wantPermissions(t, "../../deploy/rbac-explain.yaml", permissionsOf(explainVerbs(t)))
}

// What bind and run read is in the table of kinds, what they write in a table of the page each.
func TestRolesOfBindAndRunAllowWhatIsDoneAndNoMore(t *testing.T) {
	for path, header := range map[string]string{
		"../../deploy/rbac-bind.yaml": bindWritesHeader,
		"../../deploy/rbac-run.yaml":  runWritesHeader,
	} {
		wantPermissions(t, path, permissionsOf(schedulerReads).Union(permissionsIn(t, header)))
	}
}

// permissionsIn are those in a table of the page.
func permissionsIn(t *testing.T, header string) sets.Set[string] {
	t.Helper()
	table := tableOf(header).FindStringSubmatch(readPage(t, rbacPage))
	if table == nil {
		t.Fatalf("docs/rbac.md: no table %s", header)
	}
	all := sets.New[string]()
	for row := range strings.Lines(table[2]) {
		cells := strings.Split(row, " | ")
		for verb := range strings.SplitSeq(cells[2], ", ") {
			all.Insert(permission(verb, cells[1], strings.TrimPrefix(cells[0], "| ")))
		}
	}
	return all
}

// wantPermissions compares what the roles in a file allow.
func wantPermissions(t *testing.T, path string, want sets.Set[string]) {
	t.Helper()
	got := sets.New[string]()
	for document := range strings.SplitSeq(readPage(t, path), "\n---\n") {
		if bindingKind.MatchString(document) {
			continue // allows nothing that its role does not
		}
		var role rbacv1.ClusterRole // a Role has the same rules
		if err := yaml.UnmarshalStrict([]byte(document), &role); err != nil {
			t.Fatal(err)
		}
		for _, rule := range role.Rules {
			if slices.ContainsFunc(rule.Resources, holdsSecrets) {
				t.Errorf("%s allows %q: no Secret and no ConfigMap is ever read", path, rule.Resources)
			}
			for _, one := range allowed(rule) {
				if got.Has(one) {
					t.Errorf("%s allows twice: %s", path, one)
				}
				got.Insert(one)
			}
		}
	}
	if diff := cmp.Diff(sets.List(want), sets.List(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func holdsSecrets(resource string) bool {
	return slices.Contains([]string{"*", "secrets", "configmaps"}, resource)
}

var bindingKind = regexp.MustCompile(`(?m)^kind: (Cluster)?RoleBinding$`)

func allowed(rule rbacv1.PolicyRule) []string {
	var all []string
	for _, group := range rule.APIGroups {
		for _, resource := range rule.Resources {
			for _, verb := range rule.Verbs {
				all = append(all, permission(verb, group, resource))
			}
		}
	}
	return all
}

func permissionsOf(verbs kindVerbs) sets.Set[string] {
	all := sets.New[string]()
	for _, kind := range cluster.Kinds {
		for _, verb := range verbs(kind) {
			all.Insert(permission(verb, kind.Group, kind.Resource))
		}
	}
	return all
}

// permission names one, in a group that is given as roles or as the page spell it.
func permission(verb, group, resource string) string {
	return fmt.Sprintf("%s %s.%s", verb, resource, stdcmp.Or(group, coreGroup))
}

const (
	rbacPage  = "../../docs/rbac.md"
	coreGroup = "core" // what the page calls the group without a name

	explainHeader    = "| resource | API group | verbs | what cannot be judged without it | when it is read |"
	readsHeader      = "| resource | API group | verbs | when it is read |"
	bindWritesHeader = "| resource | API group | verbs | what for | when |"
	runWritesHeader  = "| resource | API group | verbs | what run writes | when |"
)

// tableOf matches the table with the header: its head, then its rows.
func tableOf(header string) *regexp.Regexp {
	return regexp.MustCompile("(" + regexp.QuoteMeta(header) + `\n[|-]+\n)((?:\|.*\n)*)`)
}

// whenRead says when a kind is read, by its use.
var whenRead = map[cluster.Use]string{
	cluster.Scheduling: "always",
	cluster.Admission:  "always; counts for manifests and templates",
	cluster.Gated:      "with the gate `GenericWorkload`",
	cluster.Asked:      "when asked about",
}

// kindRows are rows about the kinds that the verbs are for.
func kindRows(verbs kindVerbs, columns func(*cluster.Kind) []string) string {
	var rows strings.Builder
	for _, kind := range cluster.Kinds {
		if verbs := verbs(kind); len(verbs) > 0 {
			cells := []string{kind.Resource, stdcmp.Or(kind.Group, coreGroup), strings.Join(verbs, ", ")}
			fmt.Fprintf(&rows, "| %s |\n", strings.Join(append(cells, columns(kind)...), " | "))
		}
	}
	return rows.String()
}

func TestRBACPageListsTheKinds(t *testing.T) {
	got := readPage(t, rbacPage)
	want := got
	for header, rows := range map[string]string{
		explainHeader: kindRows(explainVerbs(t), func(kind *cluster.Kind) []string {
			return []string{kind.Judges, whenRead[kind.Use]}
		}),
		readsHeader: kindRows(schedulerReads, func(kind *cluster.Kind) []string { return []string{whenRead[kind.Use]} }),
	} {
		table := tableOf(header)
		if !table.MatchString(want) {
			t.Errorf("docs/rbac.md: no table %s", header)
		}
		want = table.ReplaceAllString(want, "${1}"+rows)
	}
	if *update {
		if err := os.WriteFile(rbacPage, []byte(want), 0o644); err != nil { //nolint:gosec // the page is for all to read
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("docs/rbac.md, go test ./pkg/cmd -update rewrites it (-want +got):\n%s", diff)
	}
}
