package bind_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
)

// The server does whatever it likes, and once it is over, what Bind says is what is stored.
func TestBindTellsTheTruthWhateverHappens(t *testing.T) {
	const sequences = 400
	var outcomes [3]atomic.Int32
	var all errgroup.Group
	all.SetLimit(16) // they wait more than they work
	for seed := range uint64(sequences) {
		all.Go(func() error {
			t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
				outcomes[bindAtRandom(t, seed)].Add(1)
			})
			return nil
		})
	}
	_ = all.Wait()
	for outcome := range outcomes {
		if outcomes[outcome].Load() == 0 {
			t.Errorf("no sequence led to outcome %d: the test is weaker than it looks", outcome)
		}
	}
}

const (
	bound = iota
	notBound
	unknown
)

func bindAtRandom(t *testing.T, seed uint64) (outcome int) {
	random := rand.New(rand.NewPCG(seed, 0))
	s := newAPIServer(t)
	s.posts, s.gets = randomPosts(random), randomGets(random)
	if seed%40 == 0 && len(s.posts) > 0 {
		s.posts[0] = pick(random, []behavior{hang, stores(hang)}) // takes a second
	}
	binder := s.binder(bind.Options{TryTimeout: time.Second})
	tries, err := binder.Bind(t.Context(), target, noCheck)
	if tries < 1 {
		t.Error("nothing was sent")
	}
	if !isUnknown(err) {
		return checkTruth(t, s, tries, err)
	}
	s.change(func(s *apiServer) { s.posts, s.gets = randomPosts(random), randomGets(random) })
	more, err := binder.Bind(t.Context(), target, noCheck)
	if !isUnknown(err) {
		checkTruth(t, s, tries+more, err)
	}
	return unknown
}

func isUnknown(err error) bool {
	unavailable, ok := errors.AsType[*bind.UnavailableError](err)
	return ok && unavailable.Unknown
}

// checkTruth compares what Bind says with what is stored.
func checkTruth(t *testing.T, s *apiServer, tries int, err error) (outcome int) {
	got := resultOf(s, tries, err)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	switch {
	case got.Stored > 1 || tries > 20:
		t.Errorf("%+v", got)
	case (err == nil) != (s.pod.Spec.NodeName == target.NodeName):
		t.Errorf("%+v, and the Pod is on node %q", got, s.pod.Spec.NodeName)
	}
	if err != nil {
		return notBound
	}
	return bound
}

func randomPosts(random *rand.Rand) []behavior {
	doubtful := []behavior{
		drop, drop, reset, reset, half, half, page(200), page(502),
		says(apierrors.NewTimeoutError("request did not complete", 1)),
		says(apierrors.NewInternalError(errors.New("etcdserver: request timed out"))),
	}
	certain := []behavior{
		nil, nil, tooMany(0), tooMany(5), refuses(apierrors.NewConflict(bindings, "web-0", errors.New("try again"))),
	}
	posts := make([]behavior, random.IntN(11))
	for i := range posts {
		switch kind := random.IntN(30); {
		case kind < 10:
			posts[i] = pick(random, certain)
		case kind < 13:
			posts[i] = stores(pick(random, doubtful))
		case kind < 14:
			posts[i] = after(taken("n2"), pick(random, doubtful))
		default:
			posts[i] = pick(random, doubtful)
		}
	}
	return posts
}

// randomGets has the server come back soon, or now and then not at all.
func randomGets(random *rand.Rand) []behavior {
	faults := []behavior{drop, reset, half, page(200), page(404), page(502), nil, tooMany(1)}
	share, gets := 2, make([]behavior, random.IntN(10))
	if random.IntN(10) == 0 {
		share, gets = 1, make([]behavior, 200)
	}
	for i := range gets {
		gets[i] = well
		if random.IntN(share) == 0 {
			gets[i] = pick(random, faults)
		}
	}
	return gets
}

func pick(random *rand.Rand, from []behavior) behavior { return from[random.IntN(len(from))] }
