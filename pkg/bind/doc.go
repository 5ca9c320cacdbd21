// Package bind carries out one decision reliably: it posts the Binding of a Pod, tries again what may be tried again,
// and reads back what nobody answered.
//
// It also writes the events that go with decisions, and holds the Lease that keeps two runs apart. It decides nothing
// and knows no scheduler: what must still be true just before a Binding is handed in as a function.
package bind
