// Package report holds the result types that every verb prints: what stands behind -o json and -o yaml.
//
// The shapes are a contract with scripts: a field may be added, none may change its meaning. The package knows no
// scheduler, no cluster and no printer; a report is filled by pkg/engine and read by pkg/printers.
package report
