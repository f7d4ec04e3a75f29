"""The exchange of a code for a blind token, as the registrar's server does it."""

from __future__ import annotations

from typing import Final

from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.states import NOT_CLOSED, State, exchanging, refusal
from server.collection.tokens.issuing import blind_sign, require_blinded
from shared import base64url, strict_json
from shared.ballot import require_invited
from shared.errors import NotFoundError, StateError, TokenError
from shared.fields import Fields
from shared.hash_list import HASH_BYTES
from shared.invited import Invited
from shared.limits import TOKEN_KEY_BYTES

MAX_REQUEST_BYTES: Final = 2048


class TokenOffice:
    """Exchanges codes for blind signatures.

    Parameters
    ----------
    data : DataDirectory
        Where the surveys, their codes and their keys are.
    """

    def __init__(self, data: DataDirectory) -> None:
        self._data = data

    def exchange(self, survey: str, body: bytes) -> bytes:
        """Spend a code and sign its blinded message.

        Parameters
        ----------
        survey : str
            The survey's id.
        body : bytes
            ``{"code_proof", "blinded_message"}`` as JSON, both in base64url; in an election also ``cell``, a
            number, which the roll must have the code in. Of a survey the registrar never learns a cell.

        Returns
        -------
        bytes
            The blind signature, 384 bytes; for the same request the same.

        Raises
        ------
        TokenError
            ``token.request``, ``token.blinded-message``, ``token.fault``, ``token.box`` if the roll has the
            code in another box, and ``token.code`` alike for a code that is not on the roll and one that was
            used.
        StateError
            If the survey does not exchange codes now, or this server is not its registrar.
        StorageError
            If the code could not be spent; then nothing was signed.

        Notes
        -----
        The message is checked before the code is spent, so a defective device costs nobody her code. The code
        is spent, durably, before anything is signed; if the machine stops in between, the same request asked
        again has its answer.
        """
        store = self._data.survey(survey)
        invited = require_invited(store.specification)
        proof, blinded, box = read_request(body, invited)
        if (state := store.met) is not exchanging(election=store.is_election):
            if store.is_election and state is State.OPEN:
                raise _too_late()
            raise refusal(state, "issue tokens", election=store.is_election)
        key = store.keys.registrar(invited, box)
        require_blinded(key.n, blinded)
        self._data.registrar(survey).spend(proof, blinded, box)
        return blind_sign(key, blinded)

    def count(self, survey: str) -> bytes:
        """How many tokens were issued for each box of an election, once no more are.

        Returns
        -------
        bytes
            ``{"tokens": [...]}`` as JSON.

        Raises
        ------
        NotFoundError
            If it is no election.
        StateError
            While codes are exchanged or were not yet, or if its registrar is elsewhere.
        """
        store = self._data.survey(survey)
        if not store.is_election:
            raise NotFoundError("the tokens of a survey are not counted by cell")
        state = store.met
        if state in NOT_CLOSED - {State.OPEN}:
            raise refusal(state, "count tokens", election=True)
        boxes = store.specification.cells.count
        return strict_json.dumps({"tokens": list(self._data.registrar(survey).issued_by_box(boxes))})


def _too_late() -> StateError:
    """Of a voter whose code comes only when votes are taken; nothing of it is spent."""
    return StateError(
        "codes are exchanged no more: the voting has begun",
        remedy="If you have a token already, vote with it, on the device or with the file where you kept it."
        " Without one you cannot vote here: tell whoever invited you. Afterwards the public board shows"
        " whether your code was used.",
        code="state.open",
    )


def read_request(body: bytes, invited: Invited) -> tuple[bytes, bytes, int]:
    """A request's proof of a code, its blinded message, and the place of the key: of a survey 0.

    Guarantee: for all bytes, either a :class:`TokenError` that repeats nothing of the proof, or all parts.
    """
    value = strict_json.loads(body, error=_refused, where="request", max_bytes=MAX_REQUEST_BYTES)
    names = ("code_proof", "blinded_message", *(() if invited.election is None else ("cell",)))
    fields = Fields(value, "", names, error=_refused)
    box = 0 if invited.election is None else fields.integer("cell", 0, len(invited.token_keys) - 1)
    blinded = base64url.decode(fields.text("blinded_message"))
    if blinded is None or len(blinded) != TOKEN_KEY_BYTES:
        raise TokenError(
            "this is no blinded message",
            where="blinded_message",
            expected=f"{TOKEN_KEY_BYTES} bytes in base64url, without padding",
            code="token.blinded-message",
        )
    proof = base64url.decode(fields.text("code_proof"))
    if proof is None or len(proof) != HASH_BYTES:
        raise _refused("", where="code_proof", expected=f"{HASH_BYTES} bytes in base64url, without padding")
    return proof, blinded, box


def _refused(_message: str, **parts: str) -> TokenError:
    # The reader's message may quote a name or a value of the request.
    return TokenError("this is not a request for a token", **parts, code="token.request")
