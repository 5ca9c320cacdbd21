//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// explainFile runs `kubectl sched explain -f` on the manifest with more arguments.
func explainFile(ctx context.Context, t *testing.T, manifest string, args ...string) (report.Explanation, output) {
	t.Helper()
	waitCaches(ctx, t)
	file := filepath.Join(t.TempDir(), "pod.yaml")
	if err := os.WriteFile(file, []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	out := env.kubectl.run(ctx, t,
		append([]string{"sched", "explain", "-f", file, "-n", namespace, "-o", "json"}, args...)...)
	var explanation report.Explanation
	if err := json.Unmarshal([]byte(out.stdout), &explanation); err != nil {
		t.Fatalf("explain did not print an Explanation: %v\n%+v", err, out)
	}
	return explanation, out
}

const plainPod = `{apiVersion: v1, kind: Pod, metadata: {name: plain},
  spec: {containers: [{name: m, image: "registry.example/m:1"}]}}`

// Manifests are admitted by a dry run on the API server, and nothing is stored.
func TestManifestsAreAdmittedByTheServer(t *testing.T) {
	ctx := t.Context()
	create(ctx, t, node("only"))
	for name, test := range map[string]struct {
		manifest string
		setup    []object
		verdict  report.Verdict
		message  string
	}{
		"one that the server takes": {manifest: plainPod, verdict: report.Schedulable},
		"one whose name is taken": {
			manifest: plainPod,
			setup:    []object{pod("plain")},
			verdict:  report.Schedulable,
		},
		"one that admission refuses": {
			manifest: strings.Replace(plainPod, "spec: {", "spec: {priorityClassName: nowhere, ", 1),
			verdict:  report.Invalid,
			message:  "no PriorityClass with name nowhere was found",
		},
		"one that validation refuses": {
			manifest: strings.Replace(plainPod, "name: m,", "name: M_1,", 1),
			verdict:  report.Invalid,
			message:  "spec.containers[0].name",
		},
	} {
		t.Run(name, func(t *testing.T) {
			create(ctx, t, test.setup...)
			said, out := explainFile(ctx, t, test.manifest)
			if said.Admission != report.AdmittedByServer || said.Verdict != test.verdict ||
				!strings.Contains(said.Message, test.message) {
				t.Errorf("explain says %s, admitted by %q, message %q; want %s, Server, %q\nstderr: %s",
					said.Verdict, said.Admission, said.Message, test.verdict, test.message, out.stderr)
			}
			_, err := env.Client.CoreV1().Pods(namespace).Get(ctx, "plain", metav1.GetOptions{})
			if exists := !apierrors.IsNotFound(err); exists != (len(test.setup) > 0) {
				t.Errorf("the Pod of the manifest exists: %v (%v)", exists, err)
			}
		})
	}
}

// With the role of deploy/rbac-explain.yaml explain reads all it needs, and admits manifests without the server.
func TestExplainWithTheDocumentedRole(t *testing.T) {
	ctx := t.Context()
	data, err := os.ReadFile("../../deploy/rbac-explain.yaml")
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(data), "\n---\n")
	role := &rbacv1.ClusterRole{}
	if err := yaml.UnmarshalStrict([]byte(first), role); err != nil {
		t.Fatalf("deploy/rbac-explain.yaml: %v", err)
	}
	create(ctx, t, node("only"), role, bindTo("reader", role))
	waitAllowed(ctx, t, "reader", listNodes)

	said, out := explainFile(ctx, t, plainPod, "--as=reader")
	if said.Verdict != report.Schedulable || said.Admission != report.AdmittedLocally {
		t.Errorf("explain says %s, admitted by %q; want Schedulable, Local", said.Verdict, said.Admission)
	}
	want := `Warning: pod/plain was admitted by this program, not by the API server, whose webhooks may change it: ` +
		`creating Pods in namespace "` + namespace + `" is forbidden` + "\n"
	if out.stderr != want {
		t.Errorf("stderr is %q, want %q", out.stderr, want)
	}
}

// Kinds that RBAC forbids to list are told where they can change the answer; without Nodes there is none.
func TestExplainWithFewPermissions(t *testing.T) {
	ctx := t.Context()
	few := &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: "few"},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"nodes", "pods"}, Verbs: []string{"list"}}},
	}
	waits := pod("waits")
	waits.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "nowhere"},
	}}}
	create(ctx, t, node("only"), few, bindTo("junior", few), waits)
	waitAllowed(ctx, t, "junior", listNodes)
	waitCaches(ctx, t)

	out := env.kubectl.run(ctx, t, "sched", "explain", "pod/waits", "-n", namespace, "--as=junior")
	if want := "Warning: cannot judge volumes: listing persistentvolumeclaims is forbidden"; out.exitCode != 1 ||
		!strings.Contains(out.stderr, want) {
		t.Errorf("explain as junior: %+v, want exit code 1 and on stderr %q", out, want)
	}
	out = env.kubectl.run(ctx, t, "sched", "explain", "pod/waits", "-n", namespace, "--as=stranger")
	if out.exitCode != 2 || out.stdout != "" || !strings.Contains(out.stderr, "cannot list nodes") {
		t.Errorf("explain as stranger: %+v, want exit code 2 and an error that names the permission", out)
	}
}

var listNodes = authorizationv1.ResourceAttributes{Verb: "list", Resource: "nodes"}

// waitAllowed waits until the API server's authorizer has seen what the user may do.
func waitAllowed(ctx context.Context, t *testing.T, user string, what authorizationv1.ResourceAttributes) {
	t.Helper()
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: user, ResourceAttributes: &what,
	}}
	err := wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, decisionTimeout, true,
		func(ctx context.Context) (bool, error) {
			answer, err := env.Client.AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
			return err == nil && answer.Status.Allowed, err
		})
	if err != nil {
		t.Fatalf("waiting until %s may %s %s: %v", user, what.Verb, what.Resource, err)
	}
}

func bindTo(user string, role *rbacv1.ClusterRole) *rbacv1.ClusterRoleBinding {
	return &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: user},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: user}},
	}
}
