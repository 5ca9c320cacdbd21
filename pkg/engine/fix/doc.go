// Package fix thinks of changes that may make a Pod fit: to the Pod, or to the cluster.
//
// It derives them from the facts of an Explanation and knows nothing of whether they work: pkg/engine tries each and
// shows those that do. A plugin whose rejections can be answered has a row in the table of remedies.
package fix
