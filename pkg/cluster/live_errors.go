package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"

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

// cannotList says that a kind cannot be listed, and what to do.
func cannotList(kind *Kind, err error) error {
	switch {
	case apierrors.IsForbidden(err):
		return fmt.Errorf("cannot list %s: %w; grant list on %s", kind.Resource, err, kind.Resource)
	case apierrors.IsUnauthorized(err):
		return fmt.Errorf("cannot list %s: %w; check the credentials of the kubeconfig", kind.Resource, err)
	}
	return fmt.Errorf("cannot list %s: %w", kind.Resource, err)
}
