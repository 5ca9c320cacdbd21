// Package e2e holds the end-to-end tests: kubectl-sched through the real kubectl, beside a real kube-scheduler.
//
// They have the build tag e2e and are run by `make test-e2e`, which builds what they need.
package e2e
