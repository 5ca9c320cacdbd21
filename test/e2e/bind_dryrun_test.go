//go:build e2e

package e2e

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// A dry run decides all and changes nothing, whether the API server is asked or not: no object of what a run could write
// has another resource version afterwards, and none is new.
func TestBindDryRunsChangeNothing(t *testing.T) {
	ctx := t.Context()
	create(ctx, t, yardClasses()...)
	createMany(ctx, t, yardNodes())
	volumes := []object{
		volume("local-0", "local", expr(corev1.LabelHostname, corev1.NodeSelectorOpIn, "n01")), claim("local-0", "local"),
		claim("disk-0", "disk"), deviceClaim("card", "card", 1),
	}
	create(ctx, t, append(deviceDriver(), volumes...)...)
	waitVolumes(ctx, t, volumes)
	fits := []*corev1.Pod{
		pod("plain", requests("cpu", "1")), pod("disk", claims("disk-0")), pod("local", claims("local-0")),
		pod("card", deviceClaims("card")),
	}
	huge, gated := pod("huge", requests("cpu", "64")), pod("gated", gates("example.com/quota"))
	createMany(ctx, t, append([]*corev1.Pod{huge, gated}, fits...))

	for flag, want := range map[string]report.DryRun{"client": report.DryRunClient, "server": report.DryRunServer} {
		t.Run(flag, func(t *testing.T) {
			before := resourceVersions(ctx, t)
			run := runBind(ctx, t, "--pending", "-A", "--dry-run="+flag)
			if diff := cmp.Diff(before, resourceVersions(ctx, t)); diff != "" {
				t.Errorf("resource versions (-before +after):\n%s", diff)
			}
			run.wantExit(t, 1)
			for _, pod := range fits {
				if got := resultOf(run.results, pod); got.Result != report.ResultBound || got.NodeName == "" || got.DryRun != want {
					t.Errorf("the result of Pod %s is %+v, want it bound by a dry run", pod.Name, got)
				}
			}
			if got := resultOf(run.results, huge); got.Result != report.ResultUnschedulable {
				t.Errorf("the result of Pod huge is %+v, want it Unschedulable", got)
			}
			if got := resultOf(run.results, gated); got.Result != report.ResultRefused {
				t.Errorf("the result of Pod gated is %+v, want it Refused", got)
			}
		})
	}
}

// resourceVersions returns those of all objects that a run of `bind` could write.
func resourceVersions(ctx context.Context, t *testing.T) map[string]string {
	t.Helper()
	client, err := dynamic.NewForConfig(env.Config)
	if err != nil {
		t.Fatal(err)
	}
	versions := map[string]string{}
	for _, resource := range []schema.GroupVersionResource{
		{Version: "v1", Resource: "pods"},
		{Version: "v1", Resource: "nodes"},
		{Version: "v1", Resource: "persistentvolumes"},
		{Version: "v1", Resource: "persistentvolumeclaims"},
		{Group: "resource.k8s.io", Version: "v1", Resource: "resourceclaims"},
		{Group: "events.k8s.io", Version: "v1", Resource: "events"},
		{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"},
	} {
		list, err := client.Resource(resource).List(ctx, metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range list.Items {
			if resource.Resource == "leases" && strings.HasPrefix(item.GetName(), "apiserver-") {
				continue // the API server's own, renewed all the time
			}
			versions[resource.Resource+"/"+item.GetNamespace()+"/"+item.GetName()] = item.GetResourceVersion()
		}
	}
	return versions
}
