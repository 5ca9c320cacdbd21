// Package run holds kube-scheduler's Scheduler over a cluster that changes: its caches are fed by informers, it
// assumes what it decides, and what it decides is carried out by a Binder.
//
// There are two ways to drive it, and every scheduling and binding cycle is upstream's own ScheduleOne in both:
//
//   - a Loop is upstream's Scheduler started, with its own queue, failure handling and preemption; it only looks on,
//     and tells every decision (loop*.go, flights.go);
//   - a Session takes up given Pods, one after the other, and evicts nobody: this package says which Pod comes next,
//     watches what becomes of it, and judges once more just before a Binding (session.go, pass.go, item.go and the
//     rest).
//
// What both know of the cluster is in a feed (feed.go). Nothing here prints or knows flags.
package run
