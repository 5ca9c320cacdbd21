#!/usr/bin/env bash
# Runs the tests of every package that knows the flag -update, which makes them write their golden files anew.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=$({ grep -rlE --include='*_test.go' 'flag\.Bool(Var)?\(.*"update"' . || true; } | xargs -r -n1 dirname | sort -u)
if [[ -z $packages ]]; then
  echo "no package has golden files"
  exit 0
fi
echo "writing the golden files of" $packages
# shellcheck disable=SC2086 # one word per package
go test $packages -update
