#!/bin/sh
# Sets up everything that Roomful needs in this checkout: a Python environment in .venv (or $ROOMFUL_VENV) and
# the built browser client. Safe to run again: what is up to date is left alone.
#
#   sh deploy/setup.sh          to run Roomful
#   sh deploy/setup.sh --test   also what its tests need
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
venv=${ROOMFUL_VENV:-$root/.venv}
packages=$root/requirements.txt
compile=--compile # whoever runs a server may not be allowed to write here
if [ "${1:-}" = --test ]; then
  packages=$root/tests/requirements.txt
  compile=--no-compile # tests load a part of it, and keep what they compiled
fi

fail() {
  echo "setup: $1" >&2
  exit 10
}

find_python() {
  for name in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11; do
    if command -v "$name" >/dev/null 2>&1 &&
      "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      echo "$name"
      return
    fi
  done
}

python=$(find_python)
[ -n "$python" ] || fail "Python 3.11 or newer is missing. Debian: apt-get install python3 python3-venv"
command -v node >/dev/null 2>&1 || fail "Node.js is missing; it builds the browser client. Debian: apt-get install nodejs npm"
command -v npm >/dev/null 2>&1 || fail "npm is missing; it fetches Pyodide and SurveyJS. Debian: apt-get install npm"

if [ ! -x "$venv/bin/python" ]; then
  echo "setup: making a Python environment" >&2
  "$python" -m venv "$venv" || fail "the environment could not be made. Debian: apt-get install python3-venv"
fi
stamp=$venv/.roomful-setup
wanted="$packages $(cat "$root/pyproject.toml" "$packages" | cksum)"
if [ "$(cat "$stamp" 2>/dev/null)" != "$wanted" ]; then
  echo "setup: installing Python packages" >&2
  # Only files whose hashes stand in the list; then Roomful itself, with the build backend that came with them.
  {
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes \
      "$compile" --requirement "$packages" &&
      PYTHONWARNINGS=ignore "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
        --no-deps --no-build-isolation --editable "$root"
  } >&2 ||
    fail "pip could not install the packages; the lines above say why (is the package index reachable?)"
  echo "$wanted" >"$stamp"
fi

checks=$root/tests/web
if [ "${1:-}" = --test ] && ! cmp -s "$checks/package-lock.json" "$checks/node_modules/.installed"; then
  echo "setup: installing what checks the pages' JavaScript" >&2
  npm ci --prefix "$checks" --ignore-scripts --no-audit --no-fund >&2 &&
    cp "$checks/package-lock.json" "$checks/node_modules/.installed" ||
    fail "npm could not install the packages; the lines above say why (is the npm registry reachable?)"
fi

echo "setup: building the browser client" >&2
(cd "$root" && "$venv/bin/python" -m respondent_client.build >&2) ||
  fail "the browser client could not be built; the lines above say why (is the npm registry reachable?)"
