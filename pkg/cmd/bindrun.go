package cmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
	"github.com/kubectl-sched/kubectl-sched/pkg/run"
)

func (o *bindOptions) run(ctx context.Context) error {
	defer func() {
		if o.finish != nil {
			o.finish()
		}
	}()
	switch {
	case o.dryRun == report.DryRunClient:
		return o.print(o.plan(ctx, nil))
	case o.dryRun == report.DryRunServer:
		client, err := newClient(o.limited())
		if err != nil {
			return err
		}
		return o.print(o.plan(ctx, bind.New(client, bind.Options{DryRun: true})))
	case o.interactive:
		return o.ask(ctx)
	}
	return o.print(o.live(ctx))
}

// plan decides over the State as it is now. Nothing is written, unless by the binder.
func (o *bindOptions) plan(ctx context.Context, binder run.Binder) (*outcome, error) {
	state, err := o.source.load(ctx, kindsScheduled())
	if err != nil {
		return nil, err
	}
	options := o.session
	options.Binder = binder
	session, err := run.NewPlan(ctx, state, options)
	if err != nil {
		return nil, blame(err, options.Config)
	}
	defer session.Close()
	return o.carryOut(ctx, session)
}

// ask shows the plan, and carries it out when the answer is yes: each Pod goes to the node of the plan or to none.
func (o *bindOptions) ask(ctx context.Context) error {
	planned, err := o.plan(ctx, nil)
	if err != nil {
		return err
	}
	for _, one := range planned.bindings {
		one.DryRun = report.DryRunClient
	}
	o.session.Nodes = map[types.UID]string{}
	for i, one := range planned.bindings {
		if one.Result == report.ResultBound {
			o.session.Nodes[planned.pods[i].UID] = one.NodeName
		}
	}
	o.warn(planned)
	if err := o.planPrinter.Print(o.env.ErrOut, planned.bindings); err != nil || len(o.session.Nodes) == 0 {
		return errors.Join(err, planned.verdict(o))
	}
	fmt.Fprintf(o.env.ErrOut, "Bind %d of %d Pods? [y/N]: ", len(o.session.Nodes), len(planned.bindings))
	answer, err := bufio.NewReader(interruptible{ctx, io.NopCloser(o.env.In)}).ReadString('\n')
	switch answer = strings.ToLower(strings.TrimSpace(answer)); {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && !errors.Is(err, io.EOF):
		return fmt.Errorf("reading the answer: %w", err)
	case answer != "y" && answer != "yes":
		fmt.Fprintln(o.env.ErrOut, "Nothing was bound.")
		return errNo
	}
	out, err := o.live(ctx)
	if err != nil {
		return err
	}
	out.complete(planned)
	return o.print(out, nil)
}
