package serve

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"sync"

	"k8s.io/client-go/util/cert"
	"k8s.io/klog/v2"
)

// getCertificate is the type of tls.Config's.
type getCertificate func(*tls.ClientHelloInfo) (*tls.Certificate, error)

// newCertificate returns the certificate of the Options, or of its own making.
func newCertificate(ctx context.Context, ip net.IP, options Options) (getCertificate, error) {
	if options.CertFile == "" && options.KeyFile == "" {
		return selfSigned(ip)
	}
	files := &certificateFiles{cert: options.CertFile, key: options.KeyFile, logger: klog.FromContext(ctx)}
	if err := files.read(); err != nil {
		return nil, err
	}
	return files.get, nil
}

// selfSigned makes a certificate for localhost, as kube-scheduler's, and for the address unless that is every address.
// It is good for a year, and kept nowhere.
func selfSigned(ip net.IP) (getCertificate, error) {
	names := []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	if !ip.IsUnspecified() {
		names = append(names, ip)
	}
	certPEM, keyPEM, err := cert.GenerateSelfSignedCertKey(localhost, names, nil)
	if err != nil {
		return nil, fmt.Errorf("making a certificate: %w", err)
	}
	certificate, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		return nil, fmt.Errorf("making a certificate: %w", err)
	}
	return func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &certificate, nil }, nil
}

// certificateFiles is a certificate in files, which are looked at before every handshake: whoever renews certificates
// writes them anew, or lets a link point elsewhere, as the kubelet does with those of a Secret.
type certificateFiles struct {
	cert, key string
	logger    klog.Logger

	mu      sync.Mutex
	known   [2]stamp
	current *tls.Certificate
}

// stamp tells one state of a file from another.
type stamp struct {
	modified int64 // nanoseconds
	size     int64
}

// get returns the certificate of the files. While they cannot be read, or do not belong together as between two writes,
// it is the one before.
func (f *certificateFiles) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stamps() != f.known {
		if err := f.read(); err != nil {
			f.logger.Error(err, "The endpoints keep the certificate they have")
		}
	}
	return f.current, nil
}

// read reads the files. They are not read again before they change, whether they are of use or not.
func (f *certificateFiles) read() error {
	f.known = f.stamps() // before they are read, so that a change since is seen the next time
	certificate, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return fmt.Errorf("reading the certificate %s with the key %s: %w", f.cert, f.key, err)
	}
	f.current = &certificate
	return nil
}

func (f *certificateFiles) stamps() (stamps [2]stamp) {
	for i, name := range []string{f.cert, f.key} {
		if info, err := os.Stat(name); err == nil {
			stamps[i] = stamp{modified: info.ModTime().UnixNano(), size: info.Size()}
		}
	}
	return stamps
}
