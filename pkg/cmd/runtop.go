package cmd

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/kubectl/pkg/util/term"

	"github.com/kubectl-sched/kubectl-sched/pkg/printers"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// How often the live view is drawn, and how many decisions and notes it keeps at most.
const (
	drawInterval  = 500 * time.Millisecond
	keptDecisions = 200
	keptNotes     = 5
)

// topView is the live view of a run.
type topView struct {
	env     Env
	top     printers.Top
	started time.Time

	mu    sync.Mutex
	shown bool
	rates *printers.Rates
	last  []*report.Decision // the newest at the end
	notes []string
}

func newTopView(env Env, top printers.Top) *topView {
	started := time.Now()
	return &topView{env: env, top: top, started: started, rates: printers.NewRates(started)}
}

// add shows a decision.
func (v *topView) add(decision *report.Decision) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.rates.Add(decision.Time.Time, decision.Result)
	v.last = append(v.last, decision)
	if len(v.last) >= 2*keptDecisions {
		v.last = slices.Clone(v.last[keptDecisions:])
	}
}

// note shows a sentence, and tells whether there is a view to show it in.
func (v *topView) note(text string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.shown {
		return false
	}
	v.notes = append(v.notes, time.Now().UTC().Format(time.TimeOnly)+" "+text)
	v.notes = v.notes[max(0, len(v.notes)-keptNotes):]
	return true
}

func (v *topView) show(shown bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.shown = shown
}

// viewed is what the view asks of a Loop.
type viewed interface {
	Activity() (report.Activity, error)
	Profiles() []string
}

// live draws the view, if there is to be one, until the context ends or the returned function is called. The terminal
// is given back before bindings in flight are finished: a second ctrl-C ends the process at once.
func (s *decisionStream) live(ctx context.Context, loop viewed) func() {
	if s.view == nil {
		return func() {}
	}
	ctx, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	s.view.show(true)
	go func() {
		defer close(done)
		defer s.view.show(false)
		screen := printers.NewScreen(s.view.env.Out)
		defer screen.Close() //nolint:errcheck // what cannot be written to cannot be given back
		ticker := time.NewTicker(drawInterval)
		defer ticker.Stop()
		for {
			if err := s.draw(screen, loop); err != nil {
				s.runner.fail(err)
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
		}
	}()
	return func() {
		stop()
		<-done
	}
}

func (s *decisionStream) draw(screen *printers.Screen, loop viewed) error {
	activity, err := loop.Activity()
	if err != nil {
		return err
	}
	activity.Results = s.tally.results()
	view := s.view.snapshot(time.Now())
	view.Title, view.Activity = strings.Join(loop.Profiles(), ", "), activity
	var text bytes.Buffer
	if err := s.view.top.Render(&text, view); err != nil {
		return err
	}
	return screen.Draw(text.String())
}

// snapshot returns what is to be drawn of what was added.
func (v *topView) snapshot(now time.Time) printers.TopView {
	v.mu.Lock()
	defer v.mu.Unlock()
	view := printers.TopView{
		Now: now, Started: v.started, Rates: maps.Clone(v.rates.At(now)), Notes: slices.Clone(v.notes),
		Last: slices.Clone(v.last[max(0, len(v.last)-keptDecisions):]),
	}
	slices.Reverse(view.Last)
	if size := (term.TTY{Out: v.env.Out}).GetSize(); size != nil {
		view.Width, view.Height = int(size.Width), int(size.Height)
	}
	return view
}
