//go:build e2e

package e2e

import (
	"context"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/component-base/metrics/testutil"

	"github.com/kubectl-sched/kubectl-sched/test/e2e/controlplane"
)

// deployedKubectl creates the ServiceAccount and its roles as they are deployed, and returns a kubectl that is it.
func deployedKubectl(ctx context.Context, t *testing.T) kubectl {
	t.Helper()
	create(ctx, t, append(rolesOf(t, deployDir+"/serviceaccount.yaml"), rolesOf(t, deployDir+"/rbac-run.yaml")...)...)
	user := "system:serviceaccount:" + metav1.NamespaceSystem + ":kubectl-sched"
	waitAllowed(ctx, t, user, listNodes)
	waitAllowed(ctx, t, user, authorizationv1.ResourceAttributes{
		Verb: "create", Group: "coordination.k8s.io", Resource: "leases", Namespace: metav1.NamespaceSystem,
	})
	config := rest.CopyConfig(env.Config)
	config.BearerToken = tokenOf(ctx, t, metav1.NamespaceSystem, "kubectl-sched")
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := controlplane.WriteKubeconfig(config, kubeconfig); err != nil {
		t.Fatal(err)
	}
	return env.kubectl.through(kubeconfig)
}

// tokenOf has the API server make a token for a ServiceAccount.
func tokenOf(ctx context.Context, t *testing.T, namespace, name string) string {
	t.Helper()
	request, err := env.Client.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, name,
		&authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("making a token for ServiceAccount %s: %v", name, err)
	}
	return request.Status.Token
}

// deployedArgs are the flags of the Deployment; only the path of the configuration and the port are others.
func deployedArgs(t *testing.T, address string) []string {
	t.Helper()
	deployment := rolesOf(t, deployDir+"/deployment.yaml")[0].(*appsv1.Deployment)
	args := deployment.Spec.Template.Spec.Containers[0].Args
	if args[0] != "run" {
		t.Fatalf("the Deployment runs %q, want run", args[0])
	}
	_, port, _ := net.SplitHostPort(address)
	flags := slices.Clone(args[1:])
	for i, flag := range flags {
		switch {
		case strings.HasPrefix(flag, "--scheduler-config="):
			flags[i] = "--scheduler-config=" + deployDir + "/scheduler-config.yaml"
		case strings.HasPrefix(flag, "--bind-address="):
			host, _, _ := net.SplitHostPort(strings.TrimPrefix(flag, "--bind-address="))
			flags[i] = "--bind-address=" + net.JoinHostPort(host, port)
		}
	}
	return flags
}

// holderOfLease returns who holds the Lease that is deployed; empty when it was given up.
func holderOfLease(ctx context.Context, t *testing.T) string {
	t.Helper()
	lease, err := env.Client.CoordinationV1().Leases(metav1.NamespaceSystem).Get(ctx, "kubectl-sched", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if lease.Spec.HolderIdentity == nil {
		return ""
	}
	return *lease.Spec.HolderIdentity
}

// removeLease removes the Lease that is deployed when the test ends.
func removeLease(ctx context.Context, t *testing.T) {
	t.Helper()
	t.Cleanup(func() {
		leases := env.Client.CoordinationV1().Leases(metav1.NamespaceSystem)
		_ = leases.Delete(context.WithoutCancel(ctx), "kubectl-sched", metav1.DeleteOptions{}) // there may be none
	})
}

// refusedRequests is how many requests the API server has answered with 403 since it was started.
func refusedRequests(ctx context.Context, t *testing.T) float64 {
	t.Helper()
	families, err := testutil.TextToMetricFamilies(strings.NewReader(getMetrics(ctx, t, env.Config.Host)))
	if err != nil {
		t.Fatal(err)
	}
	refused := 0.0
	for _, metric := range families["apiserver_request_total"].GetMetric() {
		if testutil.LabelsMatch(metric, pairsOf("code", strconv.Itoa(http.StatusForbidden))) {
			refused += metric.GetCounter().GetValue()
		}
	}
	return refused
}
