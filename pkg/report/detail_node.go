package report

// nodeDetails are facts of NodeResourcesFit, TaintToleration, NodeUnschedulable, NodeName, NodePorts and
// NodeDeclaredFeatures.
var nodeDetails = []Detail{
	InsufficientResource{}, UntoleratedTaint{}, CordonedNode{}, WrongNode{}, PortInUse{}, MissingFeature{},
}

// InsufficientResource tells what the Pod asks, what the node's Pods use, what the node has, and what lacks.
type InsufficientResource struct {
	Resource    string `json:"resource"`
	Requested   string `json:"requested"`
	Used        string `json:"used"`
	Allocatable string `json:"allocatable"`
	Missing     string `json:"missing"`
}

// UntoleratedTaint is a taint that no toleration of the Pod matches.
type UntoleratedTaint struct {
	Key    string `json:"key"`
	Value  string `json:"value,omitempty"`
	Effect string `json:"effect"`
	// Toleration is what the Pod would need to tolerate this taint and no other.
	Toleration Toleration `json:"toleration,omitzero"`
}

// Toleration has the fields of a Pod's toleration that say which taints it matches.
type Toleration struct {
	Key      string `json:"key"`
	Operator string `json:"operator"`
	Value    string `json:"value,omitempty"`
	Effect   string `json:"effect"`
}

// CordonedNode tells that the node takes no new Pods (spec.unschedulable), whatever its taints.
type CordonedNode struct {
	// Toleration is what the Pod would need to go there all the same.
	Toleration Toleration `json:"toleration"`
}

// WrongNode tells that the Pod names another node in spec.nodeName.
type WrongNode struct {
	Wanted string `json:"wanted"`
	// Exists tells whether the wanted node is among the nodes.
	Exists bool `json:"exists"`
}

// PortInUse is a host port of the Pod's that a Pod of the node holds. There is one for each port and each holder.
type PortInUse struct {
	// HostIP, Protocol and Port are what the Pod wants; 0.0.0.0 is every IP.
	HostIP   string `json:"hostIP"`
	Protocol string `json:"protocol"`
	Port     int32  `json:"port"`
	// HeldIP is the IP on which the holder has the port; 0.0.0.0 is every IP.
	HeldIP string `json:"heldIP"`
	// Namespace and Name are the holder's.
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Nominated tells that the holder is not there yet: the node is kept for it.
	Nominated bool `json:"nominated,omitempty"`
}

// MissingFeature is a feature that the Pod needs of a node and the node does not declare.
type MissingFeature struct {
	Feature string `json:"feature"`
	// KubeletVersion is that of the node, when it tells.
	KubeletVersion string `json:"kubeletVersion,omitempty"`
}

func (InsufficientResource) detail() {}
func (UntoleratedTaint) detail()     {}
func (CordonedNode) detail()         {}
func (WrongNode) detail()            {}
func (PortInUse) detail()            {}
func (MissingFeature) detail()       {}
