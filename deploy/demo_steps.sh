# What demo.sh and demo-invited.sh have in common: options, the folder, the server. Read by them, not run alone.
# The script that reads this sets `root`, and `made`: what an earlier demo of its kind may have left in the folder.

venv=${ROOMFUL_VENV:-$root/.venv}
port=
serve=yes
server=
desk=
log=

usage() {
  sed -n '2,/^set/s/^# \{0,1\}//p' "$0"
}

fail() {
  echo "demo: $1" >&2
  exit "${2:-1}"
}

step() {
  now=$(date +%s)
  printf '\n[%3d s] %s\n' "$((now - started))" "$1"
}

# Ends the server and the desk that this script started, and no other process.
stop_server() {
  if [ -n "$desk" ]; then
    kill "$desk" 2>/dev/null || true
    wait "$desk" 2>/dev/null || true
    desk=
    rm -f "$dir/desk-address"
  fi
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

# Understands the options; $dir is the folder if they name none.
read_options() {
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
}

# Sets up Roomful, and makes the folder, unless it holds something else or a demo that is running.
begin() {
  started=$(date +%s)
  mark=$dir/.roomful-demo
  # -ww: ps cuts a line at the width of the screen, and the folder's name alone can be longer.
  if [ -f "$dir/server.pid" ] && ps -ww -o args= -p "$(cat "$dir/server.pid")" 2>/dev/null | grep -q roomful; then
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
  for name in $made; do
    rm -rf "${dir:?}/$name"
  done
  trap finish EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  ROOMFUL_PASSPHRASE=${ROOMFUL_PASSPHRASE:-only for this demo}
  export ROOMFUL_PASSPHRASE
}

# The port of the server, known to commands that print links.
choose_port() {
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
}

# Starts the server over $dir/data and waits until it answers.
start_server() {
  log=$dir/server.log
  "$venv/bin/roomful" serve --data "$dir/data" --port "$port" >>"$log" 2>&1 &
  server=$!
  echo "$server" >"$dir/server.pid"
  "$venv/bin/python" - "$port" "$server" <<'PYTHON' || fail "the server did not start on port $port"
import os
import sys
import time
import urllib.request

port, server = sys.argv[1], int(sys.argv[2])
for _ in range(600):
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
}

# Starts the desk over $dir/desk; its address is in $dir/desk-address.
start_desk() {
  "$venv/bin/roomful" desk "$dir/desk" --data "$dir/data" --address-file "$dir/desk-address" >>"$log" 2>&1 &
  desk=$!
  "$venv/bin/python" - "$dir/desk-address" "$desk" <<'PYTHON' || fail "the desk did not start"
import os
import sys
import time

for _ in range(600):
    time.sleep(0.1)
    try:
        os.kill(int(sys.argv[2]), 0)
    except ProcessLookupError:
        sys.exit("demo: the desk ended at once")
    if os.path.exists(sys.argv[1]):
        sys.exit(0)
sys.exit("demo: the desk does not answer")
PYTHON
}
