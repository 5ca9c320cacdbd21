package bind_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// behavior is what an apiServer does with one request.
type behavior func(*apiServer, http.ResponseWriter, *http.Request)

// well answers as a server does that is in order.
func well(s *apiServer, w http.ResponseWriter, r *http.Request) {
	s.inDoubt = false
	switch {
	case r.Method == http.MethodPost:
		if err := s.store(); err != nil {
			answer(w, int(err.ErrStatus.Code), err.ErrStatus)
			return
		}
		answer(w, http.StatusCreated, metav1.Status{Status: metav1.StatusSuccess})
	case s.pod == nil:
		answer(w, http.StatusNotFound, apierrors.NewNotFound(pods, target.Name).ErrStatus)
	default:
		answer(w, http.StatusOK, s.pod)
	}
}

func answer(w http.ResponseWriter, code int, object any) {
	if status, ok := object.(metav1.Status); ok {
		status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
		object = status
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(object)
}

// unserved answers as a server does that does not know the path.
func unserved(_ *apiServer, w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusNotFound, metav1.Status{
		Status: metav1.StatusFailure, Reason: metav1.StatusReasonNotFound, Code: http.StatusNotFound,
		Message: "the server could not find the requested resource",
	})
}

// drop closes the connection and does nothing.
func drop(*apiServer, http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// reset ends the connection with a TCP reset.
func reset(s *apiServer, w http.ResponseWriter, _ *http.Request) {
	connection, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		s.t.Error(err)
		return
	}
	_ = connection.(*net.TCPConn).SetLinger(0)
	_ = connection.Close()
}

// half closes the connection in the middle of the answer.
func half(_ *apiServer, w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", "1000")
	_, _ = io.WriteString(w, `{"kind":"Sta`)
	panic(http.ErrAbortHandler)
}

// hang answers nothing until the client goes away.
func hang(s *apiServer, _ http.ResponseWriter, r *http.Request) {
	s.mutex.Unlock()
	<-r.Context().Done()
	s.mutex.Lock()
}

// stores lets a Binding go through before something happens to the answer.
func stores(then behavior) behavior {
	return func(s *apiServer, w http.ResponseWriter, r *http.Request) {
		if err := s.store(); err != nil {
			s.t.Logf("the server refuses: %v", err)
		}
		then(s, w, r)
	}
}

// after lets something happen to the Pod before the request is served.
func after(change func(*apiServer), then behavior) behavior {
	return func(s *apiServer, w http.ResponseWriter, r *http.Request) {
		change(s)
		then(s, w, r)
	}
}

// says answers with a Status.
func says(err *apierrors.StatusError) behavior {
	return func(_ *apiServer, w http.ResponseWriter, _ *http.Request) {
		answer(w, int(err.ErrStatus.Code), err.ErrStatus)
	}
}

// refuses answers with a Status that leaves no doubt that nothing was done.
func refuses(err *apierrors.StatusError) behavior {
	return after(func(s *apiServer) { s.inDoubt = false }, says(err))
}

// page answers with the page of a proxy.
func page(code int) behavior {
	return func(_ *apiServer, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(code)
		_, _ = io.WriteString(w, "<html><body>proxy</body></html>")
	}
}

// tooMany answers 429 as priority and fairness does, with Retry-After in seconds unless it is 0.
func tooMany(retryAfter int) behavior {
	return func(s *apiServer, w http.ResponseWriter, _ *http.Request) {
		s.inDoubt = false
		if retryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(retryAfter))
		}
		http.Error(w, "Too many requests, please try again later.", http.StatusTooManyRequests)
	}
}

// deleted, replaced, terminating, gated and taken are what can happen to a Pod.
func deleted(s *apiServer)  { s.pod = nil }
func replaced(s *apiServer) { s.pod.UID = "uid-2" }
func terminating(s *apiServer) {
	s.pod.DeletionTimestamp = &metav1.Time{Time: startTime}
}
func gated(s *apiServer) {
	s.pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/wait"}}
}
func taken(nodeName string) func(*apiServer) {
	return func(s *apiServer) { s.pod.Spec.NodeName = nodeName }
}
