package bind_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
)

func TestLeaseOptionsAreThoseOfKubeScheduler(t *testing.T) {
	for sentence, test := range map[string]struct {
		lease, renew, retry time.Duration
		err                 string
	}{
		"the default":        {},
		"kube-scheduler's":   {lease: 15 * time.Second, renew: 10 * time.Second, retry: 2 * time.Second},
		"as tight as it may": {lease: 15 * time.Second, renew: 14 * time.Second, retry: 11 * time.Second},
		"a lease that ends before the holder does": {
			lease: 10 * time.Second, renew: 10 * time.Second,
			err: "the lease duration 10s must be longer than the renew deadline, which is 10s",
		},
		"a lease that is longer by a fraction of a second, which the API does not keep": {
			lease: 10*time.Second + time.Millisecond, renew: 10 * time.Second,
			err: "the lease duration 10s must be longer than the renew deadline, which is 10s",
		},
		"no time for a second try": {
			lease: 15 * time.Second, renew: 12 * time.Second, retry: 10 * time.Second,
			err: "the renew deadline 12s must be longer than 1.2 times the retry period, which is 10s",
		},
		"a negative lease": {
			lease: -time.Second, err: "the lease duration -1s is too short: use 1s or more",
		},
		"a lease of less than a second, which the API does not keep": {
			lease: time.Second / 2, renew: time.Second / 4, retry: time.Second / 8,
			err: "the lease duration 500ms is too short: use 1s or more",
		},
		"a negative deadline":     {renew: -time.Second, err: "the renew deadline -1s is negative"},
		"a negative retry period": {retry: -time.Second, err: "the retry period -1s is negative"},
	} {
		t.Run(sentence, func(t *testing.T) {
			options := bind.LockOptions{LeaseDuration: test.lease, RenewDeadline: test.renew, RetryPeriod: test.retry}
			if diff := cmp.Diff(test.err, errorText(options.Validate())); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if test.err == "" {
				return
			}
			_, err := bind.Acquire(t.Context(), newLeaseServer(), options)
			if want := "preparing the Lease kube-system/kubectl-sched-bind: " + test.err; errorText(err) != want {
				t.Errorf("Acquire returns the error %v, want %s", err, want)
			}
		})
	}
}

func TestLeaseLeavesTimeToFinishWrites(t *testing.T) {
	for sentence, test := range map[string]struct {
		options bind.LockOptions
		want    time.Duration
	}{
		"by default":                 {want: 18 * time.Second},
		"as kube-scheduler holds it": {options: replica("own"), want: 3 * time.Second},
		"of which the API drops a fraction": {
			options: bind.LockOptions{LeaseDuration: 30900 * time.Millisecond}, want: 8 * time.Second,
		},
		"and some even when the retry period is long": {
			options: bind.LockOptions{LeaseDuration: 15 * time.Second, RenewDeadline: 13 * time.Second}, want: time.Second,
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			if got := test.options.FinishTimeout(); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// What the Lease says is what others have to go by.
func TestLeaseTellsItsDuration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newLeaseServer()
		held := acquire(t, server, replica("own"))
		lease, err := server.Get(t.Context(), bind.LeaseName, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		want := coordinationv1.LeaseSpec{
			HolderIdentity: new("own"), LeaseDurationSeconds: new(int32(15)), LeaseTransitions: new(int32(0)),
			AcquireTime: lease.Spec.AcquireTime, RenewTime: lease.Spec.RenewTime,
		}
		if diff := cmp.Diff(want, lease.Spec); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		release(t, held)
	})
}
