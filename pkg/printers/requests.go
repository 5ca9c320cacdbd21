package printers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// requestRemarks tell of the resources that a node lacks what its row cannot: where a request comes from that is not
// one container's, and that no node is large enough.
func requestRemarks(e *report.Explanation) []string {
	var lines []string
	lacked, tooLarge := lackedAnywhere(e.Nodes), false
	for _, request := range e.Requests {
		if !lacked[request.Resource] {
			continue
		}
		tooLarge = tooLarge || request.LargerThanAnyNode
		if text := requestText(request); text != "" {
			lines = append(lines, "Requests: "+text)
		}
	}
	if e.LargerThanAnyNode && !tooLarge && len(lacked) > 0 {
		lines = append(lines, "Requests: no node has all of it at once, even empty")
	}
	return lines
}

// lackedAnywhere are the resources of which some node has not enough left.
func lackedAnywhere(nodes []report.Node) map[string]bool {
	lacked := map[string]bool{}
	for _, node := range nodes {
		for _, filter := range node.Filters {
			for _, detail := range filter.Details {
				if d, ok := detail.(report.InsufficientResource); ok {
					lacked[d.Resource] = true
				}
			}
		}
	}
	return lacked
}

// requestText says "cpu 2500m = init migrate 2 + sidecar proxy 500m", or that no node has as much; empty when neither
// is worth a line.
func requestText(r report.Request) string {
	parts := ""
	if len(r.From) > 1 || len(r.From) == 1 && r.From[0].Kind == report.OfInitContainer {
		parts = partsText(r.From)
	}
	switch {
	case r.LargerThanAnyNode:
		return tooLargeText(r, parts)
	case parts != "":
		return r.Resource + " " + readable(r.Requested) + " = " + parts
	}
	return ""
}

func tooLargeText(r report.Request, parts string) string {
	if r.LargestNode == nil {
		return inParentheses(r.Resource+" "+readable(r.Requested), parts) + ": no node has any"
	}
	write := telling(r.Requested, r.LargestNode.Allocatable)
	return fmt.Sprintf("%s is more than any node has, even empty: the largest is %s, %s",
		inParentheses(r.Resource+" "+write(r.Requested), parts), r.LargestNode.Name, write(r.LargestNode.Allocatable))
}

// partNames say what a part of a request belongs to; an ordinary container needs no more than its name.
var partNames = map[report.RequestKind]string{
	report.OfInitContainer: "init",
	report.OfSidecar:       "sidecar",
	report.OfPod:           "the Pod's own",
	report.OfOverhead:      "overhead",
}

// partsText writes a sum; of many parts it counts the last.
func partsText(parts []report.RequestPart) string {
	texts := make([]string, 0, len(parts))
	for _, part := range parts {
		words := []string{partNames[part.Kind], part.Name, readable(part.Requested)}
		texts = append(texts, strings.Join(nonEmpty(words), " "))
	}
	if len(texts) > maxNames+1 {
		more := fmt.Sprintf("%d more", len(texts)-maxNames)
		texts = append(slices.Clone(texts[:maxNames]), more)
	}
	return strings.Join(texts, " + ")
}
