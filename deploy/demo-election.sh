#!/bin/sh
# An election by group: 5,000 members of an association, half of whom vote. Nobody ever holds the key or sees a vote; only
# sums of groups of at least 30 ballots are decrypted, and anybody verifies the result. Not for binding public
# elections: your device knows your vote, so it can be sold or coerced.
#
#   sh deploy/demo-election.sh                 ends with a running server that shows the public board
#   sh deploy/demo-election.sh --no-serve      ends after the last check, exit code 0
#   sh deploy/demo-election.sh --dir DIR       where everything goes (default ./demo-election); DIR/result.json
#   sh deploy/demo-election.sh --port PORT     port of the server (default: the first free one from 8765)
#
# One machine plays every part here. In earnest each folder belongs to somebody else: key/ to organizer, registrar and
# collector, each folder in trustees/ to one trustee, codes/ to whoever makes the letters.
#
# Safe to run again: what an earlier demo left in DIR is replaced, anything else there is left alone.
# The passphrase of the demo's signing key is taken from ROOMFUL_PASSPHRASE if that is set.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
dir=demo-election
made="town boxes survey key ceremony trustees election-key.json codes rehearsal tokens.txt
  rehearsal.json statements factors receipts.txt cast.json counted.json export result.json data data.anchors server.log"
. "$root/deploy/demo_steps.sh"
read_options "$@"
begin
trustees="1 2 3 4 5"

# Two trustees at a time, as each has a computer of her own.
in_pairs() {
  work=$1
  shift
  waiting=
  for trustee in "$@"; do
    "$work" "$trustee" &
    if [ -n "$waiting" ]; then
      wait "$waiting"
      wait $!
      waiting=
    else
      waiting=$!
    fi
  done
  [ -z "$waiting" ] || wait "$waiting"
}

step "Generating the roll: 5,000 members, none of whom exists"
mkdir -p "$dir/town"
cp "$root/deploy/town/election.toml" "$root/deploy/town/election.json" "$dir/town/"
"$venv/bin/python" "$root/deploy/town.py" --out "$dir/town" --people 5000
cut -d , -f 1-3 "$dir/town/town.csv" >"$dir/town/roll.csv"
# The roll with names, which only whoever makes the letters needs.
awk -F, 'NR == 1 { print "name," $0 } NR > 1 { printf "Member %d,%s\n", NR - 1, $0 }' \
  "$dir/town/roll.csv" >"$dir/town/members.csv"

step "Making keys: the organizer signs (and has a spare key), the collector takes ballots"
mkdir -p "$dir/key"
roomful keygen --out "$dir/key/key.pem"
roomful keygen --out "$dir/key/spare.pem"
roomful keygen --purpose collector --suite mlkem768x25519-hkdf-sha256-aes128gcm --out "$dir/key/collector.pem"

step "The key ceremony in four rounds: five trustees, any three of whom decrypt sums; the key exists nowhere"
begin_key() {
  roomful trustees key 1 "$dir/ceremony" --own "$dir/trustees/$1" --trustee "$1" --shares 3-of-5 >/dev/null
}
go_on() {
  roomful trustees key "$round" "$dir/ceremony" --own "$dir/trustees/$1" >/dev/null
}
begin_key 1
in_pairs begin_key 2 3 4 5
for round in 2 3 4; do
  in_pairs go_on 1 2 3 4 5
done
roomful election key "$dir/ceremony" --out "$dir/election-key.json"

step "Designing the boxes"
boxes=$(roomful design "$dir/town/election.toml" --boxes-only --out "$dir/boxes" --json | field cells)

step "Making the codes: one for each member; only the hashes of each box leave whoever makes the letters"
roomful codes "$dir/town/members.csv" --boxes "$dir/boxes/boxes.json" --out "$dir/codes"

step "Making the registrar's keys: a token counts in its box only"
roomful keygen --purpose tokens --boxes "$boxes" --out "$dir/key/tokens.pem"

step "Designing and signing: from now on roll, keys and the order in which boxes are joined are fixed"
roomful design "$dir/town/election.toml" --out "$dir/survey"
roomful sign "$dir/survey" --key "$dir/key/key.pem"

step "Publishing the draft; the letters would be made now (roomful invite), each with a code and the election's link"
choose_port
id=$(roomful publish "$dir/survey" --data "$dir/data" --test \
  --token-key "$dir/key/tokens.pem" --collector-key "$dir/key/collector.pem" --json | field id)

