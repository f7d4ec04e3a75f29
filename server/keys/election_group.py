"""ristretto255 for who verifies many ballots: the code of ``shared``, computed with GMP's integers."""

from __future__ import annotations

from functools import cache

from shared.election.group import PythonGroup


@cache
def fast_group() -> PythonGroup:
    """The same arithmetic at a third of its time; no more in constant time than the other.

    Run by the collector and by who verifies, never with a share: GMP is loaded here, and a trustee's tool
    loads no library but ``cryptography``.
    """
    from gmpy2 import mpz

    return PythonGroup(mpz)
