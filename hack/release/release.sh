#!/usr/bin/env bash
# Releases the tag that is checked out: builds, signs and uploads all of it as a draft, adds the manifest for krew, and
# publishes. Needs what the workflow release.yaml sets up: GITHUB_TOKEN, IMAGE, cosign, docker with buildx, and gh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

tag=$(git describe --exact-match --tags)
go tool -modfile=hack/release/go.mod goreleaser release --clean
go run ./hack/krewmanifest krew/sched.yaml "$tag" dist/checksums.txt >dist/sched.yaml
gh release upload "$tag" dist/sched.yaml
gh release edit "$tag" --draft=false
