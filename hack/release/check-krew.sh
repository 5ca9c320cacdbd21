#!/usr/bin/env bash
# Checks the manifest for krew, and installs the archive that a snapshot left in the folder given, by the real krew and
# with the real kubectl, into a folder that is removed again. Needs no network but for building krew and kubectl.
set -euo pipefail

dist=$(cd "${1:?usage: check-krew.sh FOLDER}" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
fail() { echo "$*" >&2; exit 1; }

echo "checking krew/sched.yaml"
go build -C hack/krew -o "$temporary/" sigs.k8s.io/krew/cmd/krew sigs.k8s.io/krew/cmd/validate-krew-manifest
archive=$(cd "$dist" && echo kubectl-sched_*.tar.gz)
[[ -e $dist/$archive ]] || fail "there is no archive in $dist: make one by hack/release/snapshot.sh"
version=v$(cut -d_ -f2 <<<"$archive")
go run ./hack/krewmanifest -built krew/sched.yaml "$version" "$dist/checksums.txt" >"$temporary/sched.yaml"
for manifest in krew/sched.yaml "$temporary/sched.yaml"; do
  "$temporary/validate-krew-manifest" -skip-install -manifest "$manifest" 2>"$temporary/log" || fail "$(cat "$temporary/log")"
done

echo "installing $archive by krew"
mkdir "$temporary/bin"
mv "$temporary/krew" "$temporary/bin/kubectl-krew"
ln -s "$(hack/build-controlplane.sh)/kubectl" "$temporary/bin/kubectl"
export KREW_ROOT=$temporary/krew KREW_NO_UPGRADE_CHECK=1 KUBECONFIG=$temporary/none
export PATH=$KREW_ROOT/bin:$temporary/bin:$PATH
kubectl krew install --manifest "$temporary/sched.yaml" --archive "$dist/$archive" 2>"$temporary/log" ||
  fail "$(cat "$temporary/log")"

said=$(kubectl plugin list 2>&1) || fail "$said"
grep -q "^$KREW_ROOT/bin/kubectl-sched$" <<<"$said" || fail "kubectl plugin list does not name the plugin: $said"
! grep -i warning <<<"$said" || fail "kubectl plugin list warns of the plugin"
said=$(kubectl sched version --client)
[[ $said == *"$version"* ]] || fail "kubectl sched version says $said, not $version"
code=0
said=$(kubectl sched explain pod/checkout-0 -n shop --from testdata/clusters/shop.yaml) || code=$?
[[ $code == 1 && $said == *"no node of 8 fits"* ]] || fail "kubectl sched explain ended with $code: $said"

echo "completing through kubectl"
tar -xzf "$dist/$archive" -C "$temporary/bin" kubectl_complete-sched
said=$(kubectl __complete sched explain -n shop --from testdata/clusters/shop.yaml pod/check 2>&1) || fail "$said"
[[ $said == *"pod/checkout-0"* ]] || fail "kubectl completes pod/check with $said"
