#!/usr/bin/env bash
# Checks what neither tests nor linters look at: formatting, go vet with every build tag, module files.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

echo "checking gofmt"
unformatted=$(git ls-files -z --cached --others --exclude-standard '*.go' | xargs -0 gofmt -l)
if [[ -n $unformatted ]]; then
  printf 'not formatted, run gofmt -w on:\n%s\n' "$unformatted" >&2
  exit 1
fi

echo "checking go vet"
go vet ./...
go vet -tags e2e ./test/e2e/...
go -C hack/release vet ./...

for module in . hack/controlplane hack/krew hack/release hack/tools; do
  echo "checking $module/go.mod"
  go -C "$module" mod tidy -diff
done

# With a replace, `go install ...@latest` would refuse the module.
if go mod edit -json | grep -q '"Replace": \['; then
  echo "go.mod has a replace" >&2
  exit 1
fi
