package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// unanswered returns an error when err means that no answer came, and nil when it is the server's answer.
func (c *connection) unanswered(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("waiting for the API server at %s: %w", c.config.Host, context.Cause(ctx))
	}
	// net/http wraps what happened in an url.Error, whose text is the method and the whole URL.
	var transport *url.Error
	if !errors.As(err, &transport) {
		return nil
	}
	return fmt.Errorf("no answer from the API server at %s: %w; %s", c.config.Host, transport.Err, advice(transport))
}

// advice says what to check when no answer came.
func advice(err error) string {
	var certificate *tls.CertificateVerificationError
	var network net.Error
	switch {
	case errors.As(err, &certificate):
		return "check the certificate authority and the server of the kubeconfig"
	case errors.Is(err, http.ErrSchemeMismatch):
		return "the server of the kubeconfig says https where the API server speaks http"
	case errors.As(err, &network) && network.Timeout():
		return "check the server of the kubeconfig and the network, or allow requests more time"
	}
	return "check the server of the kubeconfig and the network"
}

// listError says that kinds cannot be listed, all for the same cause, and what to do.
type listError struct {
	resources []string
	cause     error
}

func (e *listError) Error() string {
	const most = 3
	resources := e.resources
	if len(resources) > most {
		resources = append(slices.Clone(resources[:most-1]), fmt.Sprintf("%d other kinds", len(resources)-most+1))
	}
	kinds := strings.Join(resources, ", ")
	text := fmt.Sprintf("cannot list %s: %v", kinds, e.cause)
	switch {
	case apierrors.IsForbidden(e.cause):
		text += "; grant list on " + kinds
	case apierrors.IsUnauthorized(e.cause):
		text += "; check the credentials of the kubeconfig"
	}
	return text
}

func (e *listError) Unwrap() error { return e.cause }

// cannotList says that a kind cannot be listed, and what to do.
func cannotList(kind *Kind, err error) error { return &listError{[]string{kind.Resource}, err} }

// JoinErrors joins errors of reading a cluster. Kinds that cannot be listed for the same cause share one.
func JoinErrors(errs []error) error {
	var joined []error
	same := map[string]*listError{}
	for _, err := range errs {
		failed, ok := err.(*listError) //nolint:errorlint // one that is wrapped says more
		if !ok {
			joined = append(joined, err)
			continue
		}
		if first := same[failed.cause.Error()]; first != nil {
			first.resources = append(first.resources, failed.resources...)
			continue
		}
		one := &listError{slices.Clone(failed.resources), failed.cause}
		same[failed.cause.Error()] = one
		joined = append(joined, one)
	}
	return errors.Join(joined...)
}
