package report

// Next is what would come next for a Pod that plugins reject before any node is looked at: every node judged with those
// plugins set aside. It is no verdict, since kube-scheduler never gets there.
type Next struct {
	// SetAside are the plugins that were left out, sorted.
	SetAside []string `json:"setAside"`
	// PreFilter are the PreFilter plugins that narrow the nodes then.
	PreFilter []Rejection `json:"preFilter"`
	// Nodes are all nodes, the feasible ones first, otherwise by name. They have no scores.
	Nodes []Node `json:"nodes"`
}
