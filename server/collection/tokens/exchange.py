"""The exchange of a code for a blind token, as the registrar's server does it."""

from __future__ import annotations

from typing import Final

from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.states import State, refusal
from server.collection.tokens.issuing import blind_sign, require_blinded
from shared import base64url, strict_json
from shared.ballot import require_invited
from shared.errors import TokenError
from shared.fields import Fields
from shared.hash_list import HASH_BYTES
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
            ``{"code_proof", "blinded_message"}`` as JSON, both in base64url.

        Returns
        -------
        bytes
            The blind signature, 384 bytes; for the same request the same.

        Raises
        ------
        TokenError
            ``token.request``, ``token.blinded-message``, ``token.fault``, and ``token.code`` alike for a code
            that is not on the roll and one that was used.
        StateError
            If the survey is not open, or this server is not its registrar.
        StorageError
            If the code could not be spent; then nothing was signed.

        Notes
        -----
        The message is checked before the code is spent, so a defective device costs nobody her code. The code
        is spent, durably, before anything is signed; if the machine stops in between, the same request asked
        again has its answer.
        """
        proof, blinded = read_request(body)
        store = self._data.survey(survey)
        invited = require_invited(store.specification)
        if (state := store.met) is not State.OPEN:
            raise refusal(state, "issue tokens")
        key = store.keys.registrar(invited)
        require_blinded(key.n, blinded)
        self._data.registrar(survey).spend(proof, blinded)
        return blind_sign(key, blinded)


def read_request(body: bytes) -> tuple[bytes, bytes]:
    """A request's proof of a code, and its blinded message.

    Guarantee: for all bytes, either a :class:`TokenError` that repeats nothing of the proof, or both parts.
    """
    value = strict_json.loads(body, error=_refused, where="request", max_bytes=MAX_REQUEST_BYTES)
    fields = Fields(value, "", ("code_proof", "blinded_message"), error=_refused)
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
    return proof, blinded


def _refused(_message: str, **parts: str) -> TokenError:
    # The reader's message may quote a name or a value of the request.
    return TokenError("this is not a request for a token", **parts, code="token.request")
