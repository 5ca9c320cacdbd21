package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
)

// leaderFlags are kube-scheduler's own.
type leaderFlags struct {
	elect     bool
	duration  time.Duration
	renew     time.Duration
	retry     time.Duration
	name      string
	namespace string
}

// leaderOptions say how the Lease is held.
type leaderOptions struct {
	lock bind.LockOptions
}

func (f *leaderFlags) addFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&f.elect, "leader-elect", false,
		"work only while holding a Lease, so that of several replicas one works and another follows when it fails")
	flags.DurationVar(&f.duration, "leader-elect-lease-duration", 15*time.Second,
		"how long others wait after the last renewal before they take the Lease")
	flags.DurationVar(&f.renew, "leader-elect-renew-deadline", 10*time.Second,
		"how long the leader tries to renew the Lease before it stops")
	flags.DurationVar(&f.retry, "leader-elect-retry-period", 2*time.Second, "how long to wait between tries")
	flags.StringVar(&f.name, "leader-elect-resource-name", "kubectl-sched", "name of the Lease")
	flags.StringVar(&f.namespace, "leader-elect-resource-namespace", "kube-system", "namespace of the Lease")
}

// toOptions returns nil when nobody is elected.
func (f *leaderFlags) toOptions(flags *pflag.FlagSet) (*leaderOptions, error) {
	if !f.elect {
		return nil, f.checkUnused(flags)
	}
	if f.name == "" || f.namespace == "" {
		return nil, errors.New("--leader-elect-resource-name and --leader-elect-resource-namespace: give both a value")
	}
	if wrong := append(validation.IsDNS1123Subdomain(f.name), validation.IsDNS1123Label(f.namespace)...); len(wrong) > 0 {
		return nil, fmt.Errorf("--leader-elect-resource-name %q and --leader-elect-resource-namespace %q: %s", f.name,
			f.namespace, wrong[0])
	}
	if min(f.duration, f.renew, f.retry) <= 0 {
		return nil, errors.New("--leader-elect-lease-duration, -renew-deadline, -retry-period: use more than 0 for each")
	}
	lock := bind.LockOptions{
		Namespace: f.namespace, Name: f.name, Wait: bind.Forever,
		LeaseDuration: f.duration, RenewDeadline: f.renew, RetryPeriod: f.retry,
	}
	if err := lock.Validate(); err != nil {
		return nil, fmt.Errorf("--leader-elect-lease-duration, -renew-deadline, -retry-period: %w", err)
	}
	return &leaderOptions{lock: lock}, nil
}

// checkUnused finds flags of a Lease that is not held.
func (f *leaderFlags) checkUnused(flags *pflag.FlagSet) (err error) {
	flags.Visit(func(flag *pflag.Flag) {
		if strings.HasPrefix(flag.Name, "leader-elect-") && err == nil {
			err = fmt.Errorf("--%s is for --leader-elect: use it too, or leave both out", flag.Name)
		}
	})
	return err
}

// lead waits for the Lease, if there is to be one. The context it returns ends when the Lease is lost, as lost then is
// closed; release gives it up.
func (r *runner) lead(ctx context.Context) (
	leading context.Context, lost <-chan struct{}, release func(), err error,
) {
	if r.leader == nil {
		return ctx, nil, func() {}, nil
	}
	client, err := r.clientBeside()
	if err != nil {
		return nil, nil, nil, err
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, nil, nil, fmt.Errorf("finding the name of this host: %w", err)
	}
	lock := r.leader.lock
	lock.Identity = host + "_" + string(uuid.NewUUID())
	lock.Waiting = func(holder string, _ time.Time) {
		r.note("Standing by: %s holds the Lease %s/%s.", printable(holder), lock.Namespace, lock.Name)
	}
	held, err := bind.Acquire(ctx, client.CoordinationV1(), lock)
	if err != nil {
		return nil, nil, nil, err
	}
	r.held.Store(held)
	r.note("Leading: holding the Lease %s/%s.", lock.Namespace, lock.Name)
	leading, unwatch := whileHeld(ctx, held)
	return leading, held.Lost(), func() {
		unwatch()
		ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), flushTimeout)
		defer stop()
		if err := held.Release(ctx); err != nil {
			newWarner(r.env.ErrOut).tell(err.Error())
		}
	}, nil
}
