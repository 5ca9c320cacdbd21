package controlplane

import (
	"fmt"
	"path/filepath"
)

func etcdFlags(dir string, clientPort, peerPort int) []string {
	client, peer := localURL("http", clientPort), localURL("http", peerPort)
	return []string{
		"--data-dir=" + filepath.Join(dir, "etcd"),
		"--listen-client-urls=" + client,
		"--advertise-client-urls=" + client,
		"--listen-peer-urls=" + peer,
		"--initial-advertise-peer-urls=" + peer,
		"--initial-cluster=default=" + peer,
		"--unsafe-no-fsync",
		"--log-level=warn",
	}
}

func apiServerFlags(dir string, access *access, etcdPort int) []string {
	return []string{
		"--etcd-servers=" + localURL("http", etcdPort),
		"--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", access.port),
		"--cert-dir=" + filepath.Join(dir, "apiserver"),
		"--token-auth-file=" + access.tokens,
		"--service-account-key-file=" + access.signingKey,
		"--service-account-signing-key-file=" + access.signingKey,
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-cluster-ip-range=10.0.0.0/24",
		"--authorization-mode=RBAC",
		// Without controllers no service account would ever appear, nor would the taints of conditions go away.
		"--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
	}
}

func localURL(scheme string, port int) string {
	return fmt.Sprintf("%s://127.0.0.1:%d", scheme, port)
}
