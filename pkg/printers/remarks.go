package printers

import (
	"fmt"
	"strings"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// remarks are the lines between headline and nodes: what kube-scheduler says, what PreFilter plugins did, and what
// preemption would do.
func (p *tablePrinter) remarks(e *report.Explanation) []string {
	var lines []string
	said := ""
	// When no node was judged, the headline tells the message.
	if e.Verdict == report.Gated || e.Verdict == report.Unschedulable && len(e.Nodes) > 0 {
		said = e.Message
	}
	if e.Admission == report.AdmittedByServer {
		lines = append(lines, admissionRemark(e.Verdict))
	}
	if said != "" {
		lines = append(lines, speaker(e.Verdict)+" says: "+said)
	}
	if e.NominatedNodeName != "" && e.Verdict != report.Bound {
		lines = append(lines, "Nominated for "+e.NominatedNodeName+
			": kube-scheduler waits for the Pods that it evicted there to end.")
	}
	for _, r := range e.PreFilter {
		// Each Pod of a DaemonSet is made for one node: that its nodes are narrowed is no news.
		if isDaemonSet(e) && !noneEvaluated(e.Nodes) {
			continue
		}
		// A rejection that kube-scheduler's message repeats is told once, unless its plugin and code are asked for.
		if p.wide || !saidAlready(said, r.Reasons) {
			lines = append(lines, p.preFilterRemark(e, r))
		}
	}
	if e.Preemption != nil {
		lines = append(lines, p.preemptionRemark(e.Preemption, said))
	}
	return lines
}

func admissionRemark(verdict report.Verdict) string {
	if verdict == report.Invalid {
		return "Refused by a dry run on the API server."
	}
	return "Admitted by a dry run on the API server."
}

// speaker is who gives the message.
func speaker(verdict report.Verdict) string {
	if verdict == report.Gated {
		return "kube-scheduler's queue"
	}
	return "kube-scheduler"
}

func saidAlready(said string, reasons []string) bool {
	text := strings.Join(reasons, ", ")
	return text != "" && strings.Contains(said, text)
}

// preFilterRemark tells which plugin rejected the Pod or narrowed its nodes.
func (p *tablePrinter) preFilterRemark(e *report.Explanation, r report.Rejection) string {
	text, why := "PreFilter: "+r.Plugin+" rejects the Pod", rejectionText(r, withNumbers)
	switch {
	case e.Verdict == report.Gated:
		text = "PreEnqueue: " + r.Plugin + " keeps the Pod out of the scheduling queue"
	case !noneEvaluated(e.Nodes):
		text = fmt.Sprintf("PreFilter: %s narrows the nodes to %d of %d", r.Plugin, countEvaluated(e.Nodes), len(e.Nodes))
		if !p.wide {
			return text
		}
	}
	text = withMessage(text, why)
	if p.wide {
		text += " [" + r.Code + "]"
	}
	return text
}

func countEvaluated(nodes []report.Node) int {
	evaluated := 0
	for _, n := range nodes {
		if n.Verdict != report.NotEvaluated {
			evaluated++
		}
	}
	return evaluated
}

// preemptionRemark tells whom preemption would evict. Upstream's text against it is left out when it was said already.
func (p *tablePrinter) preemptionRemark(preemption *report.Preemption, said string) string {
	if !preemption.Possible {
		if saidAlready(said, []string{preemption.Message}) {
			return "Preemption: no"
		}
		return "Preemption: " + withMessage("no", strings.TrimPrefix(preemption.Message, "preemption: "))
	}
	if len(preemption.Victims) == 0 {
		return "Preemption: would nominate " + preemption.NodeName + " and evict nothing"
	}
	names := make([]string, 0, len(preemption.Victims))
	for _, v := range preemption.Victims {
		names = append(names, victimText(v))
	}
	victims := listNames(names)
	if p.wide {
		victims = strings.Join(names, ", ")
	}
	return "Preemption: would evict " + victims + " on " + preemption.NodeName
}

// victimText names a Pod that would be evicted: "shop/batch-1 (priority 0)".
func victimText(v report.Victim) string {
	name := v.Name
	if v.Namespace != "" {
		name = v.Namespace + "/" + v.Name
	}
	if v.ViolatesPDB {
		return fmt.Sprintf("%s (priority %d, violates its PodDisruptionBudget)", name, v.Priority)
	}
	return fmt.Sprintf("%s (priority %d)", name, v.Priority)
}
