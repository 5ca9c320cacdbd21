package report

// nodeDetails are facts of NodeResourcesFit, TaintToleration, NodeUnschedulable, NodeName, NodePorts and
// NodeDeclaredFeatures.
var nodeDetails = []Detail{InsufficientResource{}, UntoleratedTaint{}}

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
}

func (InsufficientResource) detail() {}
func (UntoleratedTaint) detail()     {}
