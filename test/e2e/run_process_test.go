//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/component-base/metrics/testutil"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// goroutinesOf reads how many goroutines the process has whose endpoints are at the address.
func goroutinesOf(ctx context.Context, t *testing.T, address string) float64 {
	t.Helper()
	families, err := testutil.TextToMetricFamilies(strings.NewReader(getMetrics(ctx, t, "http://"+address)))
	if err != nil {
		t.Fatal(err)
	}
	return families["go_goroutines"].GetMetric()[0].GetGauge().GetValue()
}

// waitGoroutines waits until the process has hardly more goroutines than it had, and says how many it has.
func waitGoroutines(ctx context.Context, t *testing.T, address string, had float64) float64 {
	t.Helper()
	const others = 10 // connections, the scrape itself
	var has float64
	err := wait.PollUntilContextTimeout(ctx, time.Second, decisionTimeout, true, func(context.Context) (bool, error) {
		has = goroutinesOf(ctx, t, address)
		return has <= had+others, nil
	})
	if err != nil {
		t.Errorf("the process has %v goroutines, and had %v at the beginning", has, had)
	}
	return has
}

// sampleMemory reads how much memory a process has, in MiB, every second until the context ends; nothing where only
// Linux could tell.
func sampleMemory(ctx context.Context, t *testing.T, pid int) []float64 {
	t.Helper()
	var samples []float64
	every(ctx, time.Second, func(int) {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			return
		}
		var kibibytes float64
		_, rss, _ := strings.Cut(string(status), "\nVmRSS:")
		if _, err := fmt.Sscan(rss, &kibibytes); err != nil {
			t.Errorf("no VmRSS in the status of process %d: %v", pid, err)
		}
		samples = append(samples, kibibytes/1024)
	})
	return samples
}

// memoryGrowth complains about a process that needs more and more memory, and more so than another one, which has the
// same work: events that the API server does not take fast enough wait in both. The last quarter of the samples is
// compared with the second one, for the first has the start in it.
func memoryGrowth(samples, others []float64) []string {
	const most, mostBeyond = 1.5, 1.2
	growth := func(samples []float64) float64 {
		if medians := quarters(samples); medians != nil {
			return medians[3] / medians[1]
		}
		return 1
	}
	if grown := growth(samples); grown > most && grown > mostBeyond*growth(others) {
		return []string{fmt.Sprintf("memory grew from quarter to quarter: %.0f MiB, the other's %.0f MiB", quarters(samples),
			quarters(others))}
	}
	return nil
}

// quarters are the medians of the four quarters of the samples; none when there are too few.
func quarters(samples []float64) []float64 {
	if len(samples) < 4 {
		return nil
	}
	return several(4, func(i int) float64 { return median(samples[i*len(samples)/4 : (i+1)*len(samples)/4]) })
}

func median(values []float64) float64 { return quantile(values, 0.5) }

// quantile is the value that as large a part of the values is not above; 0 when there are none.
func quantile(values []float64, part float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(len(sorted)-1, int(part*float64(len(sorted))))]
}

// latencies are how many milliseconds the Bound decisions took.
func latencies(decisions []report.Decision) []float64 {
	var all []float64
	for _, decision := range decisions {
		if decision.Result == report.ResultBound {
			all = append(all, decision.LatencyMilliseconds)
		}
	}
	return all
}

// resultsOf says how many decisions have each result.
func resultsOf(decisions []report.Decision) string {
	counts := map[report.Result]int{}
	for _, decision := range decisions {
		counts[decision.Result]++
	}
	var parts []string
	for _, result := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[result], result))
	}
	return strings.Join(parts, ", ")
}
