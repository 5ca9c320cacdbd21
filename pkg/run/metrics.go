package run

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// Metrics count what a scheduler decides and how its Bindings fare, beside kube-scheduler's own metrics. They are safe
// for concurrent use.
type Metrics struct {
	registry  metrics.KubeRegistry
	decisions *metrics.CounterVec
	durations *metrics.HistogramVec
	tries     *metrics.Counter
	retries   *metrics.CounterVec
}

// NewMetrics returns Metrics that are all 0.
func NewMetrics() *Metrics {
	m := &Metrics{
		registry: metrics.NewKubeRegistry(),
		decisions: metrics.NewCounterVec(&metrics.CounterOpts{
			Namespace: "kubectl_sched", Name: "decisions_total",
			Help:           "Decisions about Pods, by the profile that decided and what became of the Pod.",
			StabilityLevel: metrics.ALPHA,
		}, []string{"profile", "result"}),
		durations: metrics.NewHistogramVec(&metrics.HistogramOpts{
			Namespace: "kubectl_sched", Name: "decision_duration_seconds",
			Help:           "Time from when a Pod was taken out of the queue until its outcome was known, binding included.",
			Buckets:        metrics.ExponentialBuckets(0.001, 2, 17), // to 65 s: retries of a Binding take half a minute
			StabilityLevel: metrics.ALPHA,
		}, []string{"result"}),
		tries: metrics.NewCounter(&metrics.CounterOpts{
			Namespace: "kubectl_sched", Name: "bind_tries_total",
			Help:           "Binding requests that were sent for Pods whose outcome is known.",
			StabilityLevel: metrics.ALPHA,
		}),
		retries: metrics.NewCounterVec(&metrics.CounterOpts{
			Namespace: "kubectl_sched", Name: "bind_retries_total",
			Help:           "Binding requests that were tried again, by what had gone wrong.",
			StabilityLevel: metrics.ALPHA,
		}, []string{"cause"}),
	}
	m.registry.MustRegister(m.decisions, m.durations, m.tries, m.retries)
	return m
}

// Decided counts a decision, its duration and its Binding requests. A preemption takes no time of its own: it is part
// of the decision about the Pod that preempts.
func (m *Metrics) Decided(decision *report.Decision) {
	result := string(decision.Result)
	m.decisions.WithLabelValues(decision.Profile, result).Inc()
	m.tries.Add(float64(decision.Tries))
	if decision.Result != report.ResultPreempted {
		m.durations.WithLabelValues(result).Observe(decision.LatencyMilliseconds / 1000)
	}
}

// Retried counts a Binding request that is tried again. There should be few causes: each is a time series.
func (m *Metrics) Retried(cause string) { m.retries.WithLabelValues(cause).Inc() }

// Handler answers a scrape with kube-scheduler's metrics, which are the process's, and these.
func (m *Metrics) Handler() http.Handler {
	all := prometheus.Gatherers{legacyregistry.DefaultGatherer, m.registry}
	return metrics.HandlerFor(all, metrics.HandlerOpts{})
}
