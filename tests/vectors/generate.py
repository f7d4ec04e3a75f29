"""Write the test vectors: ``python -m tests.vectors.generate``.

Keys and entropy are fixed, so the same code writes the same bytes; a test compares them with the files.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.vectors.board_vectors import boards
from tests.vectors.condition_vectors import conditions
from tests.vectors.core_vectors import anonymity, assignment, submissions
from tests.vectors.ed25519_vectors import ed25519
from tests.vectors.election_vectors import election_ballots, ristretto
from tests.vectors.hash_vectors import election_hashes
from tests.vectors.invited_vectors import codes, tokens
from tests.vectors.joining_vectors import joinings
from tests.vectors.part_vectors import part_vectors
from tests.vectors.published import published
from tests.vectors.soundness_vectors import soundness_vectors

FOLDER = Path(__file__).resolve().parent


def generate() -> dict[str, str]:
    """Text of every file, by its name below this folder."""
    texts = {f"soundness/{vector.name}.json": vector.to_json() for vector in soundness_vectors()}
    for name, value in (
        ("assignment", assignment()),
        ("anonymity", anonymity()),
        ("submission", submissions()),
        ("board", boards()),
        ("codes", codes()),
        ("tokens", tokens()),
        ("ed25519", ed25519()),
        ("joining", joinings()),
        ("ristretto", ristretto()),
        ("election_ballot", election_ballots()),
        ("election_hashes", election_hashes()),
        ("conditions", conditions()),
        ("parts", part_vectors()),
    ):
        texts[f"{name}.json"] = json.dumps(value, ensure_ascii=False) + "\n"
    return texts | published()


def main() -> None:
    """Write the files, and remove those that are no longer generated."""
    texts = generate()
    for old in FOLDER.rglob("*.json"):
        if old.relative_to(FOLDER).as_posix() not in texts:
            old.unlink()
    for name, text in texts.items():
        path = FOLDER / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
