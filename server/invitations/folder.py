"""The folders of codes and of letters: there in full, readable by their owner only, or not there at all."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from server import files
from server.invitations.letters import Letter, LetterFrame, render_letters
from server.progress import Progress

CODES_FILE: Final = "codes.csv"
MAIL_MERGE_FILE: Final = "mail-merge.csv"
README_FILE: Final = "README.txt"
LETTERS_A_FILE: Final = 5_000


def silent(_stage: str, _done: int, _total: int) -> None:
    """Progress that nobody looks at."""


def write_letters(
    work: Path, frame: LetterFrame, letters: tuple[Letter, ...], progress: Progress | None
) -> tuple[str, ...]:
    """Write ``letters.pdf``, or several files of five thousand letters each; return their names."""
    total = len(letters)
    parts = [letters[start : start + LETTERS_A_FILE] for start in range(0, total, LETTERS_A_FILE)]
    names = ["letters.pdf"] if len(parts) == 1 else [f"letters-{n:03}.pdf" for n in range(1, len(parts) + 1)]
    for number, (name, part) in enumerate(zip(names, parts, strict=True)):
        before = number * LETTERS_A_FILE

        def counted(done: int, _: int, before: int = before) -> None:
            if progress is not None:
                progress(before + done, total)

        files.write_new(work / name, render_letters(frame, part, counted))
    return tuple(names)
