package printers_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-sched/kubectl-sched/pkg/printers"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

func TestRates(t *testing.T) {
	const bound, failed = report.ResultBound, report.ResultFailed
	type rates = map[report.Result]printers.Rate
	tests := map[string]struct {
		// feed has at how many seconds after the start how many Pods were bound, in this order; negative ones failed.
		feed []struct{ at, pods float64 }
		now  float64
		want rates
	}{
		"nothing yet": {want: rates{}},
		"an even flow is the same over both windows": {
			feed: evenly(0, 120, 50), now: 120,
			want: rates{bound: {TenSeconds: 50, Minute: 50}},
		},
		"what has ended counts over the longer window only": {
			feed: evenly(0, 60, 30), now: 90,
			want: rates{bound: {Minute: 15}},
		},
		"what is over a minute old does not count": {feed: evenly(0, 10, 30), now: 71, want: rates{}},
		"soon after the start, the time since then counts": {
			feed: evenly(0, 5, 8), now: 5,
			want: rates{bound: {TenSeconds: 8, Minute: 8}},
		},
		"a burst at once is not taken for an endless one": {
			feed: []struct{ at, pods float64 }{{0, 7}}, now: 0.01,
			want: rates{bound: {TenSeconds: 7, Minute: 7}},
		},
		"each result counts for itself": {
			feed: []struct{ at, pods float64 }{{100, 5}, {100, -60}}, now: 105,
			want: rates{bound: {TenSeconds: 0.5, Minute: 5. / 60}, failed: {TenSeconds: 6, Minute: 1}},
		},
		"out of order": {
			feed: []struct{ at, pods float64 }{{109, 5}, {101, 5}}, now: 110,
			want: rates{bound: {TenSeconds: 1, Minute: 1. / 6}},
		},
		"before the start, as when clocks differ": {
			feed: []struct{ at, pods float64 }{{-1000, 10}}, now: 5,
			want: rates{bound: {TenSeconds: 2, Minute: 2}},
		},
		"older than what is kept, at the place of something newer": {
			feed: []struct{ at, pods float64 }{{100, 60}, {40, 60}}, now: 100,
			want: rates{bound: {TenSeconds: 6, Minute: 1}},
		},
		"to come": {feed: []struct{ at, pods float64 }{{100, 60}}, now: 50, want: rates{}},
	}
	seconds := func(n float64) time.Time { return started.Add(time.Duration(n * float64(time.Second))) }
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := printers.NewRates(started)
			for _, fed := range test.feed {
				result, pods := bound, int(fed.pods)
				if pods < 0 {
					result, pods = failed, -pods
				}
				for range pods {
					r.Add(seconds(fed.at), result)
				}
			}
			if diff := cmp.Diff(test.want, r.At(seconds(test.now)), aboutEqual); diff != "" {
				t.Errorf("rates (-want +got):\n%s", diff)
			}
		})
	}
}

// evenly feeds so many Pods in each second from one to another.
func evenly(from, to, pods float64) (feed []struct{ at, pods float64 }) {
	for at := from; at < to; at += 1 / pods {
		feed = append(feed, struct{ at, pods float64 }{at, 1})
	}
	return feed
}

// aboutEqual allows for a slot at the end of a window.
var aboutEqual = cmp.Comparer(func(a, b float64) bool { return a-b < 0.02*b+1e-9 && b-a < 0.02*b+1e-9 })

func BenchmarkRates(b *testing.B) {
	r, at := printers.NewRates(started), started
	b.ReportAllocs()
	for b.Loop() {
		at = at.Add(time.Millisecond)
		r.Add(at, report.ResultBound)
	}
}
