package faults

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const retryAfterSeconds = 1

// refuse answers as an API server does that cannot do what was asked.
func refuse(w http.ResponseWriter, fault Fault) {
	status := refusal(fault).Status()
	status.Kind, status.APIVersion = "Status", "v1"
	body, err := json.Marshal(status)
	if err != nil {
		panic(err) // unreachable: a Status has a JSON form
	}
	w.Header().Set("Content-Type", "application/json")
	if fault == TooManyRequests {
		w.Header().Set("Retry-After", strconv.Itoa(retryAfterSeconds))
	}
	w.WriteHeader(int(status.Code))
	_, _ = w.Write(body) // nobody to tell when the client has gone
}

func refusal(fault Fault) *apierrors.StatusError {
	switch fault {
	case Conflict:
		changed := errors.New("the object has been modified; please apply your changes to the latest version and try again")
		return apierrors.NewConflict(schema.GroupResource{Resource: "pods"}, "proxy", changed)
	case TooManyRequests:
		return apierrors.NewTooManyRequests("too many requests, please try again later", retryAfterSeconds)
	default:
		return apierrors.NewInternalError(errors.New("etcdserver: request timed out"))
	}
}
