package report

// pluginDetails are facts of plugins that are not in-tree, and of extenders.
var pluginDetails = []Detail{}
