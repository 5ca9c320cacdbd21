// Package controlplane runs a real control plane for the end-to-end tests: etcd, kube-apiserver and kube-scheduler as
// processes of this machine, and small stand-ins for what a cluster would have beside them (a kubelet that lets
// terminating Pods go, a volume controller that binds claims).
//
// Nodes are objects created with a status. Everything listens on 127.0.0.1 and lives in one folder, and dies with the
// test that started it.
package controlplane
