"""Tokens and ballots, verified by the library ``cryptography`` for those who verify many.

Its RSASSA-PSS takes a twentieth of the time of :func:`shared.blind_rsa.verify`. Of Ed25519 it checks the
equation; what libraries disagree about is checked before, by :mod:`shared.ed25519`. Tests compare both with
:meth:`shared.token.Token.verify` and :meth:`shared.ballot.Ballot.verify`.
"""

from __future__ import annotations

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, PSS
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey, RSAPublicNumbers
from cryptography.hazmat.primitives.hashes import SHA384

from shared import blind_rsa, ed25519
from shared.ballot import Ballot, not_signed
from shared.invited import Invited
from shared.token import Token


class BallotVerifier:
    """Verifies what the ballots of one survey are signed with; run by the collector and by the trustees.

    Parameters
    ----------
    invited : Invited
        With the registrar's keys.
    digest : str
        The survey's identity.
    """

    def __init__(self, invited: Invited, digest: str) -> None:
        self._digest = digest
        self._invited = invited
        self._keys: dict[int, RSAPublicKey] = {}
        self._sha384 = SHA384()
        self._pss = PSS(MGF1(self._sha384), blind_rsa.SALT_BYTES)

    def verify_token(self, token: Token, cell: int) -> None:
        """As :meth:`Token.verify`, with the key of a cell: in an election a token counts in its box only."""
        n = self._invited.token_key(cell)
        key = self._keys.get(n)
        if key is None:
            key = self._keys[n] = RSAPublicNumbers(blind_rsa.PUBLIC_EXPONENT, n).public_key()
        try:
            key.verify(token.signature, token.message(self._digest), self._pss, self._sha384)
        except InvalidSignature:
            raise blind_rsa.invalid("the signature does not verify") from None
        token.require_device_key()

    def verify_signature(self, ballot: Ballot) -> None:
        """As :meth:`Ballot.verify`, of a ballot whose token was verified.

        Guarantee: the ballot is, byte for byte, one that the holder of the token's device key signed.
        """
        if not ed25519.is_canonical(ballot.signature):
            raise not_signed()
        key = Ed25519PublicKey.from_public_bytes(ballot.token.device_key)
        try:
            key.verify(ballot.signature, ballot.to_be_signed(self._digest))
        except InvalidSignature:
            raise not_signed() from None
