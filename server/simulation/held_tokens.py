"""The tokens of simulated voters, between the phase in which codes are exchanged and that of ballots."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from server import files
from shared.errors import InputError, TokenError
from shared.token import HeldToken


@dataclass(frozen=True, slots=True)
class HeldTokens:
    """A file with a token in each line, in the order of the people who take part; readable by its owner.

    Attributes
    ----------
    path : Path
        Of the file.
    """

    path: Path

    @property
    def exist(self) -> bool:
        """Whether tokens were kept."""
        return self.path.exists()

    def write(self, tokens: Iterable[HeldToken]) -> None:
        """Keep them.

        Raises
        ------
        StorageError
            If the file is there, or cannot be written.
        """
        with files.named_file_errors(str(self.path)):
            files.write_new(self.path, "".join(f"{token.to_text()}\n" for token in tokens).encode("ascii"))

    def read(self, number: int) -> tuple[HeldToken, ...]:
        """So many of them.

        Raises
        ------
        InputError
            If there are more or fewer, or a line is no token: another seed drew other people.
        """
        with files.named_file_errors(str(self.path)):
            lines = self.path.read_text("ascii", "replace").splitlines()
        try:
            found = tuple(map(HeldToken.parse_text, lines))
        except TokenError as error:
            raise InputError(error.message, where=str(self.path), code="input.tokens") from None
        if len(found) != number:
            raise InputError(
                f"there are {len(found)} tokens for {number} people",
                where=str(self.path),
                expected="the file of the same people",
                remedy="Give the same --seed, --model and --participants as when it was made.",
                code="input.tokens",
            )
        return found
