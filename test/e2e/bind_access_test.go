//go:build e2e

package e2e

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// With the roles of deploy/rbac-bind.yaml and nothing else, Pods of all kinds are bound.
func TestBindWithTheDocumentedRoles(t *testing.T) {
	ctx := t.Context()
	removeClaims(ctx, t)
	grant(ctx, t, "binder", rolesOf(t, "../../deploy/rbac-bind.yaml"))
	create(ctx, t, yardClasses()...)
	createMany(ctx, t, yardNodes())
	volumes := []object{
		volume("local-0", "local", expr(corev1.LabelHostname, corev1.NodeSelectorOpIn, "n01")), claim("local-0", "local"),
		claim("disk-0", "disk"), deviceClaim("card", "card", 1),
	}
	create(ctx, t, slices.Concat(deviceDriver(), driveDriver(), volumes)...)
	waitVolumes(ctx, t, volumes)
	pods := []*corev1.Pod{
		pod("plain", requests("cpu", "1")), pod("disk", claims("disk-0")), pod("local", claims("local-0")),
		pod("card", deviceClaims("card")), pod("drive", requests("example.com/drive", "1")),
	}
	huge := pod("huge", requests("cpu", "64"))
	createMany(ctx, t, append([]*corev1.Pod{huge}, pods...))
	watch := watchPods(ctx, t)

	run := runBind(ctx, t, "--pending", "-A", "--as=binder")
	run.wantExit(t, 1)
	if counts := tally(run.results, pods); counts[report.ResultBound] != len(pods) {
		t.Errorf("results %v, want all bound\n%s", counts, run.notBound())
	}
	checkAll(ctx, t, watch, run, append(pods, huge))
	if strings.Contains(run.stderr, "forbidden") {
		t.Errorf("something was forbidden: %s", run.stderr)
	}
	for _, result := range run.results {
		if len(result.Warnings) > 0 {
			t.Errorf("Pod %s has warnings %q", result.Metadata.Name, result.Warnings)
		}
	}
}

// A user who may read all and bind nothing is told which permission is missing, and nothing changes.
func TestBindWithoutThePermissionToBind(t *testing.T) {
	ctx := t.Context()
	roles := rolesOf(t, "../../deploy/rbac-bind.yaml")
	for _, role := range roles {
		if role, isClusterRole := role.(*rbacv1.ClusterRole); isClusterRole {
			withoutRule(t, role, "pods/binding")
		}
	}
	grant(ctx, t, "looker", roles)
	plain := pod("plain")
	create(ctx, t, node("only"), plain)
	run := runBind(ctx, t, "pod/plain", "-n", namespace, "--as=looker")
	run.wantExit(t, 1)
	got := resultOf(run.results, plain)
	if got.Result != report.ResultFailed || got.NodeName != "only" || !strings.Contains(got.Reason, "pods/binding") {
		t.Errorf("the result is %+v, want it Failed with a reason that names pods/binding", got)
	}
	if node := nodeOf(ctx, t, plain); node != "" {
		t.Errorf("the Pod is on node %q", node)
	}
}

func withoutRule(t *testing.T, role *rbacv1.ClusterRole, resource string) {
	t.Helper()
	for i, rule := range role.Rules {
		if len(rule.Resources) == 1 && rule.Resources[0] == resource {
			role.Rules = append(role.Rules[:i], role.Rules[i+1:]...)
			return
		}
	}
	t.Fatalf("no rule of role %s is about %s alone", role.Name, resource)
}

// rolesOf reads a file of roles.
func rolesOf(t *testing.T, path string) []object {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var roles []object
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return roles
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		decoded, _, err := scheme.Codecs.UniversalDeserializer().Decode(document, nil, nil)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		roles = append(roles, decoded.(object))
	}
}

// grant creates the roles and binds the user to each.
func grant(ctx context.Context, t *testing.T, user string, roles []object) {
	t.Helper()
	create(ctx, t, roles...)
	for _, role := range roles {
		switch role := role.(type) {
		case *rbacv1.ClusterRole:
			create(ctx, t, bindTo(user, role))
		case *rbacv1.Role:
			create(ctx, t, &rbacv1.RoleBinding{
				ObjectMeta: metav1.ObjectMeta{Namespace: role.Namespace, Name: user},
				RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name},
				Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: user}},
			})
		default:
			t.Fatalf("%T %s is no role", role, role.GetName())
		}
	}
	waitAllowed(ctx, t, user, listNodes)
	waitAllowed(ctx, t, user, authorizationv1.ResourceAttributes{
		Verb: "create", Group: "coordination.k8s.io", Resource: "leases", Namespace: metav1.NamespaceSystem,
	})
}
