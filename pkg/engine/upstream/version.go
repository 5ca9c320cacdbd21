package upstream

// Version is the Kubernetes version whose scheduler is linked in. A test compares it with go.mod.
const Version = "v1.37.2"
