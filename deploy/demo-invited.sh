#!/bin/sh
# A survey for invited people only, on a synthetic town: nobody can tell whose answer is whose, nobody can read an
# answer before closing, each person answers at most once, and everybody can check that hers was counted.
#
#   sh deploy/demo-invited.sh                 ends with a running server that shows the public board
#   sh deploy/demo-invited.sh --no-serve      ends after the last check, exit code 0
#   sh deploy/demo-invited.sh --dir DIR       where everything goes (default ./demo-invited)
#   sh deploy/demo-invited.sh --port PORT     port of the server (default: the first free one from 8765)
#
# One machine plays every part here. In earnest each folder belongs to somebody else, see docs/secrets.md:
# key/key.pem to the organizer, trustees/ to the trustees, codes/ and invitations/ to whoever makes the letters.
#
# Safe to run again: what an earlier demo left in DIR is replaced, anything else there is left alone.
# The passphrase of the demo's signing key is taken from ROOMFUL_PASSPHRASE if that is set.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
dir=demo-invited
made="town survey key trustees statements codes invitations rehearsal rehearsal.json export opened.json receipts.txt data
  data.anchors
  release server.log"
. "$root/deploy/demo_steps.sh"
read_options "$@"
begin

step "Generating the town: 1,000 people, none of whom exists"
mkdir -p "$dir/town"
cp "$root/deploy/town/invited.toml" "$root/deploy/town/questionnaire.json" "$dir/town/"
"$venv/bin/python" "$root/deploy/town.py" --out "$dir/town" --people 1000
# The list of people to invite. It is not needed for anything but the letters.
awk -F, 'NR == 1 { print "name,town" } NR > 1 { printf "Resident %d,Lindenau %s\n", NR - 1, $3 }' \
  "$dir/town/town.csv" >"$dir/town/residents.csv"

step "Making keys: the organizer signs (and has a spare key), the registrar issues tokens, the collector takes ballots"
mkdir -p "$dir/key"
roomful keygen --out "$dir/key/key.pem"
roomful keygen --out "$dir/key/spare.pem"
roomful keygen --purpose tokens --out "$dir/key/tokens.pem"
roomful keygen --purpose collector --out "$dir/key/collector.pem"

step "The trustees' ceremony: a key that opens the answers exists only in five shares, any three of which open"
roomful trustees create --shares 3-of-5 --trustee Ada --trustee Ben --trustee Cem --trustee Dora --trustee Emil \
  --out "$dir/trustees"

step "Making the codes: one for each person; only the roll of their hashes leaves whoever makes the letters"
roomful codes "$dir/town/residents.csv" --out "$dir/codes"

step "Designing the groups, and signing: from now on the roll and every key is fixed"
roomful design "$dir/town/invited.toml" --out "$dir/survey"
roomful sign "$dir/survey" --key "$dir/key/key.pem"
roomful audit "$dir/survey/survey.dsse.json" --model "$dir/town/town.csv" --key "$dir/key/key.pub"

step "Publishing the draft with its roll, and making letters: each has a code and the link of the signed survey"
choose_port
id=$(roomful publish "$dir/survey" --data "$dir/data" --test \
  --token-key "$dir/key/tokens.pem" --collector-key "$dir/key/collector.pem" --json | field id)
roomful invite "$dir/survey" --codes "$dir/codes/codes.csv" --public-url "http://127.0.0.1:$port/" \
  --out "$dir/invitations"

step "The rehearsal: every share opens test answers, or the survey does not open"
roomful trustees challenge "$id" --data "$dir/data" --out "$dir/rehearsal"
roomful trustees rehearse "$dir/rehearsal" --share "$dir/trustees/share-1-of-5.txt" \
  --share "$dir/trustees/share-2-of-5.txt" --share "$dir/trustees/share-3-of-5.txt" \
  --share "$dir/trustees/share-4-of-5.txt" --share "$dir/trustees/share-5-of-5.txt" \
  --organizer-key "$dir/key/key.pub" --out "$dir/rehearsal.json"

step "Opening the survey and starting the server"
address=$(roomful open "$id" --data "$dir/data" --rehearsal "$dir/rehearsal.json" --yes --json | field address)
start_server

step "Letting half the town answer: each fetches a token that nobody can trace, seals her answers, and sends them"
roomful simulate "$address" --model "$dir/town/people.csv" --answers columns --seed 2015 \
  --codes "$dir/invitations/mail-merge.csv" --receipts "$dir/receipts.txt"

step "Closing, and publishing the board: signed lists of all receipts and of all used codes"
roomful close "$id" --data "$dir/data" --yes
roomful board create "$id" --data "$dir/data" --key "$dir/key/key.pem"

step "Four trustees state, each once and for ever, that these are the ballots on the board that they see; Emil is lost"
roomful trustees export "$id" --data "$dir/data" --out "$dir/export"
board=$(roomful board verify "$address" | awk '$1 == "Board" { print $2 }')
mkdir -p "$dir/statements"
for trustee in 1 2 3 4; do
  cp "$dir/trustees/ledger.jsonl" "$dir/statements/ledger-$trustee.jsonl"
  roomful trustees state "$dir/export" --share "$dir/trustees/share-$trustee-of-5.txt" --root "$board" \
    --invitation "$address" --ledger "$dir/statements/ledger-$trustee.jsonl" --out "$dir/statements/$trustee.json"
done

step "The opening: three trustees open, offline, the groups that are large enough, and no other"
roomful trustees open "$dir/export" --share "$dir/trustees/share-1-of-5.txt" \
  --share "$dir/trustees/share-2-of-5.txt" --share "$dir/trustees/share-4-of-5.txt" \
  --statement "$dir/statements/1.json" --statement "$dir/statements/2.json" \
  --statement "$dir/statements/3.json" --statement "$dir/statements/4.json" \
  --root "$board" --invitation "$address" --out "$dir/opened.json"

step "Releasing the table, and finishing the board"
roomful release "$id" --data "$dir/data" --opened "$dir/opened.json" --out "$dir/release"
roomful board finish "$id" --data "$dir/data" --key "$dir/key/key.pem"

step "A respondent looks: is my answer on the board, was my code used, and do all counts agree?"
receipt=$(sed -n 1p "$dir/receipts.txt")
code=$(sed -n 2p "$dir/codes/codes.csv" | cut -d '"' -f 6)
roomful board verify "$address" --receipt "$receipt" --code "$code"

if [ "$serve" = no ]; then
  step "Done: the released table is in $dir/release"
  exit 0
fi

step "Ready"
cat <<TEXT

  The public board, where a respondent looks for her receipt:
    http://127.0.0.1:$port/s/$id/board
  A receipt to try it with:
    $receipt

  The table that was released:
    http://127.0.0.1:$port/s/$id/release/report.html
    $dir/release

  Stop the server with Ctrl-C.

TEXT
wait "$server"
