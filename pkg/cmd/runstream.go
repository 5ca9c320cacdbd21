package cmd

import (
	"context"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// How many decisions may wait to be printed, and how many when each may have all of the cluster with it to be explained
// on. Beyond, the scheduler waits: none is left out.
const (
	streamBuffer  = 10000
	explainBuffer = 100
)

// decisionStream prints decisions as they come, in one goroutine.
type decisionStream struct {
	runner  *runner
	entries chan streamEntry
	done    chan struct{}
	// err is the first that printing gave; it is read after done.
	err   error
	tally tally
	view  *topView // nil without --top

	// closing keeps apart whoever adds and close.
	closing sync.RWMutex
	closed  bool
}

// streamEntry is a decision that is to be printed, and to be explained when there is a State.
type streamEntry struct {
	decision *report.Decision
	pod      *corev1.Pod
	state    *cluster.State
	// flushed, when set, is closed in the place of a decision.
	flushed chan struct{}
}

// openStream starts the printing, without which the run ends.
func (r *runner) openStream() *decisionStream {
	buffer := streamBuffer
	if r.explain {
		buffer = explainBuffer
	}
	s := &decisionStream{runner: r, entries: make(chan streamEntry, buffer), done: make(chan struct{})}
	if r.top != nil {
		s.view = newTopView(r.env, *r.top)
	}
	go func() {
		defer close(s.done)
		for entry := range s.entries {
			if entry.flushed != nil {
				close(entry.flushed)
				continue
			}
			if s.err != nil {
				continue
			}
			if s.err = s.print(entry); s.err != nil {
				r.fail(s.err)
			}
		}
	}()
	return s
}

// add has a decision printed. One that comes after the end is dropped: what upstream evicts in the background may be
// told as late.
func (s *decisionStream) add(decision *report.Decision, pod *corev1.Pod) {
	s.closing.RLock()
	defer s.closing.RUnlock()
	if s.closed {
		return
	}
	s.tally.add(decision.Result)
	if s.view != nil {
		s.view.add(decision)
		return
	}
	entry := streamEntry{decision: decision, pod: pod}
	if s.runner.explain && explainable(decision, pod) {
		// What the scheduler sees now is what is explained, whenever it is printed.
		if state, err := s.runner.loop.Load().State(); err == nil {
			entry.state = state
		}
	}
	s.entries <- entry
}

// explainable tells whether an explanation of the Pod alone says why the decision was made.
func explainable(decision *report.Decision, pod *corev1.Pod) bool {
	return decision.Result == report.ResultUnschedulable && pod.Spec.NodeName == "" && pod.Spec.SchedulingGroup == nil
}

func (s *decisionStream) print(entry streamEntry) error {
	if entry.state != nil {
		explanation, err := s.explain(entry)
		if err != nil { // as of a plugin that fails: the scheduler goes on then, and so does this
			s.runner.note("Warning: pod %s/%s is not explained: %v", entry.pod.Namespace, entry.pod.Name, err)
		}
		entry.decision.Explanation = explanation
	}
	if err := s.runner.printer.Print(s.runner.env.Out, entry.decision); err != nil {
		return fmt.Errorf("printing decisions: %w", err)
	}
	return nil
}

// explain judges every node, as kubectl sched explain does.
func (s *decisionStream) explain(entry streamEntry) (*report.Explanation, error) {
	ctx := context.Background() // it is short, and the decision is to be printed even when the run is to end
	e, err := engine.New(ctx, entry.state, engine.Options{Config: s.runner.scheduler})
	if err != nil {
		return nil, err
	}
	defer e.Close()
	return e.Explain(ctx, entry.pod)
}

// flush returns when all that was added is printed.
func (s *decisionStream) flush() {
	flushed := make(chan struct{})
	s.entries <- streamEntry{flushed: flushed}
	<-flushed
}

// close prints what is left, and returns the error of printing.
func (s *decisionStream) close() error {
	s.closing.Lock()
	s.closed = true
	close(s.entries)
	s.closing.Unlock()
	<-s.done
	return s.err
}
