#!/bin/sh
# The whole job on a synthetic town: set up, generate the town, design, sign, audit, publish, let half the town
# answer, close and release; then leave a second survey open for you: to answer it, and, at the organizer's desk,
# to close and release it.
#
#   sh deploy/demo.sh                 ends with a running server and the desk; stop them with Ctrl-C
#   sh deploy/demo.sh --no-serve      ends after the release, exit code 0
#   sh deploy/demo.sh --dir DIR       where everything goes (default ./demo); the release is in DIR/release
#   sh deploy/demo.sh --port PORT     port of the server (default: the first free one from 8765)
#
# Safe to run again: what an earlier demo left in DIR is replaced, anything else there is left alone.
# The passphrase of the demo's signing key is taken from ROOMFUL_PASSPHRASE if that is set.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
dir=demo
made="town survey desk desk-address key data release server.log"
. "$root/deploy/demo_steps.sh"
read_options "$@"
begin

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
choose_port
id=$(roomful publish "$dir/survey" --data "$dir/data" --test --json | field id)
address=$(roomful open "$id" --data "$dir/data" --yes --json | field address)
start_server

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
mkdir -p "$dir/desk"
cp "$dir/town/library.toml" "$dir/desk/survey.toml"
cp "$dir/town/library.json" "$dir/town/town.csv" "$dir/town/districts.csv" "$dir/desk/"
roomful design "$dir/desk/survey.toml" --out "$dir/desk/survey"
roomful sign "$dir/desk/survey" --key "$dir/key/key.pem"
second=$(roomful publish "$dir/desk/survey" --data "$dir/data" --test --json | field id)
address=$(roomful open "$second" --data "$dir/data" --yes --json | field address)
start_desk

step "Ready"
cat <<TEXT

  Answer a survey in your browser:
    $address

  Run it at the organizer's desk, on this machine only (it is named "A new library for Lindenau?"):
    $(cat "$dir/desk-address")

  Look at the table that was released:
    http://127.0.0.1:$port/s/$id/release/report.html
    $dir/release

  Look at the design behind it:
    $dir/survey/report.html

  Half the town answers it with you, in another terminal:
    $venv/bin/roomful simulate '$address' --model $dir/town/people.csv

  Stop the server and the desk with Ctrl-C.

TEXT
wait "$server"
