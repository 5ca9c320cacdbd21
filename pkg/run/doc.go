// Package run holds kube-scheduler's Scheduler over a cluster that changes: its caches are fed by informers, it
// assumes what it decides, and what it decides is carried out by a Binder.
//
// Every scheduling and binding cycle is upstream's own ScheduleOne. This package says which Pod comes next, watches
// what becomes of it, and judges once more just before a Binding.
package run
