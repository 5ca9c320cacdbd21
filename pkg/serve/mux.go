package serve

import "net/http"

// open lets everybody in.
func open(next http.Handler) http.Handler { return next }

// newMux routes requests to what answers them. protect stands before what is not for everybody.
func newMux(options Options, protect func(http.Handler) http.Handler) http.Handler {
	mux := http.NewServeMux()
	for _, health := range []checks{
		newChecks("healthz", options.Health), newChecks("livez", options.Health), newChecks("readyz", options.Ready),
	} {
		mux.HandleFunc("GET /"+health.name, health.serveAll)
		mux.Handle("GET /"+health.name+"/{check}", protect(http.HandlerFunc(health.serveOne)))
	}
	if options.Metrics != nil {
		mux.Handle("GET /metrics", protect(options.Metrics))
	}
	return mux
}

// withHeaders says that an answer is what it says it is, and good for one time.
func withHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-cache, private")
		next.ServeHTTP(w, r)
	})
}

// refuse answers a request that is not served, and ends its connection: by HTTP/2 a stranger could send very many.
func refuse(w http.ResponseWriter, code int, why string) {
	w.Header().Set("Connection", "close")
	http.Error(w, why, code)
}
