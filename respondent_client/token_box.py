"""In which box of an election a token counts: the one whose key signed it. A survey's counts anywhere."""

from __future__ import annotations

from shared.ballot import require_invited
from shared.errors import TokenError
from shared.soundness import SoundSpecification
from shared.token import Token


def cell_of(token: Token, sound: SoundSpecification) -> int | None:
    """The box of a token; None of a survey.

    Raises
    ------
    TokenError
        ``token.signature`` or ``token.device-key``: the registrar signed it for no box.
    """
    invited = require_invited(sound.specification)
    *others, last = range(len(invited.token_keys))
    for cell in others:
        try:
            token.verify(invited.token_keys[cell], sound.digest)
        except TokenError:
            continue
        return cell
    token.verify(invited.token_keys[last], sound.digest)
    return None if invited.election is None else last


def require_cell(token: Token, sound: SoundSpecification, cell: int) -> None:
    """Refuse a token of an election for another box than its holder is in.

    Raises
    ------
    TokenError
        With the code ``token.box``, or as :func:`cell_of`.
    """
    try:
        token.verify(require_invited(sound.specification).token_key(cell), sound.digest)
    except TokenError:
        own = cell_of(token, sound)
        raise TokenError(
            f"the token is for box {own}, and what was said leads to box {cell}",
            where="token",
            expected="what was said when the code was exchanged, as the roll has it",
            remedy="Compare what was entered with the letter.",
            code="token.box",
        ) from None
