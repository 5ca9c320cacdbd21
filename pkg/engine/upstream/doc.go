// Package upstream is the seam to kube-scheduler: its own Scheduler over a cluster.State, never started, with a client
// that has no network.
//
// Beside pkg/engine/reason, which reads constants and arithmetic, it is the only package of the engine that imports
// k8s.io/kubernetes. Everything that decides is called here and copied nowhere: SchedulePod gives the verdict, the
// framework's Filter, Score and PostFilter plugins give the facts, the API server's defaulting, validation and
// admission plugins turn a manifest into a stored Pod. Only the extenders of a scheduler configuration are asked over
// the network, as kube-scheduler asks them.
//
// A Scheduler is not safe for concurrent use; upstream's own code runs one scheduling cycle at a time too.
package upstream
