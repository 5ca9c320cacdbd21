package report

// labelDetails are facts of NodeAffinity.
var labelDetails = []Detail{UnmatchedNodeSelector{}, NodesByName{}}

// The sources of a requirement on the node's labels.
const (
	// SourceNodeSelector is the Pod's nodeSelector.
	SourceNodeSelector = "NodeSelector"
	// SourceNodeAffinity is the Pod's required node affinity.
	SourceNodeAffinity = "NodeAffinity"
	// SourceAddedAffinity is the node affinity that the scheduler's profile adds to every Pod.
	SourceAddedAffinity = "AddedAffinity"
)

// UnmatchedNodeSelector is a requirement that the node does not meet. Terms are alternatives, the requirements of one
// term hold together: a node is rejected when every term has a requirement that it does not meet.
type UnmatchedNodeSelector struct {
	// Source is whose requirement it is: NodeSelector, NodeAffinity or AddedAffinity.
	Source string `json:"source"`
	// Term is the place of its term, from 0, and Terms how many there are; a nodeSelector has none.
	Term  *int `json:"term,omitempty"`
	Terms int  `json:"terms,omitempty"`
	// Key is the label, or the field of the node when Field is set.
	Key      string   `json:"key,omitempty"`
	Operator string   `json:"operator,omitempty"`
	Values   []string `json:"values,omitempty"`
	Field    bool     `json:"field,omitempty"`
	// Actual is what the node has; Missing tells that it has no such label.
	Actual  *string `json:"actual,omitempty"`
	Missing bool    `json:"missing,omitempty"`
	// Empty tells that the term has no requirements, or that there is no term at all: that matches no node.
	Empty bool `json:"empty,omitempty"`
	// Invalid tells that the requirement cannot be read, as with an unknown operator: its term matches no node.
	Invalid bool `json:"invalid,omitempty"`
}

// NodesByName tells that the Pod's node affinity asks for nodes by their names: no other node is tried.
type NodesByName struct {
	// Names are the first of the names, sorted, and Count is how many there are.
	Names []string `json:"names,omitempty"`
	Count int      `json:"count"`
	// Conflict tells that every term asks for several names at once, so that no node matches.
	Conflict bool `json:"conflict,omitempty"`
	// Absent are the first of the names that no node has, and AbsentCount is how many there are.
	Absent      []string `json:"absent,omitempty"`
	AbsentCount int      `json:"absentCount,omitempty"`
}

func (UnmatchedNodeSelector) detail() {}
func (NodesByName) detail()           {}
