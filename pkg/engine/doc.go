// Package engine answers scheduling questions about one cluster.State.
//
// The verdict, the chosen node and the message are kube-scheduler's own, by way of pkg/engine/upstream;
// pkg/engine/reason adds the facts behind them; the answer is a pkg/report value. The package knows no flags, no files,
// no clock and no output.
package engine
