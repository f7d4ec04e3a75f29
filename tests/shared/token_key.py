"""The registrar's part in tests of the parts that have no private key: the textbook's, slow and plain."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from shared.blind_rsa import blind, blinding_factor, finalize
from shared.token import HeldToken, Token
from tests.invited import device_key, token_key, unsigned_token

_NUMBERS = token_key().private_numbers()
P, Q, D = _NUMBERS.p, _NUMBERS.q, _NUMBERS.d
N = P * Q


def sign_plainly(blinded_msg: bytes) -> bytes:
    """BlindSign (RFC 9474, section 4.3) in one line."""
    return pow(int.from_bytes(blinded_msg, "big"), D, N).to_bytes(len(blinded_msg), "big")


def fetch_token(digest: str, seed: bytes) -> Token:
    """A token of a survey, through all steps of the protocol."""
    entropy = hashlib.shake_256(seed).digest(480)
    prefix, salt, rest = entropy[:32], entropy[32:80], entropy[80:]
    unsigned = unsigned_token(prefix)
    message = unsigned.message(digest)
    blinded, inv = blind(N, message, salt=salt, r=blinding_factor(N, rest))
    return replace(unsigned, signature=finalize(N, message, sign_plainly(blinded), inv))


def held(token: Token) -> HeldToken:
    """A token of :func:`fetch_token` with its secret."""
    return HeldToken(token=token, secret=device_key(token.prefix).private_bytes_raw())
