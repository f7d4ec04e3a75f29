"""What a specification of an election fixes for its proofs."""

from __future__ import annotations

from shared.ballot import require_invited
from shared.election.contests import sizes_of
from shared.election.terms import Terms
from shared.specification import Specification


def election_terms(specification: Specification, digest: str) -> Terms:
    """The terms of an election.

    Parameters
    ----------
    digest : str
        SHA-256 of the specification, hexadecimal.
    """
    return Terms(
        digest=digest,
        key=require_invited(specification).opening_key,
        choices=sizes_of(specification.questionnaire),
        cells=specification.cells.count,
    )
