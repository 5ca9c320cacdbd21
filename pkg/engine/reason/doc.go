// Package reason adds facts to verdicts that kube-scheduler gave: numbers, names, keys.
//
// An explainer describes and never decides. It is called only for a rejection, keys on the plugin and never takes a
// message apart, and calls upstream's own arithmetic where that is exported; where it has to work something out anew,
// it cites the upstream function, and a contract test holds it against the plugin itself. A new plugin to explain is
// one file and one row in the table.
package reason
