package printers

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

func TestRequestRemarks(t *testing.T) {
	part := func(kind report.RequestKind, name, requested string) report.RequestPart {
		return report.RequestPart{Kind: kind, Name: name, Requested: requested}
	}
	cpu := func(requested string, parts ...report.RequestPart) report.Request {
		return report.Request{Resource: "cpu", Requested: requested, From: parts,
			LargestNode: &report.NodeAmount{Name: "big", Allocatable: "16"}}
	}
	tooLarge := func(request report.Request) report.Request {
		request.LargerThanAnyNode = true
		return request
	}
	main := func(requested string) report.RequestPart { return part(report.OfContainer, "main", requested) }
	tests := map[string]struct {
		requests []report.Request
		// together tells that no node has all at once.
		together bool
		// lacked is the resource that a node has not enough of.
		lacked string
		want   []string
	}{
		"one container's request is no news": {
			requests: []report.Request{cpu("2", main("2"))},
			lacked:   "cpu",
		},
		"a sum that no node lacks is no news": {
			requests: []report.Request{cpu("3", main("2"), part(report.OfContainer, "log", "1"))},
			lacked:   "memory",
		},
		"a sum": {
			requests: []report.Request{
				cpu("2500m", part(report.OfInitContainer, "migrate", "2"), part(report.OfSidecar, "proxy", "500m"))},
			lacked: "cpu",
			want:   []string{"Requests: cpu 2500m = init migrate 2 + sidecar proxy 500m"},
		},
		"an init container alone": {
			requests: []report.Request{cpu("2", part(report.OfInitContainer, "migrate", "2"))},
			lacked:   "cpu",
			want:     []string{"Requests: cpu 2 = init migrate 2"},
		},
		"the Pod's own request with overhead": {
			requests: []report.Request{cpu("3250m", part(report.OfPod, "", "3"), part(report.OfOverhead, "", "250m"))},
			lacked:   "cpu",
			want:     []string{"Requests: cpu 3250m = the Pod's own 3 + overhead 250m"},
		},
		"a long sum": {
			requests: []report.Request{cpu("5", main("1"), main("1"), main("1"), main("1"), main("1"))},
			lacked:   "cpu",
			want:     []string{"Requests: cpu 5 = main 1 + main 1 + main 1 + 2 more"},
		},
		"more than any node has": {
			requests: []report.Request{tooLarge(cpu("64", main("64")))},
			together: true,
			lacked:   "cpu",
			want:     []string{"Requests: cpu 64 is more than any node has, even empty: the largest is big, 16"},
		},
		"a sum that is more than any node has": {
			requests: []report.Request{tooLarge(cpu("17", main("16"), part(report.OfOverhead, "", "1")))},
			together: true,
			lacked:   "cpu",
			want: []string{
				"Requests: cpu 17 (main 16 + overhead 1) is more than any node has, even empty: the largest is big, 16"},
		},
		"amounts that look alike in few digits": {
			requests: []report.Request{tooLarge(report.Request{Resource: "memory", Requested: "24302737Ki",
				LargestNode: &report.NodeAmount{Name: "big", Allocatable: "24302736Ki"}})},
			together: true,
			lacked:   "memory",
			want: []string{
				"Requests: memory 24302737Ki is more than any node has, even empty: the largest is big, 24302736Ki"},
		},
		"a resource that no node has": {
			requests: []report.Request{{Resource: "example.com/gpu", Requested: "1", LargerThanAnyNode: true}},
			together: true,
			lacked:   "example.com/gpu",
			want:     []string{"Requests: example.com/gpu 1: no node has any"},
		},
		"enough of each resource, but never at once": {
			requests: []report.Request{cpu("16", main("16"))},
			together: true,
			lacked:   "cpu",
			want:     []string{"Requests: no node has all of it at once, even empty"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := requestRemarks(&report.Explanation{
				Requests: test.requests, LargerThanAnyNode: test.together,
				Nodes: []report.Node{{Filters: []report.Rejection{{
					Details: report.Details{report.InsufficientResource{Resource: test.lacked}}}}}},
			})
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("remarks (-want +got)\n%s", diff)
			}
		})
	}
}
