#!/usr/bin/env bash
# Checks that the archive which a snapshot left in the folder given holds what docs/install.md says: goreleaser only warns
# of files that are not there.
set -euo pipefail

dist=$(cd "${1:?usage: check-archive.sh FOLDER}" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

archive=$(echo "$dist"/kubectl-sched_*.tar.gz)
echo "looking into $(basename "$archive")"
want() {
  printf '%s\n' '-rwxr-xr-x kubectl-sched' '-rwxr-xr-x kubectl_complete-sched'
  printf -- '-rw-r--r-- %s\n' LICENSE README.md THIRD-PARTY-LICENSES completions/kubectl-sched.{bash,fish,powershell,zsh}
  git ls-files docs/man | sed 's/^docs/-rw-r--r-- /; s/ \// /'
}
if ! diff <(want | LC_ALL=C sort) <(tar -tzvf "$archive" | awk '$3 != "0" { print $1, $NF }' | LC_ALL=C sort); then
  echo "the archive holds something else than it should (>), or nothing in a file (<)" >&2
  exit 1
fi
