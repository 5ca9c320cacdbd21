#!/usr/bin/env bash
# Checks the configuration of releases, makes one for this machine's platform twice, compares the two, looks into the
# archive, and installs it by krew. Whether the program compiles for other systems is checked too. With CLEAN=1 the second
# release is compiled anew, some 10 minutes on 2 cores; otherwise it is linked and packed anew.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

tools() { go tool -modfile=hack/release/go.mod "$@"; }

echo "checking .goreleaser.yaml and the workflows (the first time builds goreleaser, about 4 minutes on 2 cores)"
tools goreleaser check --quiet
tools actionlint
if unpinned=$(grep -rhE '^ *(- )?uses:' .github/workflows | grep -vE '@[0-9a-f]{40} # v[0-9.]+$'); then
  printf 'actions are named by their commit, with the version in a comment; these are not:\n%s\n' "$unpinned" >&2
  exit 1
fi

temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT

echo "checking types for darwin and windows"
go run -C hack/release ./systems ../.. darwin windows

echo "making a release of $(git rev-parse --short HEAD) for this platform"
hack/release/snapshot.sh "$temporary/one" 2>"$temporary/log" || { cat "$temporary/log" >&2; exit 1; }
echo "making it once more${CLEAN:+, all of it anew}"
(umask 077 && TZ=Asia/Kolkata LC_ALL=C hack/release/snapshot.sh "$temporary/another/clone" ${CLEAN:+"$temporary/cache"}) \
  2>"$temporary/log" || { cat "$temporary/log" >&2; exit 1; }
if ! diff "$temporary/one/dist/checksums.txt" "$temporary/another/clone/dist/checksums.txt"; then
  echo "two builds of one commit differ" >&2
  exit 1
fi

hack/release/check-archive.sh "$temporary/one/dist"
hack/release/check-krew.sh "$temporary/one/dist"
