"""What every vector must give, without a test framework: pytest runs this in CPython, a worker in Pyodide.

Needs ``shared`` and the standard library only.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
from collections.abc import Callable, Iterator
from typing import Any

from shared import blind_rsa, ed25519
from shared.acceptance import acceptance_message, passed_on_message
from shared.ballot import Ballot, UnsignedBallot
from shared.cells import parse_cells
from shared.effective_anonymity import dependent_cell_failure, n_min, n_min_safe
from shared.election import ceremony, schnorr
from shared.election.decryption import decrypt
from shared.election.group import GENERATOR, PythonGroup, decode_scalar, encode_scalar
from shared.election.making import make
from shared.election.terms import Terms
from shared.election.verifying import verify
from shared.election.vote import EncryptedVote
from shared.errors import ReleaseError, RoomfulError
from shared.invitation_code import InvitationCode
from shared.joining import Row, join_within
from shared.metrics import Metrics
from shared.participation import Dependence, ParticipationLevel
from shared.roll import roll_hash
from shared.statements import Stated, groups_digest
from shared.submission import decode, encode, receipt
from shared.token import HeldToken, Token

Case = dict[str, Any]


def blind_rsa_of_the_rfc(case: Case, _document: Case) -> None:
    """All values of RFC 9474, appendix A, step by step."""
    value = {name: bytes.fromhex(text) for name, text in case.items() if name != "name"}
    number = {name: int.from_bytes(data, "big") for name, data in value.items()}
    n, salt = number["n"], value["salt"]
    assert n == number["p"] * number["q"]
    assert number["e"] == blind_rsa.PUBLIC_EXPONENT
    prepared = blind_rsa.prepare(value["msg"], value["msg_prefix"]) if value["msg_prefix"] else value["msg"]
    assert prepared == value["prepared_msg"]
    assert blind_rsa.encode(prepared, salt, blind_rsa.modulus_bytes(n)) == value["encoded_msg"]
    blinded, inv = blind_rsa.blind(n, prepared, salt=salt, r=pow(number["inv"], -1, n))
    assert (blinded, inv) == (value["blinded_msg"], number["inv"])
    assert pow(number["blinded_msg"], number["d"], n) == number["blind_sig"]
    signature = blind_rsa.finalize(n, prepared, value["blind_sig"], inv, salt_bytes=len(salt))
    assert signature == value["sig"]
    blind_rsa.verify(n, prepared, value["sig"], salt_bytes=len(salt))
    _refused(
        lambda: blind_rsa.verify(n, prepared + b"x", value["sig"], salt_bytes=len(salt)), "token.signature"
    )


def code(case: Case, document: Case) -> None:
    """A code, made, typed and hashed; or refused."""
    if "name" in case:
        _refused(lambda: InvitationCode.parse(case["text"]), "token.code-form")
        return
    made = InvitationCode.create(bytes.fromhex(case["entropy"]))
    assert made.text == case["text"]
    proof = made.proof(bytes.fromhex(document["roll_id"]))
    assert (proof.hex(), roll_hash(proof).hex()) == (case["proof"], case["roll_hash"])
    for typed in case["typed"]:
        assert InvitationCode.parse(typed) == made


def token(case: Case, document: Case) -> None:
    """A token through all steps; or a signature that is none."""
    n, digest = int(document["token_key"], 16), document["specification"]
    if "name" in case:
        wrong = Token(
            prefix=bytes.fromhex(case["prefix"]),
            device_key=bytes.fromhex(case["device_key"]),
            signature=bytes.fromhex(case["signature"]),
        )
        _refused(lambda: wrong.verify(n, digest), case["code"])
        return
    value = {name: bytes.fromhex(text) for name, text in case.items()}
    token = Token(prefix=value["prefix"], device_key=value["device_key"], signature=value["signature"])
    assert token.message(digest) == value["prepared_message"]
    r = blind_rsa.blinding_factor(n, value["entropy"])
    blinded, inv = blind_rsa.blind(n, token.message(digest), salt=value["salt"], r=r)
    assert blinded == value["blinded_message"]
    assert blind_rsa.finalize(n, token.message(digest), value["blind_signature"], inv) == token.signature
    token.verify(n, digest)
    held = HeldToken(token=token, secret=value["secret"])
    assert HeldToken.parse_file(held.to_file(digest), digest) == held
    parts = held.secret + token.prefix + token.device_key + token.signature
    assert base64.urlsafe_b64decode(held.to_text()) == parts


def signature(case: Case, _document: Case) -> None:
    """A signature that counts, or one that no party may take, whatever its library says."""
    public_key, signed, message = (
        bytes.fromhex(case[name]) for name in ("public_key", "signature", "message")
    )
    assert ed25519.verifies(public_key, signed, message) == ("name" not in case)


def assignment(case: Case, _document: Case) -> None:
    """The cell of each vector."""
    ranges = tuple((low, high) for low, high in case["ranges"])
    cells = parse_cells(case["cells"], "cells", tuple(case["weights"]), ranges)
    assert [cells.assign(tuple(vector)) for vector in case["vectors"]] == case["expected"]


def submission(case: Case, document: Case) -> None:
    """A message, written and read; or a malformed one."""
    if "receipt" not in case:
        _refused(lambda: decode(case["message"].encode("utf-8"), case["message_bytes"]), case["code"])
        return
    seed, length = case["entropy_seed"], case["message_bytes"]
    entropy = b"".join(hashlib.sha256(f"{seed}:{i}".encode()).digest() for i in range(length // 32 + 1))
    message = encode(document["specification"], case["cell"], case["answers"], entropy, length)
    assert (message.decode("utf-8"), receipt(message)) == (case["message"], case["receipt"])
    assert decode(message, length).answers == case["answers"]


def anonymity(case: Case, _document: Case) -> None:
    """The failure of a cell to 40 digits; or how many people are needed."""
    dependence = Dependence(correlation=case["correlation"], household_size=case["household_size"])
    k = case["k"]
    if "n_min" in case:
        level = ParticipationLevel(low=case["low"], high=case["high"])
        arguments = k, level, case["acceptable_cell_failure"], dependence
        assert (n_min(*arguments), n_min_safe(*arguments)) == (case["n_min"], case["n_min_safe"])
        return
    metrics = dependent_cell_failure(case["counts"], case["participations"], k, dependence)
    for name in Metrics.__slots__:
        assert f"{getattr(metrics, name):.39e}" == case[name], name


class Words:
    """Whole numbers from SHA-256 of a label and a counter, 32 bits at a time."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.used = 0

    def below(self, bound: int) -> int:
        """The next number below a bound; its slight bias does not matter here."""
        digest = hashlib.sha256(f"{self.label}/{self.used}".encode()).digest()
        self.used += 1
        return int.from_bytes(digest[:4], "big") % bound


