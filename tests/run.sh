#!/bin/sh
# Sets everything up and runs all checks and tests, a real Chromium included.
#
#   sh tests/run.sh             everything
#   sh tests/run.sh FILE        one test file (or other words for pytest); nothing is installed or built again
set -eu
cd "$(dirname "$0")/.."
bin=${ROOMFUL_VENV:-$PWD/.venv}/bin
# Hundreds of processes start, and each would compile the modules that it loads.
unset PYTHONDONTWRITEBYTECODE

if [ $# -gt 0 ] && [ -x "$bin/pytest" ]; then
  exec "$bin/python" -m pytest "$@"
fi
sh deploy/setup.sh --test

if ! command -v chromium >/dev/null 2>&1 && [ -z "${ROOMFUL_CHROMIUM:-}" ]; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "tests: installing Debian's chromium" >&2
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null
  else
    echo "tests: no chromium. Install it (Debian: apt-get install chromium), or name another in ROOMFUL_CHROMIUM." >&2
    exit 10
  fi
fi

if ! ls -d /usr/lib/postgresql/*/bin >/dev/null 2>&1; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "tests: installing Debian's postgresql" >&2
    # No cluster of its own: tests start theirs in a folder, as the user postgres.
    mkdir -p /etc/postgresql-common && echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq postgresql >/dev/null
  else
    echo "tests: no PostgreSQL, so its tests are skipped. Install it (Debian: apt-get install postgresql)." >&2
  fi
fi

# What was skipped is said with its reason.
spread="-r s --dist=loadfile --no-loadscope-reorder"
# Outside of the core tests often wait, for pages and servers: twice as many processes as cores.
cores=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
few=$((cores < 4 ? cores : 4))

if [ $# -gt 0 ]; then
  exec "$bin/python" -m pytest "$@"
fi
# What tests write goes into memory where that has room: on a disk they wait for each fsync, and there are thousands.
memory=/dev/shm
[ -w "$memory" ] && [ "$(df -Pk "$memory" | awk 'END { print $4 }')" -gt 4000000 ] || memory=${TMPDIR:-/tmp}
TMPDIR=$(mktemp -d "$memory/roomful-tests.XXXXXX")
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
trap 'exit 130' INT TERM
# Checks without tests, beside the tests of the core; what they say is printed after those.
said=$TMPDIR/said
(
  set -e
  "$bin/ruff" check .
  "$bin/ruff" format --check .
  "$bin/lint-imports"
  npm --prefix tests/web run --silent check
  "$bin/mypy"
) >"$said" 2>&1 &
checks=$!
# The protocol core first, with complete branch coverage; then everything else.
# Files are shared out among the cores; one file's tests stay together, with the servers they start. Those marked as
# long begin first (tests/conftest.py), so that no core waits for them at the end.
"$bin/python" -m tests.compile_ahead & # what only the others need
ahead=$!
core=0
"$bin/python" -m pytest tests/shared --cov --cov-report=term-missing $spread --numprocesses=$few || core=$?
wait "$checks" || core=1
cat "$said"
[ "$core" = 0 ] || exit "$core"
wait "$ahead"
"$bin/python" -m pytest tests --ignore=tests/shared $spread --numprocesses=$((2 * few))
