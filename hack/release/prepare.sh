#!/usr/bin/env bash
# Writes what the archives and the image of a release hold beside the program and the documents into bin/release.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# The environment is that of the build of another platform when goreleaser runs this.
unset GOOS GOARCH
rm -rf bin/release
mkdir -p bin/release/completions
CGO_ENABLED=0 go build -trimpath -buildvcs=false -tags grpcnotrace -o bin/release/kubectl-sched ./cmd/kubectl-sched
for shell in bash zsh fish powershell; do
  bin/release/kubectl-sched completion "$shell" >"bin/release/completions/kubectl-sched.$shell"
done
bin/release/kubectl-sched completion kubectl >bin/release/kubectl_complete-sched
go run -C hack/release ./licenses ../.. >bin/release/THIRD-PARTY-LICENSES
rm bin/release/kubectl-sched
# For the image only: archives are made without, too.
certificates=/etc/ssl/certs/ca-certificates.crt
[[ ! -e $certificates ]] || cp "$certificates" bin/release/