def random_tables(many: int) -> Iterator[tuple[Row, list[int], int]]:
    """Rows of 1 to 12 cells: order, points (some far, some equal), weights, counts and a minimum; every other
    row has units, about one for three cells."""
    for number in range(many):
        words = Words(f"roomful-joining/{number}")
        n, d, span = 1 + words.below(12), 1 + words.below(3), (2, 50, 10**9)[words.below(3)]
        ranks = [(words.below(2**32), cell) for cell in range(n)]
        points = tuple(tuple(words.below(2 * span + 1) - span for _ in range(d)) for _ in range(n))
        weights = tuple((0, 1, 5000, 10**6)[words.below(4)] for _ in range(d))
        most = (2, 6, 20)[words.below(3)]
        counts = [words.below(most + 1) for _ in range(n)]
        minimum = 2 + words.below(6)
        borders = [0, *(place for place in range(1, n) if words.below(3) == 0), n]
        row = Row(
            order=tuple(cell for _, cell in sorted(ranks)),
            points=points,
            weights=weights,
            units=tuple(itertools.pairwise(borders)) if number % 2 else (),
        )
        yield row, counts, minimum


def segments_text(row: Row, counts: list[int], minimum: int) -> str:
    """The segments as JSON, or null where nothing may be released."""
    try:
        return json.dumps(join_within(row, counts, minimum), separators=(",", ":"))
    except ReleaseError:
        return "null"


