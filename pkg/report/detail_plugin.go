package report

// pluginDetails are facts of plugins that are not in-tree, and of extenders.
var pluginDetails = []Detail{ExtenderRefusal{}, PluginFact{}}

// ExtenderRefusal tells which extender refuses the node; why is its own text.
type ExtenderRefusal struct {
	// Extender is its URL, without credentials and query.
	Extender string `json:"extender"`
	// Unresolvable tells that preempting Pods would not change its mind.
	Unresolvable bool `json:"unresolvable,omitempty"`
}

// PluginFact is what a plugin that is not in-tree tells about its rejection, in its own words.
type PluginFact struct {
	Facts map[string]string `json:"facts"`
}

func (ExtenderRefusal) detail() {}
func (PluginFact) detail()      {}
