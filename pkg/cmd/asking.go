package cmd

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
	"github.com/kubectl-sched/kubectl-sched/pkg/printers"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// asking puts questions to the engine and hands each answer on as it comes: on a large cluster an answer is large.
type asking struct {
	env       Env
	engine    *engine.Engine
	questions []question
	nodes     nodeQuestion
	warn      *warner
	// failed are the questions that could not be answered.
	failed error
	// no: at least one answer is no.
	no bool
}

// print prints the answers and returns the command's result. Nothing is printed when no question could be answered.
func (a *asking) print(ctx context.Context, printer printers.Printer) error {
	next, stop := iter.Pull(a.answers(ctx))
	defer stop()
	first, some := next()
	if some || a.failed == nil && ctx.Err() == nil {
		err := printer.Print(untilDone{ctx, a.env.Out}, func(yield func(*report.Explanation) bool) {
			for answer, ok := first, some; ok && yield(answer); {
				answer, ok = next()
			}
		})
		if err != nil {
			return err
		}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case a.failed != nil:
		return a.failed
	case a.no:
		return errNo
	}
	return nil
}

// untilDone is a writer that writes nothing once the context has ended: what was not asked to the end is no answer.
type untilDone struct {
	ctx context.Context //nolint:containedctx // io.Writer has no place for it
	io.Writer
}

func (w untilDone) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.Writer.Write(p)
}

// answers asks one question after the other. One that cannot be answered is noted, and the rest goes on.
func (a *asking) answers(ctx context.Context) iter.Seq[*report.Explanation] {
	return func(yield func(*report.Explanation) bool) {
		progress := newProgress(a.env)
		defer progress.clear()
		for i, question := range a.questions {
			if len(a.questions) > 1 {
				progress.show("explaining: %d of %d", i+1, len(a.questions))
			}
			answer, err := question(ctx, a.engine)
			if err == nil {
				err = a.nodes.compare(answer)
			}
			progress.clear()
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				a.failed = errors.Join(a.failed, err)
				continue
			}
			a.warn.tell(answer.Warnings...)
			a.no = a.no || !fits(answer)
			if !yield(answer) {
				return
			}
		}
	}
}
