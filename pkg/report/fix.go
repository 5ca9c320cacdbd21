package report

// Fix is a change that was tried on the engine and makes the Pod fit.
type Fix struct {
	// Change is a sentence without subject: "lower the cpu request of container web from 2 to 1500m".
	Change string `json:"change"`
	// Kind is the kind of object that changes: Pod, Node, PersistentVolumeClaim, StorageClass; with two changes that of
	// the first.
	Kind string `json:"kind"`
	// Nodes are the nodes that the change opens, sorted.
	Nodes []string `json:"nodes"`
	// Steps are the one or two changes that Change tells of.
	Steps []Step `json:"steps"`
	// Victims are the Pods that kube-scheduler would evict for the Pod: it does not fit before they are gone.
	Victims []Victim `json:"victims,omitempty"`
}

// Step is the change of one object.
type Step struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	// Patch is a strategic merge patch of the object, in JSON, or with PatchType "merge" a JSON merge patch. For a Pod of
	// a workload it is that of the Pod, while Command changes the workload.
	Patch     string `json:"patch,omitempty"`
	PatchType string `json:"patchType,omitempty"`
	// Create is the object to create, in JSON.
	Create string `json:"create,omitempty"`
	// Recreate tells that the Pod cannot be changed so: it has to be deleted and made anew.
	Recreate bool `json:"recreate,omitempty"`
	// Delete tells that the object goes.
	Delete bool `json:"delete,omitempty"`
	// MovesTo is the node on which a Pod that goes was put in the trial: its owner makes it anew.
	MovesTo string `json:"movesTo,omitempty"`
	// Command does it with kubectl, where there is one command for it.
	Command string `json:"command,omitempty"`
}
