//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// The way to the API server is that of the kubeconfig and of the environment: a credential plugin says who one is, and
// a proxy leads there.
func TestCredentialPluginsAndProxiesAreUsed(t *testing.T) {
	ctx := t.Context()
	create(ctx, t, node("only"), pod("waits"))
	waitCaches(ctx, t)
	plugin := credentialPlugin(t, env.Config.BearerToken)
	for name, test := range map[string]struct {
		exec           *clientcmdapi.ExecConfig
		proxy, proxied bool
		exitCode       int
		stderr         string
	}{
		"a credential plugin and a proxy": {exec: plugin, proxy: true, proxied: true},
		"a credential plugin that fails": {
			exec: &clientcmdapi.ExecConfig{Command: "false"}, proxy: true, exitCode: 2,
			stderr: "executable false failed with exit code 1",
		},
		"no credential plugin of that name": {
			exec: &clientcmdapi.ExecConfig{Command: "no-such-plugin"}, proxy: true, exitCode: 2,
			stderr: "executable no-such-plugin not found",
		},
		"no proxy, and a name that nobody else knows": {exec: plugin, exitCode: 2, stderr: "no such host"},
	} {
		t.Run(name, func(t *testing.T) {
			proxy := startTunnel(t)
			t.Setenv("HTTPS_PROXY", "")
			if test.proxy {
				t.Setenv("HTTPS_PROXY", proxy.URL)
			}
			out := env.kubectl.through(hiddenKubeconfig(t, test.exec)).run(ctx, t, "sched", "explain", "pod/waits",
				"-n", namespace, "-o", "name")
			if out.exitCode != test.exitCode || !strings.Contains(out.stderr, test.stderr) {
				t.Errorf("exit code %d, want %d with %q\n%s%s", out.exitCode, test.exitCode, test.stderr, out.stdout, out.stderr)
			}
			if lines := strings.Count(out.stderr, "\n"); test.exitCode != 0 && lines != 1 {
				t.Errorf("%d lines on stderr, want one:\n%s", lines, out.stderr)
			}
			if got := proxy.tunnels.Load() > 0; got != test.proxied {
				t.Errorf("through the proxy: %v, want %v", got, test.proxied)
			}
		})
	}
}

// credentialPlugin writes a credential plugin that hands out the token.
func credentialPlugin(t *testing.T, token string) *clientcmdapi.ExecConfig {
	t.Helper()
	const script = "#!/bin/sh\n" +
		`echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":%q}}'` + "\n"
	path := filepath.Join(t.TempDir(), "plugin")
	if err := os.WriteFile(path, fmt.Appendf(nil, script, token), 0o700); err != nil { //nolint:gosec // it is a program
		t.Fatal(err)
	}
	return &clientcmdapi.ExecConfig{Command: path}
}

// hiddenKubeconfig writes a kubeconfig with the API server under a name that only the tunnel knows.
func hiddenKubeconfig(t *testing.T, exec *clientcmdapi.ExecConfig) string {
	t.Helper()
	server, err := url.Parse(env.Config.Host)
	if err != nil {
		t.Fatal(err)
	}
	exec = exec.DeepCopy()
	exec.APIVersion, exec.InteractiveMode = "client.authentication.k8s.io/v1", clientcmdapi.NeverExecInteractiveMode
	const name = "hidden"
	config := clientcmdapi.NewConfig()
	config.Clusters[name] = &clientcmdapi.Cluster{
		Server: "https://cluster.invalid:" + server.Port(), InsecureSkipTLSVerify: true,
	}
	config.AuthInfos[name] = &clientcmdapi.AuthInfo{Exec: exec}
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	config.CurrentContext = name
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// tunnel is a proxy that leads to the API server, whatever host is asked for.
type tunnel struct {
	*httptest.Server
	tunnels atomic.Int64
}

func startTunnel(t *testing.T) *tunnel {
	t.Helper()
	proxy := &tunnel{}
	proxy.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		proxy.tunnels.Add(1)
		if err := dig(r.Context(), w, strings.TrimPrefix(env.Config.Host, "https://")); err != nil {
			t.Errorf("proxy: %s %s: %v", r.Method, r.Host, err)
		}
	}))
	t.Cleanup(proxy.Close)
	return proxy
}

// dig answers a CONNECT request, and carries bytes to and fro until one side is done.
func dig(ctx context.Context, w http.ResponseWriter, address string) error {
	server, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	defer func() { _ = server.Close() }()
	client, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	if _, err := io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return err
	}
	go func() {
		defer func() { _ = server.Close() }()
		_, _ = io.Copy(server, client) // ends when the client hangs up
	}()
	_, _ = io.Copy(client, server)
	return nil
}
