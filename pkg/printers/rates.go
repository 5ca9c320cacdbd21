package printers

import (
	"time"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

const (
	shortWindow = 10 * time.Second
	longWindow  = time.Minute
	// rateSlot is how exact the ends of the windows are.
	rateSlot = 100 * time.Millisecond
)

// Rate is how many decisions of a result there were per second, over the last ten seconds and over the last minute, or
// over the time since the start while that is shorter, but over a second at least.
type Rate struct {
	TenSeconds, Minute float64
}

// Rates counts decisions by the time when they were made, for as long as a Rate looks back. It is not for use by
// several goroutines at once.
type Rates struct {
	started time.Time
	// slots is a ring: that of a time is its number modulo their count.
	slots [longWindow / rateSlot]slot
}

// slot counts the decisions of a short span of time.
type slot struct {
	// number is that of the span since the start.
	number int64
	counts map[report.Result]int
}

// NewRates returns Rates of what was started at the time.
func NewRates(started time.Time) *Rates { return &Rates{started: started} }

// Add counts a decision. One from before the start counts as made then, and one that is older than a minute beside
// newer ones not at all.
func (r *Rates) Add(at time.Time, result report.Result) {
	number := r.number(at)
	s := &r.slots[number%int64(len(r.slots))]
	switch {
	case s.counts == nil:
		s.counts = map[report.Result]int{}
	case number < s.number:
		return
	case number > s.number:
		clear(s.counts)
	}
	s.number = number
	s.counts[result]++
}

// At returns the rate of every result that there was in the minute before the time.
func (r *Rates) At(now time.Time) map[report.Result]Rate {
	rates, newest := map[report.Result]Rate{}, r.number(now)
	short, long := r.seconds(now, shortWindow), r.seconds(now, longWindow)
	for i := range r.slots {
		s := &r.slots[i]
		age := newest - s.number
		if age < 0 || age >= int64(longWindow/rateSlot) {
			continue
		}
		for result, n := range s.counts {
			rate := rates[result]
			rate.Minute += float64(n) / long
			if age < int64(shortWindow/rateSlot) {
				rate.TenSeconds += float64(n) / short
			}
			rates[result] = rate
		}
	}
	return rates
}

func (r *Rates) number(at time.Time) int64 { return max(0, int64(at.Sub(r.started)/rateSlot)) }

// seconds is how long a window is at the time.
func (r *Rates) seconds(now time.Time, window time.Duration) float64 {
	return min(window, max(now.Sub(r.started), time.Second)).Seconds()
}
