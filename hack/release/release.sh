#!/usr/bin/env bash
# Releases the tag that is checked out: builds, signs and uploads all of it as a draft, adds the manifest for krew, and
# publishes. Needs what the workflow release.yaml sets up: GITHUB_TOKEN, IMAGE, cosign, docker with buildx, and gh.
#
# Another tag of the same commit, such as that of a release candidate, is not looked at when GITHUB_REF_NAME is set.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

: "${IMAGE:?is not set: it says where the image goes}"
tag=${GITHUB_REF_NAME:-$(git describe --exact-match --tags)}
GORELEASER_CURRENT_TAG=$tag go tool -modfile=hack/release/go.mod goreleaser release --clean
go run ./hack/krewmanifest krew/sched.yaml "$tag" dist/checksums.txt >dist/sched.yaml
cosign sign-blob --yes --bundle=dist/sched.yaml.sigstore.json dist/sched.yaml
gh release upload "$tag" dist/sched.yaml dist/sched.yaml.sigstore.json
gh release edit "$tag" --draft=false