step "The rehearsal: every trustee signs that her key is for this election; nothing is decrypted"
roomful trustees challenge "$id" --data "$dir/data" --out "$dir/rehearsal"
for trustee in $trustees; do
  roomful trustees rehearse "$dir/rehearsal" --share "$dir/trustees/$trustee/share-$trustee-of-5.txt" \
    --organizer-key "$dir/key/key.pub" --out "$dir/rehearsal.json" >/dev/null
done

step "Beginning the token phase, and starting the server: codes are exchanged, and no ballot is taken"
address=$(roomful open "$id" --data "$dir/data" --rehearsal "$dir/rehearsal.json" --yes --json | field address)
start_server

step "Half of the members exchange their codes for tokens that nobody can trace, and keep them"
roomful simulate "$address" --model "$dir/town/people.csv" --seed 2015 --codes "$dir/codes/codes.csv" \
  --tokens "$dir/tokens.txt"

step "Beginning the voting phase: the tokens of each box are published, and no code is exchanged any more"
roomful open "$id" --data "$dir/data" --yes

step "They vote: each encrypts her votes, and proves them"
roomful simulate "$address" --model "$dir/town/people.csv" --seed 2015 --codes "$dir/codes/codes.csv" \
  --tokens "$dir/tokens.txt" --answers priority=transport,centre=car_free_centre --receipts "$dir/receipts.txt" \
  --json >"$dir/cast.json"

step "Closing, and publishing the provisional board: signed lists of all receipts and of all used codes"
roomful close "$id" --data "$dir/data" --yes
roomful board create "$id" --data "$dir/data" --key "$dir/key/key.pem" >/dev/null

step "Nobody's ballot is missing, so nobody complains: the board becomes final"
roomful board finish "$id" --data "$dir/data" --key "$dir/key/key.pem" >/dev/null
roomful trustees export "$id" --data "$dir/data" --out "$dir/export"
board=$(roomful board verify "$address" | awk '$1 == "Board" { print $2 }')

state() {
  roomful trustees state "$dir/export" --share "$dir/trustees/$1/share-$1-of-5.txt" --root "$board" \
    --invitation "$address" --ledger "$dir/trustees/$1/ledger.jsonl" --out "$dir/statements/$1.json" --json >/dev/null
}

decrypt() {
  roomful trustees decrypt "$dir/export" --share "$dir/trustees/$1/share-$1-of-5.txt" --root "$board" \
    --invitation "$address" --ledger "$dir/trustees/$1/ledger.jsonl" --out "$dir/factors/$1.json" --json \
    --statement "$dir/statements/1.json" --statement "$dir/statements/2.json" \
    --statement "$dir/statements/3.json" --statement "$dir/statements/4.json" >/dev/null
}

step "Four trustees state, each once and for ever, which ballots and groups these are; the fifth is lost"
mkdir -p "$dir/statements" "$dir/factors"
in_pairs state 1 2 3 4

step "Three trustees decrypt the sums of the groups, and nothing else"
in_pairs decrypt 1 2 4

step "The result"
roomful election result "$dir/export" "$dir/factors/1.json" "$dir/factors/2.json" "$dir/factors/4.json" \
  --statement "$dir/statements/1.json" --statement "$dir/statements/2.json" --statement "$dir/statements/3.json" \
  --statement "$dir/statements/4.json" --root "$board" --invitation "$address" --out "$dir/result.json" \
  --json >"$dir/counted.json"
"$venv/bin/python" -c 'import json, sys
cast, counted = (json.load(open(name)) for name in sys.argv[1:])
if cast["cast"] != counted["totals"]:
    sys.exit("The totals are not what was cast.")
for contest, votes in counted["totals"].items():
    print(contest + ":", ", ".join(f"{choice} {number}" for choice, number in votes.items()))
groups, smallest = counted["groups"], counted["smallest_group"]
print(f"Choice by choice what was cast; {groups} groups, the smallest of {smallest} ballots.")' "$dir/cast.json" "$dir/counted.json"

step "Anybody verifies it, with the ballots and the board as she sees it"
roomful election verify "$dir/export" --result "$dir/result.json" --root "$board" --invitation "$address"
receipt=$(sed -n 1p "$dir/receipts.txt")
roomful board verify "$address" --receipt "$receipt"

if [ "$serve" = no ]; then
  step "Done: the result is in $dir/result.json"
  exit 0
fi

step "Ready"
cat <<TEXT

  The public board, where a voter looks for her receipt:
    http://127.0.0.1:$port/s/$id/board
  A receipt to try it with:
    $receipt

  The result:
    $dir/result.json

  Stop the server with Ctrl-C.

TEXT
wait "$server"
