package serve_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/kubectl-sched/kubectl-sched/pkg/serve"
)

// api is an API server that reviews tokens and accesses, and remembers what it was asked.
type api struct {
	client *fake.Clientset

	mutex sync.Mutex
	// users are whose token it is.
	users map[string]authenticationv1.UserInfo
	// may are the paths of users.
	may map[string][]string
	// fails are the kinds of reviews that fail.
	fails []string
	asked []string
}

func newAPI() *api {
	a := &api{
		client: fake.NewSimpleClientset(),
		users:  map[string]authenticationv1.UserInfo{"good": {Username: "prometheus"}, "poor": {Username: "poor"}},
		may:    map[string][]string{"prometheus": {"/metrics", "/readyz/sync"}},
	}
	a.client.PrependReactor("create", "tokenreviews", a.reviewToken)
	a.client.PrependReactor("create", "subjectaccessreviews", a.reviewAccess)
	return a
}

func (a *api) reviewToken(action clienttesting.Action) (bool, runtime.Object, error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	review := action.(clienttesting.CreateAction).GetObject().(*authenticationv1.TokenReview).DeepCopy()
	a.asked = append(a.asked, "token "+review.Spec.Token)
	if slices.Contains(a.fails, "token") {
		return true, nil, errors.New("no tokens today")
	}
	review.Status.User, review.Status.Authenticated = a.users[review.Spec.Token], a.users[review.Spec.Token].Username != ""
	return true, review, nil
}

func (a *api) reviewAccess(action clienttesting.Action) (bool, runtime.Object, error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	review := action.(clienttesting.CreateAction).GetObject().(*authorizationv1.SubjectAccessReview).DeepCopy()
	path := review.Spec.NonResourceAttributes
	a.asked = append(a.asked, fmt.Sprintf("%s %s %s", review.Spec.User, path.Verb, path.Path))
	if slices.Contains(a.fails, "access") {
		return true, nil, errors.New("no rights today")
	}
	review.Status.Allowed = slices.Contains(a.may[review.Spec.User], path.Path)
	review.Status.Denied = slices.Contains(a.may["not "+review.Spec.User], path.Path)
	return true, review, nil
}

// takeAsked returns what the API server was asked since the last time.
func (a *api) takeAsked() []string {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	asked := a.asked
	a.asked = nil
	return asked
}

// change changes what the API server knows, if anything.
func (a *api) change(how func(*api)) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if how != nil {
		how(a)
	}
}

func TestAccess(t *testing.T) {
	const notAsked = "internal server error: the API server could not be asked whether you may; the reason is in the logs, " +
		"from -v=1 on\n"
	const unknown = "unauthorized: the API server does not know this bearer token\n"
	anonymous := func(path string) string {
		return fmt.Sprintf("forbidden: user %q cannot get path %q\n", "system:anonymous", path)
	}
	for sentence, c := range map[string]struct {
		path  string
		auth  string
		fails []string
		want  answer
		asked []string
	}{
		"everybody gets /healthz":          {path: "/healthz", want: answer{200, "ok"}},
		"everybody gets /livez":            {path: "/livez", want: answer{200, "ok"}},
		"everybody gets /readyz":           {path: "/readyz?verbose", want: answer{200, "[+]sync ok\nreadyz check passed\n"}},
		"/healthz does not need the API":   {path: "/healthz", auth: "Bearer good", fails: []string{"token", "access"}, want: answer{200, "ok"}},
		"who has the right gets /metrics":  {path: "/metrics", auth: "Bearer good", want: answer{200, "metrics"}, asked: []string{"token good", "prometheus get /metrics"}},
		"a query changes nothing":          {path: "/metrics?x=/healthz", auth: "bearer  good ", want: answer{200, "metrics"}, asked: []string{"token good", "prometheus get /metrics"}},
		"a single check needs its right":   {path: "/readyz/sync", auth: "Bearer good", want: answer{200, "ok"}, asked: []string{"token good", "prometheus get /readyz/sync"}},
		"who has not is forbidden":         {path: "/metrics", auth: "Bearer poor", want: answer{403, "forbidden: user \"poor\" cannot get path \"/metrics\"\n"}, asked: []string{"token poor", "poor get /metrics"}},
		"who is denied is, too":            {path: "/livez/ping", auth: "Bearer denied", want: answer{403, "forbidden: user \"denied\" cannot get path \"/livez/ping\"\n"}, asked: []string{"token denied", "denied get /livez/ping"}},
		"nobody in particular is, too":     {path: "/metrics", want: answer{403, anonymous("/metrics")}, asked: []string{"system:anonymous get /metrics"}},
		"nor gets a single check":          {path: "/livez/ping", want: answer{403, anonymous("/livez/ping")}, asked: []string{"system:anonymous get /livez/ping"}},
		"a password is not looked at":      {path: "/metrics", auth: "Basic good", want: answer{403, anonymous("/metrics")}, asked: []string{"system:anonymous get /metrics"}},
		"nor is a token without a scheme":  {path: "/metrics", auth: "good", want: answer{403, anonymous("/metrics")}, asked: []string{"system:anonymous get /metrics"}},
		"an empty token is none":           {path: "/metrics", auth: "Bearer ", want: answer{403, anonymous("/metrics")}, asked: []string{"system:anonymous get /metrics"}},
		"a wrong token is unauthorized":    {path: "/metrics", auth: "Bearer bad", want: answer{401, unknown}, asked: []string{"token bad"}},
		"two tokens are a wrong one":       {path: "/metrics", auth: "Bearer good good", want: answer{401, unknown}, asked: []string{"token good good"}},
		"tokens cannot be reviewed":        {path: "/metrics", auth: "Bearer good", fails: []string{"token"}, want: answer{500, notAsked}, asked: []string{"token good"}},
		"rights cannot be reviewed":        {path: "/metrics", auth: "Bearer good", fails: []string{"access"}, want: answer{500, notAsked}, asked: []string{"token good", "prometheus get /metrics"}},
		"what is not there asks for none":  {path: "/other", auth: "Bearer bad", want: answer{404, "404 page not found\n"}},
		"dots in a path lead nowhere else": {path: "/healthz/../metrics", want: answer{403, anonymous("/metrics")}, asked: []string{"system:anonymous get /metrics"}},
	} {
		t.Run(sentence, func(t *testing.T) {
			api := newAPI()
			api.fails = c.fails
			api.users["denied"] = authenticationv1.UserInfo{Username: "denied"}
			api.may["denied"], api.may["not denied"] = []string{"/livez/ping"}, []string{"/livez/ping"}
			options := secure(t, api)
			options.Metrics, options.Ready = text("metrics"), []serve.Check{check("sync", nil)}
			url := start(t, options)
			got, _ := get(t, newClient(t), url+c.path, "Authorization: "+c.auth)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.asked, api.takeAsked()); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
		})
	}
}

