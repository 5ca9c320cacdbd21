// Package random makes clusters and Pods up, for tests that compare an answer with kube-scheduler's own.
//
// One seed gives one cluster, always the same. The material is meant to be awkward rather than likely: every plugin
// of the default profile finds something to reject, names that are referred to may be missing, and about half of the
// Pods fit. Objects are as an API server stores them, but for API defaults.
package random
