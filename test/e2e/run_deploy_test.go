//go:build e2e

package e2e

import (
	"context"
	"crypto/tls"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// deployDir is the folder that is applied to a cluster.
const deployDir = "../../deploy"

// The API server takes everything that is deployed.
func TestDeployIsAdmitted(t *testing.T) {
	out := env.kubectl.run(t.Context(), t, "apply", "--dry-run=server", "-o=name", "-k", deployDir)
	if out.exitCode != 0 || out.stderr != "" {
		t.Errorf("exit code %d, stderr %q", out.exitCode, out.stderr)
	}
	hash := regexp.MustCompile(`-[a-z0-9]{10}$`)
	var got []string
	for _, line := range strings.Fields(out.stdout) {
		got = append(got, hash.ReplaceAllString(line, ""))
	}
	slices.Sort(got)
	want := []string{
		"clusterrole.rbac.authorization.k8s.io/kubectl-sched-run",
		"clusterrolebinding.rbac.authorization.k8s.io/kubectl-sched-run",
		"configmap/kubectl-sched-config",
		"deployment.apps/kubectl-sched",
		"poddisruptionbudget.policy/kubectl-sched",
		"role.rbac.authorization.k8s.io/kubectl-sched-run",
		"rolebinding.rbac.authorization.k8s.io/kubectl-sched-run",
		"serviceaccount/kubectl-sched",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
}

// With the permissions and the command line that are deployed Pods of all kinds are scheduled, the endpoints are for
// whom they are meant, and the Lease is given up at the end.
func TestRunAsDeployed(t *testing.T) {
	ctx := t.Context()
	removeClaims(ctx, t)
	removeLease(ctx, t)
	create(ctx, t, yardClasses()...)
	createMany(ctx, t, yardNodes())
	volumes := []object{
		volume("local-0", "local", expr(corev1.LabelHostname, corev1.NodeSelectorOpIn, "n01")), claim("local-0", "local"),
		claim("disk-0", "disk"), deviceClaim("card", "card", 1), pod("settler", on("n24"), requests("cpu", "4")),
	}
	create(ctx, t, slices.Concat(deviceDriver(), driveDriver(), volumes)...)
	waitVolumes(ctx, t, volumes)
	pods := []*corev1.Pod{
		pod("plain", requests("cpu", "1")), pod("disk", claims("disk-0")), pod("local", claims("local-0")),
		pod("card", deviceClaims("card")), pod("drive", requests("example.com/drive", "1")),
		pod("noble", priorityClass("highest"), pinned("n24"), requests("cpu", "2")),
	}
	huge := pod("huge", requests("cpu", "64"))
	for _, pod := range append(pods, huge) {
		own(pod)
	}
	watch := watchPods(ctx, t)
	refused := refusedRequests(ctx, t)

	address := freeAddress(t)
	run := startRun(ctx, t, deployedKubectl(ctx, t), append(deployedArgs(t, address), "-v=2")...)
	run.waitSaid(ctx, t, "Leading")
	if holder := holderOfLease(ctx, t); holder == "" {
		t.Error("nobody holds the Lease")
	}
	createMany(ctx, t, append(pods, huge))
	run.waitFor(ctx, t, "decisions about all Pods", func(decisions []report.Decision) bool {
		return countOf(decisions, report.ResultBound) == len(pods) && countOf(decisions, report.ResultPreempted) == 1 &&
			countOf(decisions, report.ResultUnschedulable) == 1
	})
	makeSeries(ctx, t, run, huge)
	checkEndpoints(ctx, t, "https://"+address)

	run.terminate(t)
	if holder := holderOfLease(ctx, t); holder != "" {
		t.Errorf("%s still holds the Lease", holder)
	}
	checkRun(ctx, t, watch, pods, run)
	wantNothingForbidden(t, run)
	if now := refusedRequests(ctx, t); now != refused {
		t.Errorf("the API server has refused %v requests for want of a permission", now-refused)
	}
}

// makeSeries has a Pod that fits nowhere looked at until its event is one that counts how often that was said.
func makeSeries(ctx context.Context, t *testing.T, run *runProcess, huge *corev1.Pod) {
	t.Helper()
	count := func(decisions []report.Decision) (times int) {
		for _, decision := range decisions {
			if decision.Metadata.Name == huge.Name {
				times++
			}
		}
		return times
	}
	for range 2 { // the first time was before the Pod had its condition: that is another event
		before := count(run.decisions())
		leaver := []*corev1.Pod{pod("leaver", on("n02"), requests("cpu", "100m"))}
		createMany(ctx, t, leaver)
		removeMany(ctx, t, leaver)
		run.waitFor(ctx, t, "another decision about the Pod", func(decisions []report.Decision) bool {
			return count(decisions) > before
		})
	}
	waitEvent(ctx, t, huge, func(event eventsv1.Event) bool { return event.Series != nil })
}

// checkEndpoints checks who may read what of a scheduler that is not on the loopback alone.
func checkEndpoints(ctx context.Context, t *testing.T, endpoints string) {
	t.Helper()
	stranger := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "stranger"}}
	create(ctx, t, stranger)
	for _, test := range []struct {
		path, who, token string
		want             int
	}{
		{"/healthz", "nobody", "", http.StatusOK},
		{"/livez", "nobody", "", http.StatusOK},
		{"/readyz", "nobody", "", http.StatusOK},
		{"/metrics", "nobody", "", http.StatusForbidden},
		{"/metrics", "a token that is none", "wrong", http.StatusUnauthorized},
		{"/metrics", "an account without the right", tokenOf(ctx, t, namespace, "stranger"), http.StatusForbidden},
		{"/metrics", "an administrator", env.Config.BearerToken, http.StatusOK},
	} {
		if got := statusOf(ctx, t, endpoints+test.path, test.token); got != test.want {
			t.Errorf("%s answers %s with %d, want %d", test.path, test.who, got, test.want)
		}
	}
}

// statusOf gets a URL with a token, or without when that is empty, and returns the HTTP status.
func statusOf(ctx context.Context, t *testing.T, url, token string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	defer client.CloseIdleConnections()
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode
}
