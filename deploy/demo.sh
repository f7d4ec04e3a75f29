#!/bin/sh
# The whole job on a synthetic town: set up, generate the town, design, sign, audit, publish, let half the town
# answer, close and release; then leave a second survey open for you to answer in your browser.
#
#   sh deploy/demo.sh                 ends with a running server; stop it with Ctrl-C
#   sh deploy/demo.sh --no-serve      ends after the release, exit code 0
#   sh deploy/demo.sh --dir DIR       where everything goes (default ./demo); the release is in DIR/release
#   sh deploy/demo.sh --port PORT     port of the server (default: the first free one from 8765)
#
# Safe to run again: what an earlier demo left in DIR is replaced, anything else there is left alone.
# The passphrase of the demo's signing key is taken from ROOMFUL_PASSPHRASE if that is set.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
venv=${ROOMFUL_VENV:-$root/.venv}
dir=demo
port=
serve=yes
server=
log=

usage() {
  sed -n '2,11s/^# \{0,1\}//p' "$0"
}

fail() {
  echo "demo: $1" >&2
  exit "${2:-1}"
}

step() {
  now=$(date +%s)
  printf '\n[%3d s] %s\n' "$((now - started))" "$1"
}

# Ends the server that this script started, and no other process.
stop_server() {
  if [ -n "$server" ]; then
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
    server=
    rm -f "$dir/server.pid"
  fi
}

finish() {
  status=$?
  trap - EXIT HUP INT TERM
  stop_server
  if [ "$status" -ne 0 ] && [ "$status" -lt 128 ] && [ -n "$log" ] && [ -s "$log" ]; then
    echo "demo: the end of $log:" >&2
    tail -n 5 "$log" >&2
  fi
  exit "$status"
}

# One field of the JSON that a command prints; fails without words if it printed none, having said why itself.
field() {
  "$venv/bin/python" -c 'import json, sys
try:
    print(json.load(sys.stdin)[sys.argv[1]])
except ValueError:
    sys.exit(1)' "$1"
}

roomful() {
  "$venv/bin/roomful" "$@"
}

while [ $# -gt 0 ]; do
  case $1 in
    --no-serve) serve=no ;;
    --dir | --port)
      [ $# -ge 2 ] || fail "$1 needs a value" 2
      if [ "$1" = --dir ]; then dir=$2; else port=$2; fi
      shift
      ;;
    -h | --help)
      usage
      exit 0
      ;;
    *)
      usage >&2
      fail "unknown option $1" 2
      ;;
  esac
  shift
done
case $port in *[!0-9]*) fail "--port takes a number" 2 ;; esac
[ -n "$dir" ] || fail "--dir needs a folder" 2

started=$(date +%s)
mark=$dir/.roomful-demo
if [ -f "$dir/server.pid" ] && ps -o args= -p "$(cat "$dir/server.pid")" 2>/dev/null | grep -q roomful; then
  fail "a demo is running in $dir; stop it first, or choose another folder with --dir"
fi
if [ -e "$dir" ] && [ ! -f "$mark" ] && [ -n "$(ls -A "$dir" 2>/dev/null || echo file)" ]; then
  fail "$dir is not from an earlier demo, so it is left alone; choose another folder with --dir"
fi

step "Setting up"
sh "$root/deploy/setup.sh"

mkdir -p "$dir" || fail "$dir cannot be made"
dir=$(cd "$dir" && pwd)
: >"$dir/.roomful-demo"
rm -rf "$dir/town" "$dir/survey" "$dir/library" "$dir/key" "$dir/data" "$dir/release" "$dir/release-2" \
  "$dir/server.log"
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
ROOMFUL_PASSPHRASE=${ROOMFUL_PASSPHRASE:-only for this demo}
export ROOMFUL_PASSPHRASE

step "Generating the town: 20,000 people, none of whom exists"
mkdir -p "$dir/town"
cp "$root"/deploy/town/*.toml "$root"/deploy/town/*.json "$dir/town/"
"$venv/bin/python" "$root/deploy/town.py" --out "$dir/town"

step "Designing the groups that people will answer from"
roomful design "$dir/town/survey.toml" --out "$dir/survey"

step "Making a key, signing, and auditing as an outsider would"
mkdir -p "$dir/key"
roomful keygen --out "$dir/key/key.pem"
roomful sign "$dir/survey" --key "$dir/key/key.pem"
roomful audit "$dir/survey/survey.dsse.json" --model "$dir/town/town.csv" --key "$dir/key/key.pub"
roomful verify "$dir/survey/survey.dsse.json" --key "$dir/key/key.pub"

step "Starting the server and opening the survey"
[ -n "$port" ] || port=$("$venv/bin/python" - <<'PYTHON'
import socket

for port in range(8765, 8865):
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            continue
        print(port)
        break
PYTHON
)
[ -n "$port" ] || fail "no port from 8765 to 8864 is free; choose one with --port"
ROOMFUL_SERVER_PORT=$port
export ROOMFUL_SERVER_PORT
id=$(roomful publish "$dir/survey" --data "$dir/data" --json | field id)
address=$(roomful open "$id" --data "$dir/data" --yes --json | field address)
log=$dir/server.log
"$venv/bin/roomful" serve --data "$dir/data" --port "$port" >"$log" 2>&1 &
server=$!
echo "$server" >"$dir/server.pid"
"$venv/bin/python" - "$port" "$server" <<'PYTHON' || fail "the server did not start on port $port"
import os
import sys
import time
import urllib.request

port, server = sys.argv[1], int(sys.argv[2])
for _ in range(150):
    time.sleep(0.2)
    try:
        os.kill(server, 0)
        urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/openapi.json", timeout=2).close()
    except ProcessLookupError:
        sys.exit("demo: the server ended at once")
    except OSError:
        continue
    sys.exit(0)
sys.exit("demo: the server does not answer")
PYTHON
echo "Running at http://127.0.0.1:$port/"

step "Letting half the town answer, everybody through the respondent's own checks"
roomful simulate "$address" --model "$dir/town/people.csv" --answers columns --seed 2015

step "Closing the survey and releasing its table"
roomful close "$id" --data "$dir/data" --yes
roomful release "$id" --data "$dir/data" --out "$dir/release"

if [ "$serve" = no ]; then
  step "Done: the released table is in $dir/release"
  exit 0
fi

step "Opening a second survey, for you"
roomful design "$dir/town/library.toml" --out "$dir/library"
roomful sign "$dir/library" --key "$dir/key/key.pem"
second=$(roomful publish "$dir/library" --data "$dir/data" --json | field id)
address=$(roomful open "$second" --data "$dir/data" --yes --json | field address)

step "Ready"
cat <<TEXT

  Answer a survey in your browser:
    $address

  Look at the table that was released:
    http://127.0.0.1:$port/s/$id/release/report.html
    $dir/release

  Look at the design behind it:
    $dir/survey/report.html

  The second survey is yours to go on with, in another terminal:
    $venv/bin/roomful simulate '$address' --model $dir/town/people.csv
    $venv/bin/roomful close $second --data $dir/data
    $venv/bin/roomful release $second --data $dir/data --out $dir/release-2

  Stop the server with Ctrl-C.

TEXT
wait "$server"
