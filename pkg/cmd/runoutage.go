package cmd

import (
	"context"
	"fmt"
	"time"

	"github.com/kubectl-sched/kubectl-sched/pkg/run"
)

// outageAfter is how long Nodes and Pods may be unwatched before it is told: the API server ends watches now and then.
const outageAfter = 5 * time.Second

// watchOutages tells when the scheduler does not hear of the cluster, and when it does again, until the returned
// function is called.
func (r *runner) watchOutages(ctx context.Context, loop *run.Loop) func() {
	ctx, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		outage := outage{heard: time.Now()}
		for {
			select {
			case <-ctx.Done():
				return
			case now := <-ticker.C:
				if news := outage.see(now, loop.Watched()); news != "" {
					r.note("%s", news)
				}
			}
		}
	}()
	return func() {
		stop()
		<-done
	}
}

// outage is what was seen and told of the watches.
type outage struct {
	heard time.Time // when they were open last
	told  bool
}

// see takes down whether the watches are open, and returns what is to be told of it; empty when that is nothing.
func (o *outage) see(now time.Time, watched bool) string {
	told := o.told
	o.told = !watched && now.Sub(o.heard) > outageAfter
	if watched {
		o.heard = now
	}
	switch {
	case o.told && !told:
		return fmt.Sprintf("Nodes and Pods are not watched since %s: the API server is out of reach, and decisions go by "+
			"what was known then.", o.heard.UTC().Format(time.TimeOnly))
	case told && !o.told:
		return "The watches of Nodes and Pods are back."
	}
	return ""
}
