"""What every vector must give, without a test framework: pytest runs this in CPython, a worker in Pyodide.

Needs ``shared`` and the standard library only.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from typing import Any

from shared import blind_rsa, ed25519
from shared.cells import parse_cells
from shared.effective_anonymity import dependent_cell_failure, n_min, n_min_safe
from shared.errors import RoomfulError
from shared.invitation_code import InvitationCode
from shared.metrics import Metrics
from shared.participation import Dependence, ParticipationLevel
from shared.roll import roll_hash
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


CHECKS: dict[str, Callable[[Case, Case], None]] = {
    "rfc9474": blind_rsa_of_the_rfc,
    "codes": code,
    "tokens": token,
    "ed25519": signature,
    "assignment": assignment,
    "anonymity": anonymity,
    "submission": submission,
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
