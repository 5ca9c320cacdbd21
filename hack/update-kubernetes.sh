#!/usr/bin/env bash
# Lifts Kubernetes to one version: its modules in go.mod and hack/controlplane/go.mod, and every place that says which
# version is linked in. Run again, it changes nothing.
#
#   hack/update-kubernetes.sh v1.37.2
#
# What was read or measured with a version (comments, testdata/cases, docs/scale.md) keeps it: what is printed at the
# end tells how to find it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

new=${1:-}
if [[ ! $new =~ ^v1\.[0-9]+\.[0-9]+(-(alpha|beta|rc)\.[0-9]+)?$ ]]; then
  echo "usage: hack/update-kubernetes.sh VERSION, such as v1.37.2" >&2
  exit 2
fi
said=pkg/engine/upstream/version.go # read first and written last: what is interrupted begins anew
old=$(sed -n 's/^const Version = "\(.*\)"$/\1/p' "$said")

# k8s.io/kubernetes requires the modules of its own tree as v0.0.0, which exists nowhere; go.mod has to say v0.X.Y.
echo "reading k8s.io/kubernetes $new"
requirements=$(go list -m -f '{{.GoMod}}' "k8s.io/kubernetes@$new")
edits=("-require=k8s.io/kubernetes@$new")
for module in $(awk '$2 == "v0.0.0" { print $1 }' "$requirements"); do
  edits+=("-require=$module@v0${new#v1}")
done
for dir in . hack/controlplane; do
  echo "lifting $dir/go.mod"
  go -C "$dir" mod edit "${edits[@]}"
  # When a package that is imported is gone, tidy may take another version of Kubernetes to have it.
  if ! go -C "$dir" mod tidy || [[ $(go -C "$dir" list -m -f '{{.Version}}' k8s.io/kubernetes) != "$new" ]]; then
    echo "$dir/go.mod cannot have Kubernetes $new, see above: mend that, or take the file back; then run this again" >&2
    exit 1
  fi
done

# Scripts hold the version as a pattern too. Comments cite the version in which upstream's code was read.
pattern=${old//./\\.}
texts=$(git grep -lF -e "$old" -e "$pattern" -- README.md README.zh-CN.md docs/comparison.md docs/reasons.md \
  docs/versions.md testdata/script '*_test.go' || true)
for file in $texts "$said"; do
  sed -i.old -e '/^[[:space:]]*\/\//!'"s/$pattern/$new/g" -e "s/${pattern//\\/\\\\\\}/${new//./\\\\.}/g" "$file"
  rm "$file.old"
done

if [[ $old == "$new" ]]; then
  echo "Kubernetes is $new already"
  exit 0
fi
minor=${old%.*}
cat <<END

Kubernetes is $new now, $old before. What to do next:

1. Compare kube-scheduler's code of both versions; look for plugins, feature gates and kinds that are new or gone:
     diff -ru "\$(go mod download -json k8s.io/kubernetes@$old | sed -n 's/.*"Dir": "\(.*\)",*/\1/p')/pkg/scheduler" \\
       "\$(go list -m -f '{{.Dir}}' k8s.io/kubernetes)/pkg/scheduler"
2. Read each place again that follows upstream's code, and lift its version:
     git grep -nF $old -- '*.go'      ($(git grep -F "$old" -- '*.go' | wc -l) lines)
3. Build and test; \`make update\` writes expected outputs anew, so look at what it changes:
     make build && make update && git diff && .ci/run
4. See what else names the old version, and whether it should (what was measured with it does):
     git grep -nF ${minor#v} -- ':!*.go' ':!*go.mod' ':!*go.sum' ':!testdata'
5. Say it in CHANGELOG.md, with the version of Go if go.mod asks for a newer one (deploy/Dockerfile has it too).
END
