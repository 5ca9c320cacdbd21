#!/usr/bin/env bash
# Makes the release of the commit that is checked out, for this machine's platform alone, in a clone of its own in the
# folder given, and leaves it in dist there. Nothing is signed, and no image is made. With an empty folder for the build
# cache besides, the program is compiled anew.
set -euo pipefail

mkdir -p "${1:?usage: snapshot.sh FOLDER [CACHE]}"
clone=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
git clone --quiet --no-hardlinks . "$clone"
cd "$clone"
system=$(go env GOHOSTOS) machine=$(go env GOHOSTARCH)
sed -i.all -e "s/^  goos: .*/  goos: [$system]/" -e "s/^  goarch: .*/  goarch: [$machine]/" .goreleaser.yaml
rm .goreleaser.yaml.all
goreleaser=$(go tool -n -modfile=hack/release/go.mod goreleaser)
GOCACHE=${2:-$(go env GOCACHE)} "$goreleaser" release --snapshot --clean --skip=docker,sign
