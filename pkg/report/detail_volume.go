package report

// volumeDetails are facts of VolumeBinding, VolumeZone, VolumeRestrictions and NodeVolumeLimits.
var volumeDetails = []Detail{
	MissingClaim{}, DeletedClaim{}, LostClaim{}, ForeignClaim{}, UnboundClaim{}, MissingStorageClass{}, MissingVolume{},
	ForeignVolume{}, VolumeNodeAffinity{}, NoMatchingVolume{}, SelectedNode{}, AllowedTopologies{}, StorageCapacity{},
	VolumeZone{}, ClaimInUse{}, DiskInUse{}, VolumeLimit{}, MissingDriver{}, PodClaims{},
}

// MissingClaim is a PersistentVolumeClaim that the Pod uses and that does not exist.
type MissingClaim struct {
	Namespace string `json:"namespace"`
	Claim     string `json:"claim"`
	// Ephemeral tells that the claim is one that a controller makes for the Pod.
	Ephemeral bool `json:"ephemeral,omitempty"`
	// Elsewhere are other namespaces that have a claim of that name, sorted.
	Elsewhere []string `json:"elsewhere,omitempty"`
}

// DeletedClaim is a claim that is being deleted.
type DeletedClaim struct {
	Claim string `json:"claim"`
}

// LostClaim is a claim of phase Lost, although its volume is there and is its own.
type LostClaim struct {
	Claim  string `json:"claim"`
	Volume string `json:"volume"`
}

// ForeignClaim is a claim with the name of one that is made for an ephemeral volume of the Pod, but not made for it.
type ForeignClaim struct {
	Claim string `json:"claim"`
	// Owner is who controls the claim, as kind/name; empty when nobody does.
	Owner string `json:"owner,omitempty"`
}

// UnboundClaim is a claim that has to be bound before the Pod can be scheduled.
type UnboundClaim struct {
	Claim string `json:"claim"`
	// Class is the claim's StorageClass; empty when it names none.
	Class string `json:"class,omitempty"`
	// Provisioner is who has to make the volume; empty when a PersistentVolume has to be made by hand.
	Provisioner string `json:"provisioner,omitempty"`
	// Volume is the one PersistentVolume that the claim asks for by name.
	Volume string `json:"volume,omitempty"`
}

// MissingStorageClass is a StorageClass that an unbound claim names and that does not exist.
type MissingStorageClass struct {
	Claim string `json:"claim"`
	Class string `json:"class"`
}

// MissingVolume is a PersistentVolume that a claim names and that does not exist.
type MissingVolume struct {
	Claim  string `json:"claim"`
	Volume string `json:"volume"`
}

// ForeignVolume is a PersistentVolume that a claim names, but that is bound to or kept for another claim.
type ForeignVolume struct {
	Namespace string `json:"namespace"`
	Claim     string `json:"claim"`
	Volume    string `json:"volume"`
	// HolderNamespace and Holder are the claim that has the volume. When they are this claim's own, it is an earlier
	// claim of the same name, with another uid.
	HolderNamespace string `json:"holderNamespace"`
	Holder          string `json:"holder"`
}

// VolumeRequirement is what is asked of one label of a node, and what the node has.
type VolumeRequirement struct {
	Key string `json:"key"`
	// Operator is that of a node selector: In, NotIn, Exists, DoesNotExist, Gt, Lt.
	Operator string   `json:"operator"`
	Values   []string `json:"values,omitempty"`
	// Actual is the node's value; nil when the label is missing.
	Actual *string `json:"actual,omitempty"`
	// Missing tells that the node has no such label.
	Missing bool `json:"missing,omitempty"`
}

// VolumeNodeAffinity is a PersistentVolume that the node cannot reach.
type VolumeNodeAffinity struct {
	Claim  string `json:"claim"`
	Volume string `json:"volume"`
	Class  string `json:"class,omitempty"`
	// Terms are the alternatives of the volume's node affinity, and of each what the node does not meet.
	Terms [][]VolumeRequirement `json:"terms"`
}

// NoMatchingVolume tells why an unbound claim finds no PersistentVolume on the node, when its StorageClass has nobody
// who makes one. Each of the Volumes is counted once: in Elsewhere, Unavailable, Unlike or TooSmall.
type NoMatchingVolume struct {
	Claim       string   `json:"claim"`
	Class       string   `json:"class"`
	Requested   string   `json:"requested"`
	AccessModes []string `json:"accessModes"`
	VolumeMode  string   `json:"volumeMode"`
	// Selector is the claim's, written as kubectl takes it.
	Selector string `json:"selector,omitempty"`
	// Volumes are the PersistentVolumes of the class.
	Volumes int `json:"volumes"`
	// Elsewhere are those that the node cannot reach.
	Elsewhere int `json:"elsewhere"`
	// Unavailable are those that are bound to or kept for another claim, chosen for another volume of the Pod, not in
	// phase Available, or being deleted.
	Unavailable int `json:"unavailable"`
	// Unlike are those that differ in access modes, volume mode, attributes class or from the claim's selector.
	Unlike int `json:"unlike"`
	// TooSmall are the rest.
	TooSmall int `json:"tooSmall"`
	// Largest is the size of the largest of those that are too small.
	Largest string `json:"largest,omitempty"`
}

