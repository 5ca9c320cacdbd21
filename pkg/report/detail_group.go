package report

// groupDetails are facts of DynamicResources, SchedulingGates, GangScheduling and DeferredPodScheduling.
var groupDetails = []Detail{
	Gate{}, ResizePreemptionDisabled{}, ResizeElsewhere{},
	MissingPodGroup{}, PodGroupTooSmall{}, CompositePodGroupTooSmall{}, PodGroupCycle{},
	MissingResourceClaim{}, ResourceClaimNotCreated{}, ResourceClaimDeleting{}, ForeignResourceClaim{},
	MissingDeviceClass{}, ResourceClaimElsewhere{}, DeviceNotReady{}, StaleResourceClaim{}, ResourceClaimInUse{},
	InsufficientDevices{}, DevicesNotTogether{}, DevicesRequested{}, DeviceSelectorError{},
}

// Gate is a scheduling gate of the Pod: somebody has to remove it before the Pod enters the queue.
type Gate struct {
	Name string `json:"name"`
}

// ResizePreemptionDisabled tells that the node's podPreemptionPolicy forbids to make room for a Pod that grows.
type ResizePreemptionDisabled struct {
	// Owners are those that forbid it, as the node lists them.
	Owners []string `json:"owners"`
}

// ResizeElsewhere tells that the Pod that is to grow is on another node.
type ResizeElsewhere struct {
	NodeName string `json:"nodeName"`
}

// MissingPodGroup is a PodGroup or CompositePodGroup that the Pod, or a group above it, belongs to and that does not
// exist.
type MissingPodGroup struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// PodGroupTooSmall tells that fewer Pods of a group exist than have to start together.
type PodGroupTooSmall struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	MinCount  int    `json:"minCount"`
	// Pods is how many exist, Scheduled how many of them have a node.
	Pods      int `json:"pods"`
	Scheduled int `json:"scheduled"`
	Missing   int `json:"missing"`
	// Members are the first Pods by name, at most three.
	Members []string `json:"members,omitempty"`
}

// CompositePodGroupTooSmall tells that fewer groups of a group of groups are complete than have to start together.
type CompositePodGroupTooSmall struct {
	Namespace     string `json:"namespace"`
	Name          string `json:"name"`
	MinGroupCount int    `json:"minGroupCount"`
	// Groups is how many exist, Complete how many of them have the Pods or groups that they want.
	Groups   int `json:"groups"`
	Complete int `json:"complete"`
}

// PodGroupCycle tells that groups of groups hold each other.
type PodGroupCycle struct {
	Namespace string   `json:"namespace"`
	Names     []string `json:"names"`
}

func (Gate) detail()                      {}
func (ResizePreemptionDisabled) detail()  {}
func (ResizeElsewhere) detail()           {}
func (MissingPodGroup) detail()           {}
func (PodGroupTooSmall) detail()          {}
func (CompositePodGroupTooSmall) detail() {}
func (PodGroupCycle) detail()             {}
