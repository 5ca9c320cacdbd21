package run_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/run"
)

// An update replaces the whole object: what a scheduler has no use for must be in it all the same.
func TestUpdatesKeepWhatUsersWrote(t *testing.T) {
	const claim, volume = claimPath + "made", "/api/v1/persistentvolumes/free"
	server := newAPIServer(t, nodeText("n1"), nodeText("n2"), volumes, podText("a", "1", `volumes: [
    {name: made, persistentVolumeClaim: {claimName: made}}, {name: found, persistentVolumeClaim: {claimName: waiting}}]`))
	applied := map[string]string{corev1.LastAppliedConfigAnnotation: "{}"}
	managed := []metav1.ManagedFieldsEntry{{Manager: "kubectl", Operation: metav1.ManagedFieldsOperationApply}}
	edit(server.store, claim, func(claim *corev1.PersistentVolumeClaim) {
		claim.Annotations, claim.ManagedFields = applied, managed
	})
	edit(server.store, volume, func(volume *corev1.PersistentVolume) {
		volume.Annotations, volume.ManagedFields = applied, managed
	})
	var mu sync.Mutex
	var updated []string
	server.before = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut {
			mu.Lock()
			defer mu.Unlock()
			updated = append(updated, r.URL.Path)
		}
		return server.controlVolumes(w, r)
	}
	bindings := bindWaiting(t, server.session(run.Options{Binder: server.binder()}))
	if diff := cmp.Diff([]string{"a Bound n1"}, lines(bindings)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	mu.Lock()
	defer mu.Unlock()
	slices.Sort(updated)
	if diff := cmp.Diff([]string{claim, volume}, updated); diff != "" {
		t.Errorf("updates (-want +got):\n%s", diff)
	}
	for _, path := range []string{claim, volume} {
		object := server.get(path)
		if diff := cmp.Diff(managed, object.GetManagedFields()); diff != "" {
			t.Errorf("managedFields of %s (-want +got):\n%s", path, diff)
		}
		if object.GetAnnotations()[corev1.LastAppliedConfigAnnotation] != "{}" {
			t.Errorf("annotations of %s: %v", path, object.GetAnnotations())
		}
	}
}

// While its volumes are bound, a Pod is nominated for its node. It must not keep others off when it does not get there.
func TestNominationsAreTakenBack(t *testing.T) {
	server := newAPIServer(t, nodeText("n1"), nodeText("n2"), volumes,
		podText("a", "1", "volumes: [{name: data, persistentVolumeClaim: {claimName: waiting}}]"))
	var nominated []string // what is stored when a Binding comes
	server.before = func(w http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/binding") {
			nominated = append(nominated, server.get(podA).(*corev1.Pod).Status.NominatedNodeName)
		}
		return forbid(w, r, []string{podA + "/binding"}) || server.controlVolumes(w, r)
	}
	bindings := bindWaiting(t, server.session(run.Options{Binder: server.binder()}))
	want := []string{"a Failed n1: not allowed to create pods/binding in namespace default: forbidden: no right"}
	if diff := cmp.Diff(want, lines(bindings)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"n1"}, nominated); diff != "" {
		t.Errorf("nominated before the Binding (-want +got):\n%s", diff)
	}
	if now := server.get(podA).(*corev1.Pod).Status.NominatedNodeName; now != "" {
		t.Errorf("the Pod is still nominated for %s", now)
	}
}

// volumes are a claim that is bound and for one Pod only, one that waits for a Pod and finds a volume on n1, and one
// for which a volume is to be made.
var volumes = strings.Join([]string{localClass, localVolumeText("free", "n1"), localClaimText("waiting"), `
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: made}
provisioner: example.com/maker
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: mine}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOncePod]
  storageClassName: local
  claimRef: {namespace: default, name: mine, uid: uid-mine}
  csi: {driver: example.com/maker, volumeHandle: mine}
status: {phase: Bound}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: mine, namespace: default, uid: uid-mine, annotations: {pv.kubernetes.io/bind-completed: "yes"}}
spec: {accessModes: [ReadWriteOncePod], storageClassName: local, volumeName: mine, resources: {requests: {storage: 1Gi}}}
status: {phase: Bound}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: made, namespace: default, uid: uid-made}
spec: {accessModes: [ReadWriteOnce], storageClassName: made, resources: {requests: {storage: 1Gi}}}`}, "\n---")

const claimPath = "/api/v1/namespaces/default/persistentvolumeclaims/"

// controlVolumes does what the controllers of volumes do after a scheduler's update: the volume is made if need be, and
// the claim is bound.
func (s *apiServer) controlVolumes(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodPut {
		return false
	}
	s.mux.ServeHTTP(w, r)
	claim, volume := claimPath+"made", "made"
	switch object := s.get(r.URL.Path).(type) {
	case *corev1.PersistentVolume:
		claim, volume = claimPath+object.Spec.ClaimRef.Name, object.Name
	case *corev1.PersistentVolumeClaim:
		s.put(&corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: volume}})
	}
	edit(s.store, claim, func(claim *corev1.PersistentVolumeClaim) {
		metav1.SetMetaDataAnnotation(&claim.ObjectMeta, "pv.kubernetes.io/bind-completed", "yes")
		claim.Spec.VolumeName, claim.Status.Phase = volume, corev1.ClaimBound
	})
	return true
}
