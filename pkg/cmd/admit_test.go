package cmd_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// fakeServer is an API server with one node that answers the dry run of a Pod as it is told.
type fakeServer struct {
	*testing.T
	// forbidden: the user may not create Pods.
	forbidden bool
	// answers are given to one creation after the other; nil stores the Pod.
	answers []*apierrors.StatusError
	// created are the names that Pods were posted under.
	created []string
}

func (s *fakeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.URL.Path == "/version":
		s.write(w, map[string]string{"gitVersion": "v1.37.2"})
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/selfsubjectaccessreviews"):
		s.write(w, map[string]any{
			"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
			"status": map[string]any{"allowed": !s.forbidden},
		})
	case r.Method == http.MethodPost && r.URL.Query().Get("dryRun") == "All":
		s.create(w, r)
	case r.URL.Path == "/api/v1/nodes":
		node := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "only"}}
		node.Status.Allocatable = corev1.ResourceList{corev1.ResourcePods: resource.MustParse("10")}
		list := corev1.NodeList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "NodeList"}, Items: []corev1.Node{node}}
		s.write(w, list)
	case r.URL.Path == "/api/v1/pods":
		s.write(w, corev1.PodList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}})
	case r.Method == http.MethodGet:
		s.fail(w, apierrors.NewNotFound(schema.GroupResource{}, ""))
	default:
		s.Errorf("unexpected request: %s %s", r.Method, r.URL)
	}
}

func (s *fakeServer) create(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.Error(err)
	}
	var pod corev1.Pod
	if err := json.Unmarshal(body, &pod); err != nil {
		s.Error(err)
	}
	answer := s.answers[len(s.created)]
	s.created = append(s.created, pod.Name+pod.GenerateName)
	if answer != nil {
		s.fail(w, answer)
		return
	}
	if pod.Name == "" {
		pod.Name = pod.GenerateName + "abcde"
	}
	pod.UID, pod.Spec.SchedulerName = "stored", corev1.DefaultSchedulerName
	s.write(w, pod)
}

func (s *fakeServer) fail(w http.ResponseWriter, answer *apierrors.StatusError) {
	status := answer.Status()
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	w.WriteHeader(int(status.Code))
	s.write(w, status)
}

func (s *fakeServer) write(w io.Writer, object any) {
	if err := json.NewEncoder(w).Encode(object); err != nil {
		s.Error(err)
	}
}

// A manifest is admitted by the server where it may be; what the server says of the Pod is the answer, what it says of
// itself is not.
func TestAdmissionByTheServer(t *testing.T) {
	pods := schema.GroupResource{Resource: "pods"}
	taken := apierrors.NewAlreadyExists(pods, "web")
	quota := apierrors.NewForbidden(pods, "web", fmt.Errorf("exceeded quota: compute"))
	noDryRun := apierrors.NewBadRequest("admission webhook \"w.example.com\" does not support dry run")
	broken := apierrors.NewInternalError(fmt.Errorf("webhook timed out"))
	for sentence, test := range map[string]struct {
		server  fakeServer
		verdict report.Verdict
		way     report.Admission
		code    int
		message string
		warning string
	}{
		"a Pod that the server takes": {
			server:  fakeServer{answers: []*apierrors.StatusError{nil}},
			verdict: report.Schedulable, way: report.AdmittedByServer,
		},
		"a Pod whose name is taken": {
			server:  fakeServer{answers: []*apierrors.StatusError{taken, nil}},
			verdict: report.Schedulable, way: report.AdmittedByServer,
		},
		"a Pod beyond the quota": {
			server:  fakeServer{answers: []*apierrors.StatusError{quota}},
			verdict: report.Invalid, way: report.AdmittedByServer, code: 1, message: "exceeded quota: compute",
		},
		"a webhook without support for dry runs": {
			server:  fakeServer{answers: []*apierrors.StatusError{noDryRun}},
			verdict: report.Schedulable, way: report.AdmittedLocally, warning: "does not support dry run",
		},
		"a server that fails": {
			server:  fakeServer{answers: []*apierrors.StatusError{broken}},
			verdict: report.Schedulable, way: report.AdmittedLocally, warning: "webhook timed out",
		},
		"a user who may not create Pods": {
			server:  fakeServer{forbidden: true},
			verdict: report.Schedulable, way: report.AdmittedLocally,
			warning: `creating Pods in namespace "shop" is forbidden`,
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			test.server.T = t
			code, stdout, stderr := explainAgainst(t, &test.server)
			results := parseResults(stdout)
			if len(results) != 1 {
				t.Fatalf("got %d results\nstdout: %s\nstderr: %s", len(results), stdout, stderr)
			}
			got := results[0]
			if code != test.code || got.Verdict != test.verdict || got.Admission != test.way || got.Metadata.Name != "web" {
				t.Errorf("got %s for %q, admitted by %q, exit code %d; want %s for web, %q, %d", got.Verdict,
					got.Metadata.Name, got.Admission, code, test.verdict, test.way, test.code)
			}
			if !strings.Contains(got.Message, test.message) || !strings.Contains(stderr, test.warning) {
				t.Errorf("got message %q and stderr %q, want %q and %q", got.Message, stderr, test.message, test.warning)
			}
			if want := len(test.server.answers); len(test.server.created) != want {
				t.Errorf("Pods were posted as %q, want %d", test.server.created, want)
			}
		})
	}
}

// explainAgainst runs `explain -f` on a Pod named web, in namespace shop, against the server.
func explainAgainst(t *testing.T, server *fakeServer) (code int, stdout, stderr string) {
	t.Helper()
	web := httptest.NewServer(server)
	t.Cleanup(web.Close)
	manifest := filepath.Join(t.TempDir(), "web.yaml")
	pod := `{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: m, image: m}]}}`
	if err := os.WriteFile(manifest, []byte(pod), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	return execute(t, []string{"explain", "-f", manifest, "-n", "shop", "-s", web.URL, "-o", "json"})
}
