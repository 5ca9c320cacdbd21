package upstream

import (
	"bytes"
	"io"
	"net/http"
	"strings"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// newClient returns a clientset that cannot reach anything: its transport answers every request by itself. Upstream's
// code asks for a client in a few places even when it only judges; with this one it can neither write nor panic.
func newClient() (kubernetes.Interface, error) {
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
		body = []byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`)
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

// isCollection tells /api/v1[/namespaces/NS]/RESOURCE and /apis/GROUP/VERSION[/namespaces/NS]/RESOURCE from the paths
// of single objects.
func isCollection(path string) bool {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case len(parts) > 2 && parts[0] == "api":
		parts = parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		parts = parts[3:]
	}
	if len(parts) > 2 && parts[0] == "namespaces" {
		parts = parts[2:]
	}
	return len(parts) == 1
}