// Everything that a TokenReview says of a user goes into the SubjectAccessReview: rights can hang on each of it.
func TestAccessOfTheWholeUser(t *testing.T) {
	api := newAPI()
	api.users["good"] = authenticationv1.UserInfo{
		Username: "u", UID: "1", Groups: []string{"a", "b"}, Extra: map[string]authenticationv1.ExtraValue{"k": {"v", "w"}},
	}
	options := secure(t, api)
	options.Metrics = text("metrics")
	url := start(t, options)
	get(t, newClient(t), url+"/metrics", "Authorization: Bearer good")
	want := authorizationv1.SubjectAccessReviewSpec{
		User: "u", UID: "1", Groups: []string{"a", "b"}, Extra: map[string]authorizationv1.ExtraValue{"k": {"v", "w"}},
		NonResourceAttributes: &authorizationv1.NonResourceAttributes{Path: "/metrics", Verb: "get"},
	}
	actions := api.client.Actions()
	got := actions[len(actions)-1].(clienttesting.CreateAction).GetObject().(*authorizationv1.SubjectAccessReview).Spec
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An answer of the API server, yes or no, is good for 10 seconds; that there is none is not kept.
func TestAccessIsReviewedAgain(t *testing.T) {
	for sentence, c := range map[string]struct {
		before, change func(*api)
		want           []int // at first, after 10 seconds, and after 11
	}{
		"nothing changes": {
			want: []int{200, 200, 200},
		},
		"a token is revoked": {
			change: func(a *api) { delete(a.users, "good") },
			want:   []int{200, 200, 401},
		},
		"a right is taken away": {
			change: func(a *api) { delete(a.may, "prometheus") },
			want:   []int{200, 200, 403},
		},
		"the API server goes": {
			change: func(a *api) { a.fails = []string{"token"} },
			want:   []int{200, 200, 500},
		},
		"a token becomes known": {
			before: func(a *api) { delete(a.users, "good") },
			change: func(a *api) { a.users["good"] = authenticationv1.UserInfo{Username: "prometheus"} },
			want:   []int{401, 401, 200},
		},
		"a right is given": {
			before: func(a *api) { a.may["prometheus"] = nil },
			change: func(a *api) { a.may["prometheus"] = []string{"/metrics"} },
			want:   []int{403, 403, 200},
		},
		"the API server comes back": {
			before: func(a *api) { a.fails = []string{"access"} },
			change: func(a *api) { a.fails = nil },
			want:   []int{500, 200, 200},
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			api, clock := newAPI(), clocktesting.NewFakeClock(time.Unix(0, 0))
			options := secure(t, api)
			options.Metrics, options.Clock = text("metrics"), clock
			url := start(t, options)
			client := newClient(t)
			var got []int
			ask := func() {
				answer, _ := get(t, client, url+"/metrics", "Authorization: Bearer good")
				got = append(got, answer.Code)
			}
			api.change(c.before)
			ask()
			api.change(c.change)
			clock.Step(10 * time.Second)
			ask()
			clock.Step(time.Second)
			ask()
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What is known of one token and path says nothing of another, and is asked once.
func TestAccessIsReviewedForEach(t *testing.T) {
	api := newAPI()
	options := secure(t, api)
	options.Metrics = text("metrics")
	url := start(t, options)
	client := newClient(t)
	var got []int
	for range 2 {
		for _, c := range [][2]string{
			{"/metrics", "Bearer good"}, {"/metrics", "Bearer poor"}, {"/metrics", ""}, {"/livez/ping", "Bearer good"},
		} {
			answer, _ := get(t, client, url+c[0], "Authorization: "+c[1])
			got = append(got, answer.Code)
		}
	}
	if diff := cmp.Diff([]int{200, 403, 403, 403, 200, 403, 403, 403}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want := []string{
		"token good", "prometheus get /metrics", "token poor", "poor get /metrics", "system:anonymous get /metrics",
		"token good", "prometheus get /livez/ping",
	}
	if diff := cmp.Diff(want, api.takeAsked()); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}
