#!/bin/sh
# Writes requirements.txt and tests/requirements.txt anew: every Python package that is installed, with the hashes
# of its files. Versions stay as they are, unless pyproject.toml asks for others or they are named:
#
#   sh deploy/lock.sh                                 after a change of pyproject.toml
#   sh deploy/lock.sh --upgrade                       newer versions of everything
#   sh deploy/lock.sh --upgrade-package cryptography  of one package
#
# Needs uv (pip install uv).
set -eu
cd "$(dirname "$0")/.."
command -v uv >/dev/null 2>&1 || {
  echo "lock: uv is missing; install it: pip install uv" >&2
  exit 10
}

lock() {
  out=$1
  shift
  uv pip compile pyproject.toml --group build --universal --python-version 3.11 --generate-hashes --quiet \
    --no-annotate --no-emit-index-url --no-emit-find-links --custom-compile-command "sh deploy/lock.sh" \
    --output-file "$out" "$@" >/dev/null
}

lock tests/requirements.txt --extra test "$@"
# The same versions as those that are tested.
rm -f requirements.txt
lock requirements.txt --extra cluster --extra postgresql --constraint tests/requirements.txt