def digest_of_all_joinings(many: int) -> str:
    """SHA-256 over the segments of the tables, a line each."""
    lines = "".join(f"{segments_text(*table)}\n" for table in random_tables(many))
    return hashlib.sha256(lines.encode()).hexdigest()


def joining(case: Case, _document: Case) -> None:
    """The segments of one table, or the digest of those of all."""
    if "digest" in case:
        assert digest_of_all_joinings(case["tables"]) == case["digest"]
        return
    points = tuple(tuple(point) for point in case["points"])
    row = Row(
        order=tuple(case["order"]),
        points=points,
        weights=tuple(case["weights"]),
        units=tuple((first, end) for first, end in case["units"]),
    )
    assert json.loads(segments_text(row, case["counts"], case["minimum"])) == case["segments"]


def element(case: Case, _document: Case) -> None:
    """A sum of multiples, or bytes that are no element."""
    group = PythonGroup()
    if "encoding" in case:
        _refused(lambda: group.require((bytes.fromhex(case["encoding"]),)), "election.element")
        return
    factors = [decode_scalar(bytes.fromhex(text)) for text in case["factors"]]
    assert group.combine(factors, list(map(bytes.fromhex, case["elements"]))).hex() == case["sum"]


def election_ballot(case: Case, document: Case) -> None:
    """A ballot made again from its seed, and verified; or refused with its line."""
    terms = document["terms"]
    terms = Terms(
        digest=terms["digest"],
        key=bytes.fromhex(terms["key"]),
        choices=tuple(terms["choices"]),
        cells=terms["cells"],
    )
    group = PythonGroup()
    if "ballot" in case:
        _refused(lambda: _verify_ballot(bytes.fromhex(case["ballot"]), terms, group), case["code"])
        return
    data = bytes.fromhex(case["token"])
    token = Token(prefix=data[:32], device_key=data[32:64], signature=data[64:])
    seed = bytes.fromhex(case["seed"])
    vote = make(terms, case["cell"], token.device_key, case["chosen"], seed, group)
    ballot = UnsignedBallot(cell=case["cell"], token=token, box=vote.to_bytes())
    assert ballot.body.hex() == case["body"]
    assert ballot.words == case["words"]
    signed = ballot.signed(bytes.fromhex(case["signature"]))
    assert signed.receipt == case["receipt"]
    _verify_ballot(signed.to_bytes(), terms, group)


def _verify_ballot(data: bytes, terms: Terms, group: PythonGroup) -> None:
    ballot = Ballot.read(data, box=terms.box_bytes, cells=terms.cells)
    verify(EncryptedVote.of(ballot, terms), terms, group)
    ballot.verify(terms.digest)


def _of_coefficients(case: Case) -> None:
    elements = list(map(bytes.fromhex, case["elements"]))
    assert ceremony.coefficients_digest(case["ceremony"], case["trustee"], elements) == case["digest"]


def _of_ceremony(case: Case) -> None:
    group = PythonGroup()
    first = [ceremony.First.parse(bytes.fromhex(text), "first") for text in case["first"]]
    second = [ceremony.Second.parse(bytes.fromhex(text), "second") for text in case["second"]]
    fourth = [ceremony.Fourth.parse(bytes.fromhex(text), "fourth") for text in case["fourth"]]
    assert ceremony.messages_digest(ceremony.FIRST, first).hex() == case["first_digest"]
    assert ceremony.messages_digest(ceremony.SECOND, second).hex() == case["second_digest"]
    transcript = ceremony.transcript(first, second, list(map(bytes.fromhex, case["sealed"])))
    assert transcript == case["transcript"]
    ceremony.require_second(first, second, group)
    for sender, shares in zip(second, case["shares"], strict=True):
        for receiver, share in enumerate(shares, 1):
            ceremony.require_share(decode_scalar(bytes.fromhex(share)), receiver, sender, group)
    keys = ceremony.keys(second, transcript, group)
    keys.require_one_polynomial(group)
    ceremony.require_fourth(keys, fourth, group)


