package run_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	schedulermetrics "k8s.io/kubernetes/pkg/scheduler/metrics"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
	"github.com/kubectl-sched/kubectl-sched/pkg/run"
)

// scrape returns the lines of metrics, by a real request.
func scrape(t *testing.T, metrics *run.Metrics) []string {
	t.Helper()
	server := httptest.NewServer(metrics.Handler())
	defer server.Close()
	response, err := server.Client().Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("got %s, %v: %s", response.Status, err, body)
	}
	if got := response.Header.Get("Content-Type"); !strings.HasPrefix(got, "text/plain; version=0.0.4;") {
		t.Errorf("got Content-Type %q, want that of the text format, which Prometheus insists on", got)
	}
	return strings.Split(strings.TrimSpace(string(body)), "\n")
}

// ours returns the samples that are the Metrics' own, of histograms only those of some buckets.
func ours(lines []string) []string {
	var samples []string
	for _, line := range lines {
		bucket := strings.Contains(line, "_bucket{")
		if strings.HasPrefix(line, "kubectl_sched_") && (!bucket || strings.Contains(line, `le="0.256"`)) {
			samples = append(samples, line)
		}
	}
	return samples
}

func decision(result report.Result, tries int, milliseconds float64) *report.Decision {
	d := report.NewDecision("shop", "web-0")
	d.Profile, d.Result, d.Tries, d.LatencyMilliseconds = "kubectl-sched", result, tries, milliseconds
	return d
}

func TestMetricsCount(t *testing.T) {
	for sentence, c := range map[string]struct {
		count func(*run.Metrics)
		want  []string
	}{
		"nothing yet": {
			count: func(*run.Metrics) {},
			want:  []string{"kubectl_sched_bind_tries_total 0"},
		},
		"decisions by profile and result, with their duration": {
			count: func(m *run.Metrics) {
				m.Decided(decision(report.ResultBound, 1, 200))
				m.Decided(decision(report.ResultBound, 3, 300))
				m.Decided(decision(report.ResultUnschedulable, 0, 1))
			},
			want: []string{
				"kubectl_sched_bind_tries_total 4",
				`kubectl_sched_decision_duration_seconds_bucket{result="Bound",le="0.256"} 1`,
				`kubectl_sched_decision_duration_seconds_sum{result="Bound"} 0.5`,
				`kubectl_sched_decision_duration_seconds_count{result="Bound"} 2`,
				`kubectl_sched_decision_duration_seconds_bucket{result="Unschedulable",le="0.256"} 1`,
				`kubectl_sched_decision_duration_seconds_sum{result="Unschedulable"} 0.001`,
				`kubectl_sched_decision_duration_seconds_count{result="Unschedulable"} 1`,
				`kubectl_sched_decisions_total{profile="kubectl-sched",result="Bound"} 2`,
				`kubectl_sched_decisions_total{profile="kubectl-sched",result="Unschedulable"} 1`,
			},
		},
		"a preemption, which takes no time of its own": {
			count: func(m *run.Metrics) { m.Decided(decision(report.ResultPreempted, 0, 0)) },
			want: []string{
				"kubectl_sched_bind_tries_total 0",
				`kubectl_sched_decisions_total{profile="kubectl-sched",result="Preempted"} 1`,
			},
		},
		"retries by cause": {
			count: func(m *run.Metrics) {
				m.Retried("conflict")
				m.Retried("overloaded")
				m.Retried("conflict")
			},
			want: []string{
				`kubectl_sched_bind_retries_total{cause="conflict"} 2`,
				`kubectl_sched_bind_retries_total{cause="overloaded"} 1`,
				"kubectl_sched_bind_tries_total 0",
			},
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			metrics := run.NewMetrics()
			c.count(metrics)
			if diff := cmp.Diff(c.want, ours(scrape(t, metrics))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// One scrape has kube-scheduler's metrics and ours, each family once.
func TestMetricsAreScrapedTogether(t *testing.T) {
	schedulermetrics.Register()
	schedulermetrics.PodScheduled("kubectl-sched", 0.1)
	metrics := run.NewMetrics()
	metrics.Decided(decision(report.ResultBound, 1, 100))
	metrics.Retried("conflict")
	families := map[string]int{}
	for _, line := range scrape(t, metrics) {
		if rest, ok := strings.CutPrefix(line, "# TYPE "); ok {
			name, _, _ := strings.Cut(rest, " ")
			families[name]++
		}
	}
	for name, times := range families {
		if times != 1 {
			t.Errorf("%s is there %d times", name, times)
		}
	}
	for _, name := range []string{
		"kubectl_sched_bind_retries_total", "kubectl_sched_bind_tries_total", "kubectl_sched_decision_duration_seconds",
		"kubectl_sched_decisions_total", "scheduler_schedule_attempts_total", "go_goroutines",
	} {
		if families[name] == 0 {
			t.Errorf("%s is not there", name)
		}
	}
}

// Metrics share nothing, and are counted by many goroutines while they are scraped.
func TestMetricsAreCountedAtAnyTime(t *testing.T) {
	one, other := run.NewMetrics(), run.NewMetrics()
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 25 {
				one.Decided(decision(report.ResultGone, 1, 0))
			}
		})
	}
	scrape(t, one)
	group.Wait()
	want := `kubectl_sched_decisions_total{profile="kubectl-sched",result="Gone"} 100`
	if got := ours(scrape(t, one)); got[len(got)-1] != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if diff := cmp.Diff([]string{"kubectl_sched_bind_tries_total 0"}, ours(scrape(t, other))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
