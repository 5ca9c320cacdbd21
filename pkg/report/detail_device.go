package report

// PodClaim names a ResourceClaim of the Pod.
type PodClaim struct {
	// Claim is what the Pod's spec.resourceClaims calls it; empty for the claim behind an extended resource.
	Claim     string `json:"claim,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	// Name is the ResourceClaim's; empty when it is not known or there is none yet.
	Name string `json:"name,omitempty"`
}

// MissingResourceClaim is a claim of the Pod that does not exist; without a name, the Pod names none.
type MissingResourceClaim struct {
	PodClaim
}

// ResourceClaimNotCreated tells that no claim was made from the template yet.
type ResourceClaimNotCreated struct {
	PodClaim
	Template string `json:"template"`
}

// ResourceClaimDeleting is a claim that is being deleted.
type ResourceClaimDeleting struct {
	PodClaim
}

// ForeignResourceClaim is a claim of the name that the Pod's own should have, made for another owner.
type ForeignResourceClaim struct {
	PodClaim
	// Owner is KIND/NAME of the controller; empty when it has none.
	Owner string `json:"owner,omitempty"`
}

// MissingDeviceClass is a DeviceClass that a claim requests devices of and that does not exist.
type MissingDeviceClass struct {
	PodClaim
	Request string `json:"request"`
	Class   string `json:"class"`
}

// ResourceClaimElsewhere is a claim whose devices are allocated where the node cannot reach them.
type ResourceClaimElsewhere struct {
	PodClaim
	// Devices are DRIVER/POOL/DEVICE, at most three.
	Devices []string `json:"devices"`
	// Nodes are the only ones that reach them, by name, at most three; NodeCount is how many there are.
	Nodes     []string `json:"nodes,omitempty"`
	NodeCount int      `json:"nodeCount,omitempty"`
	// Labels are what nodes that reach them have and this one has not.
	Labels []UnmetLabel `json:"labels,omitempty"`
}

// UnmetLabel is a requirement for a node label and what the node has.
type UnmetLabel struct {
	Key      string   `json:"key"`
	Operator string   `json:"operator"`
	Values   []string `json:"values,omitempty"`
	// Value is the node's; nil when it lacks the label.
	Value *string `json:"value,omitempty"`
}

// DeviceNotReady is an allocated device that cannot be bound yet, or any more.
type DeviceNotReady struct {
	PodClaim
	// Device is DRIVER/POOL/DEVICE.
	Device string `json:"device"`
	// WaitsFor are its binding conditions that are not true.
	WaitsFor []string `json:"waitsFor,omitempty"`
	// Failed is a binding failure condition that is true, with its reason and message.
	Failed  string `json:"failed,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
}

// StaleResourceClaim is the claim that an earlier attempt to schedule the Pod made for its extended resources. It has
// to be deleted first.
type StaleResourceClaim struct {
	PodClaim
}

// ResourceClaimInUse is a claim that takes part in a rejection of which no more is known, and who uses it.
type ResourceClaimInUse struct {
	PodClaim
	// Devices are how many it has.
	Devices int `json:"devices"`
	// ReservedFor are RESOURCE/NAME of others, at most three; Users is how many there are.
	ReservedFor []string `json:"reservedFor,omitempty"`
	Users       int      `json:"users,omitempty"`
}

// DeviceRequest is a request for devices and how many the node has free for it.
type DeviceRequest struct {
	PodClaim
	// Request is the request's name, REQUEST/SUBREQUEST for one of several alternatives; empty for an extended resource.
	Request string `json:"request,omitempty"`
	// Resource is the extended resource that devices provide.
	Resource string `json:"resource,omitempty"`
	Class    string `json:"class"`
	// Wanted is how many devices; for all, how many match, at least one.
	Wanted int64 `json:"wanted"`
	All    bool  `json:"all,omitempty"`
	// Free is how many devices match, are not allocated, and have no untolerated taint, too little capacity or too few
	// counters left.
	Free int `json:"free"`
}

// InsufficientDevices tells that fewer devices are free for a request than it wants. Of those that match, each is
// either free or counted by the first of allocated, tainted, lackCapacity and lackCounters that holds.
type InsufficientDevices struct {
	DeviceRequest
	// Offered is how many devices of all kinds the node reaches, Matching those that every selector takes.
	Offered   int `json:"offered"`
	Matching  int `json:"matching"`
	Allocated int `json:"allocated"`
	Tainted   int `json:"tainted,omitempty"`
	// LackCapacity are too small, or shared and too full.
	LackCapacity int `json:"lackCapacity,omitempty"`
	// LackCounters share counters of their pool with allocated devices that leave too little.
	LackCounters int `json:"lackCounters,omitempty"`
	// FailedSelectors are the CEL expressions, of the class and the request, that an offered device fails first.
	FailedSelectors []string `json:"failedSelectors,omitempty"`
	// UsedBy are the claims, as NAMESPACE/NAME, that have the allocated devices, at most three; Users is how many there
	// are.
	UsedBy []string `json:"usedBy,omitempty"`
	Users  int      `json:"users,omitempty"`
	// Taints are those of the tainted devices, as KEY=VALUE:EFFECT.
	Taints []string `json:"taints,omitempty"`
	// IncompletePools are DRIVER/POOL of those of which ResourceSlices are missing or contradict each other: none of their
	// devices is offered.
	IncompletePools []string `json:"incompletePools,omitempty"`
}

// DevicesNotTogether tells that the node has enough devices for each request, or one of its alternatives, alone, and
// not for all together with what binds them. Which of it fails is not known.
type DevicesNotTogether struct {
	Requests []DeviceRequest `json:"requests"`
	// MatchAttributes must be equal, DistinctAttributes different, on devices of a claim.
	MatchAttributes    []string `json:"matchAttributes,omitempty"`
	DistinctAttributes []string `json:"distinctAttributes,omitempty"`
	// SharedCounters are DRIVER/POOL/COUNTERSET from which several devices draw.
	SharedCounters []string `json:"sharedCounters,omitempty"`
}

// DevicesRequested lists the requests that take part in a rejection of which no more is known.
type DevicesRequested struct {
	Requests []DeviceRequest `json:"requests"`
}

// DeviceSelectorError is a selector that fails on a device, which fails the whole Pod.
type DeviceSelectorError struct {
	PodClaim
	Request  string `json:"request,omitempty"`
	Resource string `json:"resource,omitempty"`
	Class    string `json:"class"`
	// Selector is the CEL expression. Device is DRIVER/POOL/DEVICE.
	Selector string `json:"selector"`
	Device   string `json:"device"`
	Error    string `json:"error"`
}

func (MissingResourceClaim) detail()    {}
func (ResourceClaimNotCreated) detail() {}
func (ResourceClaimDeleting) detail()   {}
func (ForeignResourceClaim) detail()    {}
func (MissingDeviceClass) detail()      {}
func (ResourceClaimElsewhere) detail()  {}
func (DeviceNotReady) detail()          {}
func (StaleResourceClaim) detail()      {}
func (ResourceClaimInUse) detail()      {}
func (InsufficientDevices) detail()     {}
func (DevicesNotTogether) detail()      {}
func (DevicesRequested) detail()        {}
func (DeviceSelectorError) detail()     {}
