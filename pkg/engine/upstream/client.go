package upstream

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// NewClient returns a clientset that cannot reach anything: its transport answers every request by itself. Upstream's
// code asks for a client in a few places even when it only judges; with this one it can neither write nor panic.
func NewClient() (kubernetes.Interface, error) {
	return kubernetes.NewForConfig(&rest.Config{
		Host:          "http://nowhere.invalid",
		Transport:     nowhere{},
		QPS:           -1,
		ContentConfig: rest.ContentConfig{ContentType: "application/json"},
	})
}

// nowhere is a transport without a network. Writes are answered as if they had succeeded, lists are empty, single
// objects are not found.
type nowhere struct{}

func (nowhere) RoundTrip(request *http.Request) (*http.Response, error) {
	status, body := http.StatusOK, []byte(`{}`)
	switch request.Method {
	case http.MethodGet:
		if isCollection(request.URL.Path) {
			body = []byte(`{"items":[]}`)
			break
		}
		status = http.StatusNotFound
		body = notFound(request.URL.Path)
	case http.MethodDelete:
		body = []byte(`{"kind":"Status","apiVersion":"v1","status":"Success","code":200}`)
	case http.MethodPost, http.MethodPut:
		if request.Body != nil {
			sent, err := io.ReadAll(request.Body)
			if err != nil {
				return nil, err
			}
			body = sent
		}
	}
	return &http.Response{
		StatusCode: status,
		Header:     http.Header{"Content-Type": []string{"application/json"}},
		Body:       io.NopCloser(bytes.NewReader(body)),
		Request:    request,
	}, nil
}

// notFound is the API server's answer for a single object that does not exist.
func notFound(path string) []byte {
	group, parts := splitPath(path)
	resource := schema.GroupResource{Group: group, Resource: parts[0]}
	status := apierrors.NewNotFound(resource, parts[len(parts)-1]).Status()
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	body, err := json.Marshal(status)
	if err != nil {
		return nil // unreachable: a Status always marshals
	}
	return body
}

// isCollection tells the path of a list from that of a single object.
func isCollection(path string) bool {
	_, parts := splitPath(path)
	return len(parts) == 1
}

// splitPath takes /api/v1[/namespaces/NS]/RESOURCE[/NAME] or /apis/GROUP/VERSION[/namespaces/NS]/RESOURCE[/NAME] apart
// into the group and what begins with the resource. In /api/v1/namespaces[/NAME] the Namespace is the resource.
func splitPath(path string) (group string, parts []string) {
	parts = strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case len(parts) > 2 && parts[0] == "api":
		parts = parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		group, parts = parts[1], parts[3:]
	}
	if len(parts) > 2 && parts[0] == "namespaces" {
		parts = parts[2:]
	}
	return group, parts
}
