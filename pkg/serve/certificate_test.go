package serve_test

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/util/cert"

	"github.com/kubectl-sched/kubectl-sched/pkg/serve"
)

// ready is a certificate that is made once: making one takes a while.
var ready = sync.OnceValues(func() (certPEM, keyPEM []byte) {
	certPEM, keyPEM, err := cert.GenerateSelfSignedCertKey("localhost", nil, nil)
	if err != nil {
		panic(err)
	}
	return certPEM, keyPEM
})

// secure returns the Options of a Server on every address, whose certificate is ready.
func secure(t *testing.T, api *api) serve.Options {
	t.Helper()
	files := newPair(t)
	certPEM, keyPEM := ready()
	files.write(files.cert, certPEM)
	files.write(files.key, keyPEM)
	return serve.Options{Address: everybody, Client: api.client, CertFile: files.cert, KeyFile: files.key}
}

// pair is a certificate in files.
type pair struct {
	t         *testing.T
	cert, key string
	written   time.Time
}

func newPair(t *testing.T) *pair {
	dir := t.TempDir()
	return &pair{t: t, cert: filepath.Join(dir, "tls.crt"), key: filepath.Join(dir, "tls.key"), written: time.Unix(1e9, 0)}
}

// write writes a file, a second after the last one.
func (p *pair) write(name string, data []byte) {
	p.t.Helper()
	p.written = p.written.Add(time.Second)
	if err := os.WriteFile(name, data, 0o600); err != nil {
		p.t.Fatal(err)
	}
	if err := os.Chtimes(name, p.written, p.written); err != nil {
		p.t.Fatal(err)
	}
}

// made returns the PEM of a certificate for a host, and its key.
func made(t *testing.T, host string) (certPEM, keyPEM []byte) {
	t.Helper()
	certPEM, keyPEM, err := cert.GenerateSelfSignedCertKey(host, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return certPEM, keyPEM
}

// presented returns the certificate that a new connection gets.
func presented(t *testing.T, url string) *x509.Certificate {
	t.Helper()
	connection, err := tls.Dial("tcp", strings.TrimPrefix(url, "https://"),
		&tls.Config{InsecureSkipVerify: true}) //nolint:gosec // it is looked at by the test
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close() }()
	return connection.ConnectionState().PeerCertificates[0]
}

// A certificate that is renewed is used from the next connection on; one that is of no use is not.
func TestCertificateIsReadAgain(t *testing.T) {
	files := newPair(t)
	oldCert, oldKey := made(t, "old")
	newCert, newKey := made(t, "new")
	files.write(files.cert, oldCert)
	files.write(files.key, oldKey)
	url := start(t, serve.Options{
		Address: everybody, Client: newAPI().client, CertFile: files.cert, KeyFile: files.key,
	})
	for _, step := range []struct {
		sentence string
		do       func()
		want     string
	}{
		{"as it was", func() {}, "old"},
		{"the key is not written yet", func() { files.write(files.cert, newCert) }, "old"},
		{"both are written", func() { files.write(files.key, newKey) }, "new"},
		{"the key is no key", func() { files.write(files.key, []byte("no key")) }, "new"},
		{"the key is gone", func() { _ = os.Remove(files.key) }, "new"},
		{"the old key is back, without its certificate", func() { files.write(files.key, oldKey) }, "new"},
		{"both are back", func() { files.write(files.cert, oldCert) }, "old"},
	} {
		step.do()
		if got := presented(t, url).DNSNames; !cmp.Equal(got, []string{step.want}) {
			t.Errorf("%s: got the certificate of %v, want that of %s", step.sentence, got, step.want)
		}
	}
}

// Files of a Secret are links into a directory, which is exchanged as a whole.
func TestCertificateIsReadAgainThroughLinks(t *testing.T) {
	dir := t.TempDir()
	for _, host := range []string{"old", "new"} {
		if err := os.Mkdir(filepath.Join(dir, host), 0o700); err != nil {
			t.Fatal(err)
		}
		certPEM, keyPEM := made(t, host)
		files := &pair{t: t, written: time.Unix(int64(len(host)), 0)}
		if host == "new" {
			files.written = time.Unix(1e9, 0)
		}
		files.write(filepath.Join(dir, host, "tls.crt"), certPEM)
		files.write(filepath.Join(dir, host, "tls.key"), keyPEM)
	}
	data := filepath.Join(dir, "..data")
	point := func(to string) {
		t.Helper()
		if err := os.Symlink(to, data+"_tmp"); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(data+"_tmp", data); err != nil {
			t.Fatal(err)
		}
	}
	point("old")
	url := start(t, serve.Options{
		Address: everybody, Client: newAPI().client,
		CertFile: filepath.Join(data, "tls.crt"), KeyFile: filepath.Join(data, "tls.key"),
	})
	got := presented(t, url).DNSNames
	point("new")
	got = append(got, presented(t, url).DNSNames...)
	if diff := cmp.Diff([]string{"old", "new"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Without files a certificate is made that is good for this host.
func TestCertificateOfOwnMaking(t *testing.T) {
	got := presented(t, start(t, serve.Options{Address: everybody, Client: newAPI().client}))
	for _, host := range []string{"localhost", "127.0.0.1", "::1"} {
		if err := got.VerifyHostname(host); err != nil {
			t.Error(err)
		}
	}
	if ips := got.IPAddresses; len(ips) != 2 || ips[0].IsUnspecified() || ips[1].IsUnspecified() {
		t.Errorf("got a certificate for %v", ips)
	}
}

// Off loopback, only TLS from 1.2 on is spoken, with HTTP/2 for those who can.
func TestTLS(t *testing.T) {
	url := start(t, secure(t, newAPI()))
	for sentence, c := range map[string]struct {
		version uint16
		fails   bool
	}{
		"TLS 1.1": {tls.VersionTLS11, true},
		"TLS 1.2": {tls.VersionTLS12, false},
		"TLS 1.3": {tls.VersionTLS13, false},
	} {
		t.Run(sentence, func(t *testing.T) {
			connection, err := tls.Dial("tcp", strings.TrimPrefix(url, "https://"), &tls.Config{
				InsecureSkipVerify: true, MinVersion: c.version, MaxVersion: c.version, //nolint:gosec // on purpose
			})
			if err == nil {
				_ = connection.Close()
			}
			if (err != nil) != c.fails {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("HTTP/2", func(t *testing.T) {
		got, with := get(t, newClient(t), url+"/readyz")
		if got.Code != http.StatusOK || with.proto != "HTTP/2.0" {
			t.Errorf("got %d by %s", got.Code, with.proto)
		}
	})
	t.Run("no TLS at all", func(t *testing.T) {
		got, _ := get(t, newClient(t), "http"+strings.TrimPrefix(url, "https")+"/readyz")
		if got.Code != http.StatusBadRequest {
			t.Errorf("got %v", got)
		}
	})
	t.Run("a Host of any name", func(t *testing.T) {
		got, _ := get(t, newClient(t), url+"/readyz", "Host: kubectl-sched.kube-system.svc")
		if got.Code != http.StatusOK {
			t.Errorf("got %v", got)
		}
	})
}

// silent opens a connection on which nothing is said.
func silent(t *testing.T, url string) net.Conn {
	t.Helper()
	_, address, _ := strings.Cut(url, "://")
	connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	return connection
}
