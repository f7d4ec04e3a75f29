"""Generated blocks of docs/protocol.md on codes, tokens and ballots, from the committed vectors."""

from __future__ import annotations

import json

from shared.ballot import HEAD_BYTES, TAIL_BYTES
from shared.sealing import SUITES
from tests.vectors.published import FOLDER

SHOWN = 48


def invited_blocks() -> dict[str, str]:
    """Text of each block, by name."""
    codes, tokens = (json.loads((FOLDER / f"{name}.json").read_text("utf-8")) for name in ("codes", "tokens"))
    code, token = codes["cases"][3], tokens["cases"][0]
    return {
        "code": "\n".join(
            (
                f"random bytes    {code['entropy']}",
                f"code            {code['text']}",
                f"roll id         {codes['roll_id']}",
                f"proof           {code['proof']}",
                f"roll hash       {code['roll_hash']}",
            )
        ),
        "token": "\n".join(
            f"{name.replace('_', ' '):<17} {_shortened(value)}"
            for name, value in [("token_key", tokens["token_key"]), *token.items()]
        ),
        "lengths": "\n".join(
            (
                f"{'suite':<40}{'box':>7}{'sent':>7}",
                *(
                    f"{name:<40}{suite.overhead:>+7}{HEAD_BYTES + TAIL_BYTES + 2 * suite.overhead:>+7}"
                    for name, suite in SUITES.items()
                ),
            )
        ),
    }


def _shortened(value: str) -> str:
    return value if len(value) <= 64 else f"{value[:SHOWN]}...  ({len(value) // 2} bytes)"