// SelectedNode is the node for which a volume is being made already.
type SelectedNode struct {
	Claim string `json:"claim"`
	Node  string `json:"node"`
}

// AllowedTopologies is where a StorageClass makes volumes, when that is not the node.
type AllowedTopologies struct {
	Claim string `json:"claim"`
	Class string `json:"class"`
	// Terms are the class's alternatives, and of each what the node does not meet.
	Terms [][]VolumeRequirement `json:"terms"`
}

// StorageCapacity is a volume that does not fit into what the CSI driver says is left for the node.
type StorageCapacity struct {
	Claim     string `json:"claim"`
	Class     string `json:"class"`
	Driver    string `json:"driver"`
	Requested string `json:"requested"`
	// Available is the largest volume that one CSIStorageCapacity of the class allows on the node: its maximumVolumeSize,
	// or else its capacity. It is empty when none of them covers the node, or none tells a size.
	Available string `json:"available,omitempty"`
}

// VolumeZone is a label of a PersistentVolume that the node does not match.
type VolumeZone struct {
	Claim  string `json:"claim"`
	Volume string `json:"volume"`
	// Key is the label's, a zone or a region, and Values what it lists, sorted.
	Key    string   `json:"key"`
	Values []string `json:"values"`
	// Actual is the node's value; nil when the label is missing.
	Actual *string `json:"actual,omitempty"`
	// Missing tells that the node has no such label.
	Missing bool `json:"missing,omitempty"`
}

// ClaimInUse is a claim that one Pod at a time may use (ReadWriteOncePod), and the Pod that has it.
type ClaimInUse struct {
	Namespace string `json:"namespace"`
	Claim     string `json:"claim"`
	// Pod is in the same namespace.
	Pod string `json:"pod"`
	// Node is where the Pod is, or is nominated to be.
	Node string `json:"node"`
}

// DiskInUse is a disk that the Pod names itself and that a Pod on the node uses.
type DiskInUse struct {
	// Kind is the field of the Pod's volume: gcePersistentDisk, awsElasticBlockStore, iscsi, rbd.
	Kind string `json:"kind"`
	Disk string `json:"disk"`
	// Namespace and Pod are the one that uses it.
	Namespace string `json:"namespace"`
	Pod       string `json:"pod"`
}

// VolumeLimit is how many volumes of a CSI driver can be attached to the node: Attached + New > Limit, as
// NodeVolumeLimits counts them.
type VolumeLimit struct {
	Driver string `json:"driver"`
	// Attached are volumes in use on the node, by its Pods or by a VolumeAttachment.
	Attached int `json:"attached"`
	// New are volumes of the Pod that no Pod on the node uses.
	New   int   `json:"new"`
	Limit int64 `json:"limit"`
	// Claims are the claims of the New volumes, sorted.
	Claims []string `json:"claims,omitempty"`
}

// MissingDriver is a CSI driver that the Pod's volumes need and that is not installed on the node.
type MissingDriver struct {
	Driver string   `json:"driver"`
	Claims []string `json:"claims,omitempty"`
	// NoCSINode tells that the node has no CSINode object: no driver registered there.
	NoCSINode bool `json:"noCSINode,omitempty"`
}

// PodClaims are the claims that the Pod uses, when it cannot be told which of them is the reason.
type PodClaims struct {
	Namespace string   `json:"namespace"`
	Claims    []string `json:"claims"`
}

func (MissingClaim) detail()        {}
func (DeletedClaim) detail()        {}
func (LostClaim) detail()           {}
func (ForeignClaim) detail()        {}
func (UnboundClaim) detail()        {}
func (MissingStorageClass) detail() {}
func (MissingVolume) detail()       {}
func (ForeignVolume) detail()       {}
func (VolumeNodeAffinity) detail()  {}
func (NoMatchingVolume) detail()    {}
func (SelectedNode) detail()        {}
func (AllowedTopologies) detail()   {}
func (StorageCapacity) detail()     {}
func (VolumeZone) detail()          {}
func (ClaimInUse) detail()          {}
func (DiskInUse) detail()           {}
func (VolumeLimit) detail()         {}
func (MissingDriver) detail()       {}
func (PodClaims) detail()           {}
