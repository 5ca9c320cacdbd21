// Package faults is a proxy in front of an API server that goes wrong on purpose: it loses requests and answers, is
// late, and refuses.
//
// What goes wrong is dealt from a shuffled deck with a known number of each fault, so that every fault happens in every
// run, in an order that a seed gives.
package faults
