package controlplane

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// access is how an administrator reaches the API server, and the files that let the API server know him.
type access struct {
	port       int
	config     *rest.Config
	kubeconfig string
	tokens     string
	signingKey string
}

// newAccess writes a token file, a signing key for service accounts and a kubeconfig into dir.
func newAccess(dir string, port int) (*access, error) {
	token := rand.Text()
	a := &access{
		port: port,
		config: &rest.Config{
			Host:            localURL("https", port),
			BearerToken:     token,
			TLSClientConfig: rest.TLSClientConfig{Insecure: true}, // the server makes its own certificate
			QPS:             -1,
		},
		kubeconfig: filepath.Join(dir, "kubeconfig"),
		tokens:     filepath.Join(dir, "tokens.csv"),
		signingKey: filepath.Join(dir, "service-account.key"),
	}
	user := token + ",admin,admin,system:masters\n"
	if err := os.WriteFile(a.tokens, []byte(user), 0o600); err != nil {
		return nil, fmt.Errorf("writing the token file: %w", err)
	}
	if err := writeSigningKey(a.signingKey); err != nil {
		return nil, fmt.Errorf("writing the signing key of service accounts: %w", err)
	}
	if err := WriteKubeconfig(a.config, a.kubeconfig); err != nil {
		return nil, err
	}
	return a, nil
}

func writeSigningKey(path string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), 0o600)
}

// WriteKubeconfig writes a kubeconfig with the config's server and token to path. The server's certificate is not
// verified: it signs its own.
func WriteKubeconfig(config *rest.Config, path string) error {
	const name = "e2e"
	kubeconfig := clientcmdapi.NewConfig()
	kubeconfig.Clusters[name] = &clientcmdapi.Cluster{Server: config.Host, InsecureSkipTLSVerify: true}
	kubeconfig.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: config.BearerToken}
	kubeconfig.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	kubeconfig.CurrentContext = name
	if err := clientcmd.WriteToFile(*kubeconfig, path); err != nil {
		return fmt.Errorf("writing the kubeconfig: %w", err)
	}
	return nil
}
