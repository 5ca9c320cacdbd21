package cmd_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/cli-runtime/pkg/resource"
	"k8s.io/utils/ptr"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// A namespace that is made by the same `kubectl apply` would not be there for its dry run on the server.
func TestDeployedObjectsAreInKubeSystem(t *testing.T) {
	for _, info := range kustomized(t, deployDir) {
		kind := info.Object.GetObjectKind().GroupVersionKind().Kind
		clusterwide := kind == "ClusterRole" || kind == "ClusterRoleBinding"
		if kind == "Namespace" || !clusterwide && info.Namespace != metav1.NamespaceSystem {
			t.Errorf("%s %s is in namespace %q, want %s", kind, info.Name, info.Namespace, metav1.NamespaceSystem)
		}
	}
}

func TestDeploymentGivesFlagsThatExist(t *testing.T) {
	wantFlagsThatExist(t, theContainer(t, the[*appsv1.Deployment](t, kustomized(t, deployDir))).Args)
}

// Whoever is named in a binding exists, and what is bound is what deploy/rbac-run.yaml says: kustomize renames what it
// takes for the name of another object.
func TestDeploymentRunsWithTheRolesOfRun(t *testing.T) {
	all := kustomized(t, deployDir)
	deployment, account := the[*appsv1.Deployment](t, all), the[*corev1.ServiceAccount](t, all)
	if got := deployment.Spec.Template.Spec.ServiceAccountName; got != account.Name {
		t.Errorf("the Deployment runs as %q, the ServiceAccount is %q", got, account.Name)
	}
	subjects := []rbacv1.Subject{{Kind: "ServiceAccount", Name: account.Name, Namespace: account.Namespace}}
	roles := read(t, &resource.FilenameOptions{Filenames: []string{deployDir + "/rbac-run.yaml"}})

	clusterRole, role := the[*rbacv1.ClusterRole](t, roles), the[*rbacv1.Role](t, roles)
	got := []any{
		the[*rbacv1.ClusterRole](t, all).Rules, the[*rbacv1.Role](t, all).Rules,
		the[*rbacv1.ClusterRoleBinding](t, all).RoleRef, the[*rbacv1.ClusterRoleBinding](t, all).Subjects,
		the[*rbacv1.RoleBinding](t, all).RoleRef, the[*rbacv1.RoleBinding](t, all).Subjects,
	}
	want := []any{
		clusterRole.Rules, role.Rules,
		rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: clusterRole.Name}, subjects,
		rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name}, subjects,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("roles and bindings (-want +got):\n%s", diff)
	}
}

// The Pod Security Standard "restricted", and a file system that nobody writes to.
func TestDeploymentIsRestricted(t *testing.T) {
	deployment := the[*appsv1.Deployment](t, kustomized(t, deployDir))
	wantPod := &corev1.PodSecurityContext{
		RunAsNonRoot:   ptr.To(true),
		RunAsUser:      ptr.To[int64](65532), // the USER of deploy/Dockerfile
		RunAsGroup:     ptr.To[int64](65532),
		SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
	if diff := cmp.Diff(wantPod, deployment.Spec.Template.Spec.SecurityContext); diff != "" {
		t.Errorf("securityContext of the Pod (-want +got):\n%s", diff)
	}
	wantContainer := &corev1.SecurityContext{
		AllowPrivilegeEscalation: ptr.To(false),
		ReadOnlyRootFilesystem:   ptr.To(true),
		Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
	}
	if diff := cmp.Diff(wantContainer, theContainer(t, deployment).SecurityContext); diff != "" {
		t.Errorf("securityContext of the container (-want +got):\n%s", diff)
	}
}

func TestProbesAskTheAddressThatIsServed(t *testing.T) {
	container := theContainer(t, the[*appsv1.Deployment](t, kustomized(t, deployDir)))
	wantPorts := []corev1.ContainerPort{{Name: "https", ContainerPort: 10261}}
	if diff := cmp.Diff(wantPorts, container.Ports); diff != "" {
		t.Errorf("ports (-want +got):\n%s", diff)
	}
	if address := "--bind-address=0.0.0.0:10261"; !slices.Contains(container.Args, address) {
		t.Errorf("the arguments are %q, without %s", container.Args, address)
	}
	for path, probes := range map[string][]*corev1.Probe{
		"/livez":  {container.StartupProbe, container.LivenessProbe},
		"/readyz": {container.ReadinessProbe},
	} {
		want := &corev1.HTTPGetAction{Path: path, Port: intstr.FromString("https"), Scheme: corev1.URISchemeHTTPS}
		for _, probe := range probes {
			if diff := cmp.Diff(want, probe.HTTPGet); diff != "" {
				t.Errorf("probe of %s (-want +got):\n%s", path, diff)
			}
		}
	}
}

// All that picks the Pods by their labels picks these.
func TestSelectorsPickTheDeployedPods(t *testing.T) {
	all := kustomized(t, deployDir)
	deployment := the[*appsv1.Deployment](t, all)
	want := &metav1.LabelSelector{MatchLabels: deployment.Spec.Template.Labels}
	selectors := map[string]*metav1.LabelSelector{
		"Deployment":          deployment.Spec.Selector,
		"PodDisruptionBudget": the[*policyv1.PodDisruptionBudget](t, all).Spec.Selector,
	}
	for _, constraint := range deployment.Spec.Template.Spec.TopologySpreadConstraints {
		selectors["spreading over "+constraint.TopologyKey] = constraint.LabelSelector
	}
	for what, got := range selectors {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("selector of the %s (-want +got):\n%s", what, diff)
		}
	}
}

// The test Pod is one for a profile of the configuration, which is the one that the Deployment mounts.
func TestConfigurationSchedulesTheTestPod(t *testing.T) {
	all := kustomized(t, deployDir)
	deployment, config := the[*appsv1.Deployment](t, all), the[*corev1.ConfigMap](t, all)
	container := theContainer(t, deployment)
	path := container.VolumeMounts[0].MountPath + "/scheduler-config.yaml"
	if !slices.Contains(container.Args, "--scheduler-config="+path) {
		t.Errorf("the arguments are %q, without --scheduler-config=%s", container.Args, path)
	}
	if got := deployment.Spec.Template.Spec.Volumes[0].ConfigMap.Name; got != config.Name {
		t.Errorf("the ConfigMap %q is mounted, want %q", got, config.Name)
	}
	got := explainTestPod(t, deployDir+"/scheduler-config.yaml")
	if got.Profile != schedName || got.Verdict != report.Schedulable {
		t.Errorf("the test Pod is %s by %q, want Schedulable by %s", got.Verdict, got.Profile, schedName)
	}
}

// Whoever deploys says where images come from.
func TestNoImageNamesARegistry(t *testing.T) {
	images := []string{
		theContainer(t, the[*appsv1.Deployment](t, kustomized(t, deployDir))).Image,
		the[*corev1.Pod](t, read(t, &resource.FilenameOptions{Filenames: []string{deployDir + "/test-pod.yaml"}})).
			Spec.Containers[0].Image,
	}
	dockerfile, err := os.ReadFile(deployDir + "/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range regexp.MustCompile(`(?m)^FROM (?:--\S+ )?(\S+)`).FindAllSubmatch(dockerfile, -1) {
		images = append(images, string(from[1]))
	}
	if len(images) != 4 {
		t.Errorf("the images are %q, want 4", images)
	}
	for _, image := range images {
		if strings.Contains(image, "/") {
			t.Errorf("the image %q names a registry", image)
		}
	}
}
