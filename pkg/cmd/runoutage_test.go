package cmd

import (
	"testing"
	"time"
)

// An outage is told once when it lasts, and once more when it is over.
func TestOutagesAreToldOnce(t *testing.T) {
	start := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	const gone = "Nodes and Pods are not watched since 12:00:01: the API server is out of reach, and decisions go by " +
		"what was known then."
	seen := outage{heard: start}
	for _, step := range []struct {
		second  int
		watched bool
		want    string
	}{
		{1, true, ""},
		{2, false, ""},
		{6, false, ""},
		{7, false, gone},
		{8, false, ""},
		{9, true, "The watches of Nodes and Pods are back."},
		{10, true, ""},
		{12, false, ""},
		{13, true, ""},
	} {
		if got := seen.see(start.Add(time.Duration(step.second)*time.Second), step.watched); got != step.want {
			t.Errorf("second %d: got %q, want %q", step.second, got, step.want)
		}
	}
}
