package serve

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/cache"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
)

// As for kube-scheduler, the API server has 10 s to answer, and its answer, yes or no, is good for 10 s: who loses a
// right can use it for that long.
const (
	reviewTimeout = 10 * time.Second
	verdictAge    = 10 * time.Second
)

// mostVerdicts bounds what strangers can make us keep.
const mostVerdicts = 1000

// access lets those through whom the API server lets. It does what kube-scheduler's delegating authenticator and
// authorizer do, but does not try again when there is no answer: who scrapes metrics does.
type access struct {
	client   kubernetes.Interface
	verdicts *cache.LRUExpireCache // question → verdict
}

// question is what a verdict is about. It does not keep the token itself.
type question struct {
	token [sha256.Size]byte
	path  string
}

func newAccess(options Options) *access {
	ticking := options.Clock
	if ticking == nil {
		ticking = clock.RealClock{}
	}
	return &access{
		client:   options.Client,
		verdicts: cache.NewLRUExpireCacheWithClock(mostVerdicts, ticking),
	}
}

// protect tells those whom it does not let through whether it is their token (401), their rights (403), or that nobody
// could say (500).
func (a *access) protect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		verdict, err := a.judge(r.Context(), bearerToken(r), r.URL.Path)
		switch {
		case err != nil: // the reason is not for strangers
			klog.FromContext(r.Context()).Error(err, "A request to the endpoints could not be reviewed", "path", r.URL.Path)
			refuse(w, http.StatusInternalServerError, "internal server error: the API server could not be asked whether "+
				"you may; the reason is in the logs, from -v=1 on")
		case verdict.user == nil:
			w.Header().Set("WWW-Authenticate", "Bearer")
			refuse(w, http.StatusUnauthorized, "unauthorized: the API server does not know this bearer token")
		case !verdict.allowed:
			refuse(w, http.StatusForbidden,
				fmt.Sprintf("forbidden: user %q cannot get path %q", verdict.user.Username, r.URL.Path))
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// judge returns the verdict that is known, or asks for one. Errors are not kept.
func (a *access) judge(ctx context.Context, token, path string) (verdict, error) {
	key := question{sha256.Sum256([]byte(token)), path}
	if known, ok := a.verdicts.Get(key); ok {
		return known.(verdict), nil
	}
	ctx, stop := context.WithTimeout(ctx, reviewTimeout)
	defer stop()
	fresh, err := review(ctx, a.client, token, path)
	if err == nil {
		a.verdicts.Add(key, fresh, verdictAge)
	}
	return fresh, err
}

// bearerToken returns the token of a request, or nothing when it has none: other ways to authenticate are not looked
// at.
func bearerToken(r *http.Request) string {
	scheme, token, _ := strings.Cut(strings.TrimSpace(r.Header.Get("Authorization")), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
