#!/usr/bin/env bash
# Builds etcd, kube-apiserver, kube-scheduler and kubectl from their Go modules (hack/controlplane/go.mod), once per
# set of versions, and prints the folder they are in. Progress goes to stderr.
#
# The folder is outside the repository: ${XDG_CACHE_HOME:-~/.cache}/kubectl-sched/<versions>.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/controlplane"

kubernetes=$(go list -m -f '{{.Version}}' k8s.io/kubernetes)
etcd=$(go list -m -f '{{.Version}}' go.etcd.io/etcd/server/v3)
dir=${XDG_CACHE_HOME:-$HOME/.cache}/kubectl-sched/kubernetes-$kubernetes-etcd-$etcd
mkdir -p "$dir"

# Clients cannot parse the version of an unstamped Kubernetes binary.
IFS=. read -r major minor _ <<<"${kubernetes#v}"
stamp=k8s.io/component-base/version
ldflags="-s -w -X $stamp.gitVersion=$kubernetes -X $stamp.gitMajor=$major -X $stamp.gitMinor=$minor"

# No -trimpath: compiled packages are then shared with `go test` and `go run` in this repository.
build() {
  local name=$1 version=$2 package=$3
  [[ -x $dir/$name ]] && return
  echo "building $name $version from its Go module (first time only; all four take about 6 minutes on 2 cores) ..." >&2
  local partial
  partial=$(mktemp "$dir/.$name.XXXXXX")
  go build -ldflags "$ldflags" -o "$partial" "$package" >&2 || { rm -f "$partial"; return 1; }
  mv "$partial" "$dir/$name"
}

build etcd "$etcd" go.etcd.io/etcd/server/v3
build kube-apiserver "$kubernetes" k8s.io/kubernetes/cmd/kube-apiserver
build kube-scheduler "$kubernetes" k8s.io/kubernetes/cmd/kube-scheduler
build kubectl "$kubernetes" k8s.io/kubernetes/cmd/kubectl

echo "$dir"
