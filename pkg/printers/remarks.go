package printers

import (
	"fmt"
	"slices"
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
		lines = append(lines, "Nominated for "+e.NominatedNodeName+" by an earlier preemption.")
	}
	lines = append(lines, p.preFilterRemarks(e, said)...)
	lines = append(lines, requestRemarks(e)...)
	if e.Next != nil {
		lines = append(lines, nextRemark(e.Next))
	}
	if e.Preemption != nil {
		lines = append(lines, p.preemptionRemark(e.Preemption, said))
	}
	return lines
}

// preFilterRemarks leave out what kube-scheduler's message says already, unless plugins and codes are asked for.
func (p *tablePrinter) preFilterRemarks(e *report.Explanation, said string) []string {
	// Each Pod of a DaemonSet is made for one node: that its nodes are narrowed is no news.
	if isDaemonSet(e) && !noneEvaluated(e.Nodes) {
		return nil
	}
	var lines []string
	for _, r := range e.PreFilter {
		if p.wide || !saidAlready(said, r.Reasons) || e.Verdict == report.Gated && tellsMoreThanGates(r.Details) {
			lines = append(lines, p.preFilterRemark(e, r))
		}
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

// tellsMoreThanGates: the gates' names are all in the message.
func tellsMoreThanGates(details report.Details) bool {
	return slices.ContainsFunc(details, func(detail report.Detail) bool {
		_, isGate := detail.(report.Gate)
		return !isGate
	})
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
