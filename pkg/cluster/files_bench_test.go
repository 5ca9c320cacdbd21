package cluster_test

import (
	"fmt"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
)

// podList is a JSON List of n Pods, as kubectl get writes it.
func podList(n int) string {
	var list strings.Builder
	list.WriteString(`{"apiVersion": "v1", "items": [`)
	for i := range n {
		if i > 0 {
			list.WriteString(",")
		}
		fmt.Fprintf(&list, `
    {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "creationTimestamp": "2026-01-31T12:00:00Z",
            "labels": {"app": "web", "pod-template-hash": "7d9f8c6b5"},
            "name": "web-%[1]d", "namespace": "shop", "resourceVersion": "%[1]d", "uid": "5f0c3b1e-%[1]d",
            "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "a", "controller": true}]
        },
        "spec": {
            "containers": [{
                "image": "registry.example/web:1", "imagePullPolicy": "IfNotPresent", "name": "web",
                "env": [{"name": "A", "value": "b"}, {"name": "C", "value": "d"}],
                "ports": [{"containerPort": 8080, "protocol": "TCP"}],
                "resources": {"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "250m", "memory": "256Mi"}},
                "volumeMounts": [{"mountPath": "/var/run/secrets", "name": "token", "readOnly": true}]
            }],
            "nodeName": "node-%[2]d", "priority": 0, "restartPolicy": "Always", "schedulerName": "default-scheduler",
            "tolerations": [{"effect": "NoExecute", "key": "node.kubernetes.io/not-ready", "operator": "Exists", "tolerationSeconds": 300}],
            "volumes": [{"name": "token", "emptyDir": {}}]
        },
        "status": {
            "conditions": [{"status": "True", "type": "Ready", "lastProbeTime": null, "lastTransitionTime": "2026-01-31T12:00:00Z"}],
            "containerStatuses": [{"name": "web", "ready": true, "restartCount": 0, "image": "registry.example/web:1", "imageID": ""}],
            "hostIP": "10.0.0.1", "phase": "Running", "podIP": "10.1.0.1"
        }
    }`, i, i%500)
	}
	list.WriteString("], \"kind\": \"List\", \"metadata\": {\"resourceVersion\": \"\"}}\n")
	return list.String()
}

func BenchmarkReadFiles(b *testing.B) {
	inJSON := podList(20_000)
	inYAML, err := yaml.JSONToYAML([]byte(podList(2_000)))
	if err != nil {
		b.Fatal(err)
	}
	for name, text := range map[string]string{"JSON list of 20000 Pods": inJSON, "YAML list of 2000 Pods": string(inYAML)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := cluster.ReadFiles(b.Context(), []cluster.File{file("f", text)}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
