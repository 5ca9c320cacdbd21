package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiversion "k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"
)

// The rate of requests when the config sets none. client-go's own (5 a second, 10 at once) is meant for controllers; a
// reading asks for some two dozen kinds and is done.
const (
	defaultQPS   = 50
	defaultBurst = 100
)

// connection is the way to one API server; the clients of all group versions share its connections and its rate limit.
type connection struct {
	config *rest.Config
	http   *http.Client
}

// connect prepares a connection; nothing is sent yet.
func connect(config *rest.Config) (*connection, error) {
	shared := rest.CopyConfig(config)
	shared.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	shared.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	shared.ContentType = runtime.ContentTypeJSON
	if shared.UserAgent == "" {
		shared.UserAgent = rest.DefaultKubernetesUserAgent()
	}
	if shared.WarningHandler == nil && shared.WarningHandlerWithContext == nil {
		shared.WarningHandler = rest.NoWarnings{} // the default one writes to the global logger
	}
	limitRate(shared)
	client, err := rest.HTTPClientFor(shared)
	if err != nil {
		return nil, fmt.Errorf("connecting to the API server: %w", err)
	}
	return &connection{config: shared, http: client}, nil
}

// limitRate gives the config one rate limiter for all its clients. A negative QPS means no limit, as in client-go.
func limitRate(config *rest.Config) {
	if config.QPS == 0 {
		config.QPS = defaultQPS
	}
	if config.Burst == 0 {
		config.Burst = defaultBurst
	}
	if config.RateLimiter == nil && config.QPS > 0 {
		config.RateLimiter = flowcontrol.NewTokenBucketRateLimiter(config.QPS, config.Burst)
	}
}

// client returns the client of one group version.
func (c *connection) client(gv schema.GroupVersion) (*rest.RESTClient, error) {
	config := rest.CopyConfig(c.config)
	config.GroupVersion = &gv
	config.APIPath = "/apis"
	if gv.Group == corev1.GroupName {
		config.APIPath = "/api"
	}
	client, err := rest.RESTClientForConfigAndClient(config, c.http)
	if err != nil {
		return nil, fmt.Errorf("connecting to the API server: %w", err)
	}
	return client, nil
}

// connectFor prepares a connection and its client of one group version.
func connectFor(config *rest.Config, gv schema.GroupVersion) (*connection, *rest.RESTClient, error) {
	api, err := connect(config)
	if err != nil {
		return nil, nil, err
	}
	client, err := api.client(gv)
	return api, client, err
}

// version returns the server's gitVersion, empty when the server does not tell it. It fails only when there is no
// answer.
func (c *connection) version(ctx context.Context) (string, error) {
	client, err := c.client(corev1.SchemeGroupVersion)
	if err != nil {
		return "", err
	}
	body, err := client.Get().AbsPath("/version").DoRaw(ctx)
	if err != nil {
		return "", c.unanswered(ctx, err)
	}
	var info apiversion.Info
	_ = json.Unmarshal(body, &info) // a body of another shape tells no version
	return info.GitVersion, nil
}

// ServerVersion asks the API server for its gitVersion; empty when the server answers but does not tell.
func ServerVersion(ctx context.Context, config *rest.Config) (string, error) {
	api, err := connect(config)
	if err != nil {
		return "", err
	}
	return api.version(ctx)
}

// send carries out a request and returns the answer, which must be of the given kind.
func (c *connection) send(ctx context.Context, request *rest.Request, want schema.GroupVersionKind,
) (runtime.Object, error) {
	result := request.Do(ctx)
	if err := result.Error(); err != nil {
		if err := c.unanswered(ctx, err); err != nil {
			return nil, err
		}
		return nil, err
	}
	if err := checkMediaType(result); err != nil {
		return nil, err
	}
	// Result.Into would pass over an answer of another kind in silence, and the list would look empty.
	object, err := result.Get()
	if err != nil {
		return nil, err
	}
	empty, err := scheme.Scheme.New(want)
	if err != nil {
		return nil, err
	}
	if reflect.TypeOf(object) != reflect.TypeOf(empty) {
		return nil, fmt.Errorf("the answer is a %T where a %s was asked for", object, want.Kind)
	}
	return object, nil
}

// checkMediaType refuses what no API server sends, above all the HTML page of a proxy or a login.
func checkMediaType(result rest.Result) error {
	var contentType string
	result.ContentType(&contentType)
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		media = contentType
	}
	if _, ok := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), media); !ok {
		return fmt.Errorf("the answer is %q and not from a Kubernetes API server: a proxy or a login page may stand "+
			"in between, check the server of the kubeconfig", media)
	}
	return nil
}
