#!/usr/bin/env bash
# Runs every fuzz target for the time given, one after the other: go test takes one target at a time. Of that time, go
# test would spend a minute on every input that it cuts down, and try nothing else meanwhile.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

time=${1:-10s}
targets=$(grep -roE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' . | sort || true)
if [[ -z $targets ]]; then
  echo "no fuzz targets"
  exit 0
fi
while IFS=: read -r file declaration; do
  target=${declaration#func }
  echo "fuzzing $target in $(dirname "$file") for $time"
  go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 10x "$(dirname "$file")" </dev/null
done <<<"$targets"
