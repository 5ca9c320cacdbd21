package run

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// What answers a watch must be an API server: a page, such as one to log in at, is no watch.
func TestPagesAreNoWatches(t *testing.T) {
	const path = "/api/v1/pods"
	for contentType, want := range map[string]bool{
		"application/json": true,
		"application/vnd.kubernetes.protobuf;stream=watch": true,
		"text/html; charset=utf-8":                         false,
		"":                                                 false,
	} {
		answer := answering(func(*http.Request) (*http.Response, error) {
			return &http.Response{
				StatusCode: http.StatusOK,
				Header:     http.Header{"Content-Type": []string{contentType}},
				Body:       io.NopCloser(strings.NewReader("")),
			}, nil
		})
		watches := &openWatches{}
		response, err := watches.count(answer).RoundTrip(httptest.NewRequest(http.MethodGet, path+"?watch=true", http.NoBody))
		if err != nil {
			t.Fatal(err)
		}
		if got := watches.open(path); got != want {
			t.Errorf("%q: open %t, want %t", contentType, got, want)
		}
		if err := response.Body.Close(); err != nil || watches.open(path) {
			t.Errorf("%q: closing ends no watch: %v", contentType, err)
		}
	}
}

type answering func(*http.Request) (*http.Response, error)

func (a answering) RoundTrip(request *http.Request) (*http.Response, error) { return a(request) }
