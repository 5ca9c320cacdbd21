#!/usr/bin/env bash
# Fails when the program is larger than 60 MB. What makes it grow in one leap is a call of reflect's MethodByName, as
# text/template's executor makes it: then the linker keeps every exported method of every type.
set -euo pipefail

readonly limit=60000000
size=$(wc -c <"${1:?usage: check-size.sh PROGRAM}")
if ((size > limit)); then
  echo "$1 has $size bytes, more than $limit: look for <ReflectMethod> in what -ldflags=-dumpdep prints" >&2
  exit 1
fi
echo "$1: $((size / 1000000)) MB"