def _of_statement(case: Case) -> None:
    assert groups_digest(case["groups"]) == case["groups_digest"]
    stated = Stated(specification=case["specification"], root=case["root"], groups=case["groups_digest"])
    assert stated.message(case["trustee"]).hex() == case["message"]


def _of_acceptance(case: Case) -> None:
    message = acceptance_message(case["specification"], bytes.fromhex(case["receipt"]))
    assert message.hex() == case["message"]


def _of_passed_on(case: Case) -> None:
    assert passed_on_message(case["specification"], bytes.fromhex(case["sealed"])).hex() == case["message"]


def _of_proof(case: Case) -> None:
    group, label, parts = PythonGroup(), case["label"], list(map(bytes.fromhex, case["parts"]))
    secret, fresh = decode_scalar(bytes.fromhex(case["secret"])), bytes.fromhex(case["fresh"])
    assert encode_scalar(schnorr.nonce(secret, fresh, label, parts)).hex() == case["nonce"]
    proof = schnorr.prove(secret, label, parts, fresh, group)
    found = [encode_scalar(number).hex() for number in (proof.challenge, proof.response)]
    assert found == [case["challenge"], case["response"]]
    schnorr.verify(bytes.fromhex(case["public"]), proof, label, parts, group)


def _of_factor(case: Case) -> None:
    """The sum stands at its choice; those before it are some other sums."""
    choice, secret = case["choice"], decode_scalar(bytes.fromhex(case["secret"]))
    stated = Stated(specification=case["specification"], root=case["root"], groups=case["groups"])
    sums = (((bytes.fromhex(case["sum_of_r"]), GENERATOR),) * (choice + 1),)
    fresh = [bytes.fromhex(case["fresh"])] * (choice + 1)
    factor = decrypt(secret, case["trustee"], stated, (sums,), fresh, PythonGroup())[0][0][choice]
    numbers = [encode_scalar(number).hex() for number in (factor.challenge, factor.response)]
    assert [factor.element.hex(), *numbers] == [case["factor"], case["challenge"], case["response"]]


_HASHES: dict[str, Callable[[Case], None]] = {
    "coefficients": _of_coefficients,
    "ceremony": _of_ceremony,
    "statement": _of_statement,
    "acceptance": _of_acceptance,
    "passed-on": _of_passed_on,
    "proof": _of_proof,
    "factor": _of_factor,
}


def election_hash(case: Case, _document: Case) -> None:
    """What an election hashes or signs, from its inputs."""
    _HASHES[case["of"]](case)


CHECKS: dict[str, Callable[[Case, Case], None]] = {
    "rfc9474": blind_rsa_of_the_rfc,
    "codes": code,
    "tokens": token,
    "ed25519": signature,
    "assignment": assignment,
    "anonymity": anonymity,
    "submission": submission,
    "joining": joining,
    "ristretto": element,
    "election_ballot": election_ballot,
    "election_hashes": election_hash,
}
"""Name of a file -> what each of its cases must pass."""


def cases(document: Case) -> list[Case]:
    """Positive and negative cases of a file."""
    return [*document["cases"], *document.get("refused", [])]


def run(name: str, document: Case) -> int:
    """Check every case of a file; return how many there were."""
    found = cases(document)
    for case in found:
        CHECKS[name](case, document)
    return len(found)


def _refused(action: Callable[[], object], code: str) -> None:
    try:
        action()
    except RoomfulError as problem:
        found = problem.code
    else:
        found = "nothing was refused"
    assert found == code, found
