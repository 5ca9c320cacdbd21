package reason

import (
	"context"
	"net/url"
	"slices"
	"strings"

	fwk "k8s.io/kube-scheduler/framework"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// extenderRefusal explains for an extender, which gives its reasons itself; nil when none has the name. A rejection by
// an extender bears its URL in place of a plugin.
func extenderRefusal(q Question, name string) explain {
	bearsName := func(e fwk.Extender) bool { return e.Name() == name }
	if !slices.ContainsFunc(q.Handle.Extenders(), bearsName) {
		return nil
	}
	shown := ShownName(name)
	return func(_ context.Context, r rejection) report.Details {
		return report.Details{report.ExtenderRefusal{
			Extender:     shown,
			Unresolvable: r.code == fwk.UnschedulableAndUnresolvable,
		}}
	}
}

// ShownName is the name under which a plugin or an extender is shown. An extender is named by its URL, of which only
// scheme, host and path may be shown, and no user, password or query.
func ShownName(plugin string) string {
	if !strings.Contains(plugin, "://") {
		return plugin
	}
	parsed, err := url.Parse(plugin)
	if err != nil || parsed.Host == "" {
		return "(not a URL)"
	}
	return (&url.URL{Scheme: parsed.Scheme, Host: parsed.Host, Path: parsed.Path}).String()
}
