// Package serve answers the HTTP requests of those who watch over a running scheduler: /healthz, /livez and /readyz, as
// Kubernetes' own components answer them, and /metrics.
//
// On a loopback address it speaks plain HTTP with everybody on this host, and only with them: a request whose Host is
// neither localhost nor a loopback address is refused, or else a web page could read the answers by giving its own
// name that address (DNS rebinding).
//
// On any other address it speaks HTTPS, and asks the API server as kube-scheduler does: a TokenReview says whose bearer
// token it is, a SubjectAccessReview whether they may get the path. Only /healthz, /livez and /readyz themselves are
// for everybody. Client certificates and the headers of an authenticating proxy are not looked at, since no ConfigMap
// is ever read for the authorities that could have signed them.
package serve
