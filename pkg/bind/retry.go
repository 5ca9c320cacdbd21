package bind

import (
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// Cause says in a word why a Binding is sent again.
type Cause string

// All causes. None of the tries they stand for has bound the Pod.
const (
	CauseConflict    Cause = "conflict"     // The API server said that something else had changed the Pod.
	CauseUnreachable Cause = "unreachable"  // There was no connection, and nothing was sent.
	CauseUnanswered  Cause = "unanswered"   // It was sent, and no API server answered in time.
	CauseOverloaded  Cause = "overloaded"   // The API server did nothing and asked to come again later, as by 429.
	CauseServerError Cause = "server_error" // The API server, or a proxy before it, had a fault: 5xx.
	CauseNotFound    Cause = "not_found"    // The API server did not find the Pod, which is there: 404.
)

var causes = map[kind]Cause{
	conflict:   CauseConflict,
	unsent:     CauseUnreachable,
	unanswered: CauseUnanswered,
	overloaded: CauseOverloaded,
	broken:     CauseServerError,
	unfound:    CauseNotFound,
}

// longestWait is how long a server may ask to wait before a retry. Asking for more is as good as no answer to somebody
// who binds by hand.
const longestWait = 5 * time.Minute

// retries is what is left of the retries of one attempt. Each failure uses up one of its own back-off, so that an
// attempt has 1 + 4 + 5 tries at most.
type retries struct {
	// soon is for a server that is not there or did not answer, and for conflicts: 5 tries in about 1.5 s.
	soon wait.Backoff
	// later is for a server that is in trouble and says so: 6 tries in about half a minute.
	later wait.Backoff
}

func newRetries() retries {
	return retries{
		soon:  wait.Backoff{Duration: 100 * time.Millisecond, Factor: 2, Jitter: 0.2, Steps: 4},
		later: wait.Backoff{Duration: time.Second, Factor: 2, Jitter: 0.2, Steps: 5},
	}
}

// next returns how long to wait after a failure, no less than the server asked for, and whether to try again at all.
func (r *retries) next(failed *failure) (delay time.Duration, again bool) {
	backoff := &r.soon
	if failed.kind == overloaded || failed.kind == broken {
		backoff = &r.later
	}
	if backoff.Steps == 0 || failed.retryAfter > longestWait {
		return 0, false
	}
	return max(backoff.Step(), failed.retryAfter), true
}
