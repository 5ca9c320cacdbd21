package cmd

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"
)

// A refused write is told once for every verb, kind and code, with what it takes when that is a right, and its answer
// comes through whole. What is sent again or comes too late is not told.
func TestRefusedWritesAreTold(t *testing.T) {
	const forbidden = `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,` +
		`"message":"pods \"a\" is forbidden: User \"u\" cannot delete resource \"pods\"","details":{"name":"a","kind":"pods"}}`
	const ending = `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,` +
		`"message":"events \"e\" is forbidden: the namespace ends","details":{"kind":"events","causes":[{"reason":"x"}]}}`
	var told []string
	refused := &refusedWrites{tell: func(refusal string) { told = append(told, refusal) }}
	for _, answer := range []struct {
		method string
		code   int
		body   string
	}{
		{http.MethodDelete, http.StatusForbidden, forbidden},
		{http.MethodDelete, http.StatusForbidden, forbidden}, // once more
		{http.MethodGet, http.StatusForbidden, forbidden},
		{http.MethodPost, http.StatusForbidden, ending},
		{http.MethodPatch, http.StatusConflict, `{}`},
		{http.MethodPost, http.StatusNotFound, `{}`},
		{http.MethodPost, http.StatusTooManyRequests, `{}`},
		{http.MethodPost, http.StatusServiceUnavailable, `{}`},
		{http.MethodPatch, http.StatusInternalServerError, `{}`},
		{http.MethodPatch, http.StatusBadGateway, `<html>`},
		{http.MethodPatch, http.StatusMethodNotAllowed, `<html>`},
		{http.MethodPost, http.StatusCreated, `{}`},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(answer.code)
			_, _ = io.WriteString(w, answer.body)
		}))
		client, err := rest.HTTPClientFor(refused.watch(&rest.Config{Host: server.URL}))
		if err != nil {
			t.Fatal(err)
		}
		if got := send(t, client, answer.method, server.URL); got != answer.body {
			t.Errorf("%s %d: got the body %q, want %q", answer.method, answer.code, got, answer.body)
		}
		server.Close()
	}
	want := []string{
		`the API server refuses a write: pods "a" is forbidden: User "u" cannot delete resource "pods"; ` +
			`deploy/rbac-run.yaml has the role that run needs`,
		`the API server refuses a write: events "e" is forbidden: the namespace ends`,
		`the API server refuses a write: 405 Method Not Allowed`,
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

func send(t *testing.T, client *http.Client, method, url string) (body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(""))
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
