package report

// Story is all about one Pod and one node: what each plugin says, what the node has, and who uses it.
type Story struct {
	NodeName string `json:"nodeName"`
	// Plugins are the PreEnqueue plugins, the PreFilter plugins that reject the Pod or leave the node out, the Filter
	// plugins and the extenders that reject, in the order in which kube-scheduler asks them. Empty for a node on which a
	// DaemonSet wants no Pod.
	Plugins []PluginVerdict `json:"plugins"`
	// Resources are those that the node has or the Pod wants: pods, cpu, memory, ephemeral-storage, the rest by name.
	Resources []ResourceAccount `json:"resources"`
	// Pods are those that the scheduler counts on the node, the largest first by the first resource that is missing, or
	// by cpu.
	Pods []PodUsage `json:"pods"`
}

// ExtensionPoint is where kube-scheduler asks a plugin.
type ExtensionPoint string

// The extension points of a Story.
const (
	// PreEnqueuePoint: before the Pod enters the scheduling queue.
	PreEnqueuePoint ExtensionPoint = "PreEnqueue"
	// PreFilterPoint: once per Pod, before nodes are looked at.
	PreFilterPoint ExtensionPoint = "PreFilter"
	// FilterPoint: for every node.
	FilterPoint ExtensionPoint = "Filter"
	// ExtenderPoint: a scheduler extender, after all plugins, for the nodes that they pass.
	ExtenderPoint ExtensionPoint = "Extender"
)

// Stance is what one plugin has to say.
type Stance string

// The stances of a plugin.
const (
	// Rejects: the plugin is against the node, or, in PreEnqueue and PreFilter, against the Pod as a whole. Of several
	// PreFilter plugins that leave only some nodes, each is said to reject a node that they leave out together.
	Rejects Stance = "Rejects"
	// Passes: the plugin has nothing against it.
	Passes Stance = "Passes"
	// NotInvolved: the Pod gives the plugin nothing to do, as its PreFilter found.
	NotInvolved Stance = "NotInvolved"
	// NotReached: the node was never looked at, since PreEnqueue or PreFilter decided before.
	NotReached Stance = "NotReached"
)

// PluginVerdict is what one plugin says of the node. Its reasons and details are in the node's filters, or for
// PreEnqueue and PreFilter in the Explanation's preFilter.
type PluginVerdict struct {
	Plugin  string         `json:"plugin"`
	Point   ExtensionPoint `json:"point"`
	Verdict Stance         `json:"verdict"`
	// Decides marks the first to reject, where kube-scheduler stops.
	Decides bool `json:"decides,omitempty"`
}

// ResourceAccount is one resource of a node, as the scheduler counts it.
type ResourceAccount struct {
	Resource    string `json:"resource"`
	Allocatable string `json:"allocatable"`
	// Requested is what the node's Pods request, nominated ones included.
	Requested string `json:"requested"`
	// Free is Allocatable less Requested; below zero when the node is overcommitted.
	Free string `json:"free"`
	// Wanted is what the Pod requests.
	Wanted string `json:"wanted"`
	// Missing is by how much Wanted exceeds Free. It is empty when nothing is missing, and when NodeResourcesFit does not
	// ask for the resource here: it is disabled, ignores the resource, or leaves it to DynamicResources.
	Missing string `json:"missing,omitempty"`
}

// PodUsage is what one Pod of the node requests.
type PodUsage struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Priority  int32  `json:"priority"`
	// Requests are cpu, memory, and whatever else the Pod requests.
	Requests map[string]string `json:"requests"`
	// Nominated marks a Pod that is not on the node, but counted there, since preemption makes room for it.
	Nominated bool `json:"nominated,omitempty"`
}

// NewStory returns a Story of the node without nil lists.
func NewStory(node string) *Story {
	return &Story{NodeName: node, Plugins: []PluginVerdict{}, Resources: []ResourceAccount{}, Pods: []PodUsage{}}
}
