"""The published files of one survey: the signed specification, the public model, the released tables."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from server import files
from server.keys.parts_folder import parts_in
from server.keys.signing import verify_envelope
from shared.envelope import Envelope, survey_id
from shared.errors import BoardError, InputError, NotFoundError, StorageError
from shared.limits import MAX_ENVELOPE_BYTES
from shared.parts import Parts
from shared.roll import Roll
from shared.specification import Specification

SPECIFICATION_NAME: Final = "specification.dsse.json"
MODEL_NAME: Final = "model.csv"
ROLL_NAME: Final = "roll.txt"
RELEASE_NAME: Final = "release"


def stamp(specification: str) -> tuple[int, int, int]:
    """What changes when a specification's file is replaced or written: inode, size, time.

    Asked at every submission, hence a plain path.
    """
    with files.named_file_errors(SPECIFICATION_NAME):
        found = os.stat(specification)  # noqa: PTH116 - pathlib takes four times as long
    return found.st_ino, found.st_size, found.st_mtime_ns


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedFile:
    """A file that everybody may have: its name, its size in bytes and where it lies."""

    name: str
    size_bytes: int
    path: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedSurvey:
    """A survey whose signature was verified.

    Attributes
    ----------
    folder : Path
        The survey's folder.
    envelope : bytes
        The signed specification, as published.
    digest : str
        SHA-256 of the payload in hex: the survey's identity.
    organizer_key : bytes
        The Ed25519 public key that signed it.
    specification : Specification
        The payload, parsed.
    """

    folder: Path
    envelope: bytes
    digest: str
    organizer_key: bytes
    specification: Specification

    @classmethod
    def verify(
        cls,
        folder: Path,
        envelope: bytes,
        *,
        organizer_key: bytes | None,
        parts: Parts | None = None,
        needed: Collection[int] | None = None,
    ) -> Self:
        """Verify and parse an envelope.

        Parameters
        ----------
        folder : Path
            The survey's folder, in which parts are looked for unless `parts` says where they are.
        needed : collection of int, optional
            See :meth:`shared.specification.Specification.parse`; who counts and releases needs all.

        Raises
        ------
        VerificationError, SpecificationError
            If it is not canonical, not signed by `organizer_key`, or not a specification.
        """
        verified = verify_envelope(Envelope.parse(envelope), organizer_key)
        return cls(
            folder=folder,
            envelope=envelope,
            digest=verified.digest,
            organizer_key=verified.organizer_key,
            specification=Specification.parse(verified.payload, parts or parts_in(folder), needed),
        )

    @classmethod
    def load(cls, folder: Path, *, organizer_key: bytes) -> Self:
        """Read and verify the published specification again.

        Raises
        ------
        StorageError, VerificationError, SpecificationError
            If the file is missing, oversized or not what it was.
        """
        where = f"{folder.name}/{SPECIFICATION_NAME}"
        with files.named_file_errors(where):
            envelope = files.read_start(folder / SPECIFICATION_NAME, MAX_ENVELOPE_BYTES)
        return cls.verify(folder, envelope, organizer_key=organizer_key)

    @property
    def id(self) -> str:
        """The short identity for addresses and the command line."""
        return survey_id(self.digest)

    @property
    def model_path(self) -> Path:
        """The public model.

        Raises
        ------
        NotFoundError
            If the survey has none, because it was designed from a register of real people.
        """
        path = self.folder / MODEL_NAME
        if self.specification.model.kind != "public" or not path.is_file():
            raise NotFoundError("this survey has no public model")
        return path

    def part(self, digest: str) -> bytes:
        """A part of the specification.

        Raises
        ------
        NotFoundError
            If the specification names no such part.
        StorageError
            If its file is missing.
        """
        if all(reference.digest != digest for reference in self.specification.parts):
            raise NotFoundError("this survey has no such part", code="not-found.part")
        data = parts_in(self.folder)(digest)
        if data is None:
            raise StorageError("a part of the specification is missing", where=digest, code="storage.corrupt")
        return data

    def parts(self) -> dict[str, bytes]:
        """All parts by their digest; raises as :meth:`part`."""
        return {reference.digest: self.part(reference.digest) for reference in self.specification.parts}

    def require_model(self, model: bytes | None) -> None:
        """Check that a public specification comes with its model, and a register's without.

        Raises
        ------
        InputError
            If it is missing, must not be given, or has another digest.
        """
        declared = self.specification.model
        if declared.kind == "public":
            if model is None:
                raise InputError(
                    "the specification has a public model, which must be published beside it",
                    expected=f"the file {MODEL_NAME} beside the specification",
                    code="input.model-missing",
                )
            if hashlib.sha256(model).hexdigest() != declared.digest:
                raise InputError(
                    "the model is not the one that the specification was designed from",
                    expected=f"a file with the SHA-256 {declared.digest}",
                    remedy="Use the model.csv that roomful design wrote together with the specification.",
                    code="input.model-digest",
                )
        elif model is not None:
            raise InputError(
                "the specification was designed from a register of real people, which is never published",
                remedy="Remove the model file.",
                code="input.model-of-register",
            )

    def require_roll(self, roll: bytes | None) -> None:
        """Check that an invited survey comes with the roll that was signed.

        Raises
        ------
        InputError
            If it is missing, another one, or not needed.
        """
        invited = self.specification.invited
        if invited is None and roll is None:
            return
        if invited is None or roll is None:
            raise InputError(
                "the roll of an invited survey must be published beside it, and no other survey has one",
                where=ROLL_NAME,
                expected="no file" if invited is None else f"the file {ROLL_NAME} beside the specification",
                code="input.roll",
            )
        if hashlib.sha256(roll).hexdigest() != invited.codes.digest:
            raise InputError(
                "the roll is not the one that was signed",
                where=ROLL_NAME,
                expected=f"a file with the SHA-256 {invited.codes.digest}",
                remedy="Use the roll.txt that roomful design wrote together with the specification.",
                code="input.roll",
            )

    def roll(self) -> Roll:
        """The published roll of an invited survey.

        Raises
        ------
        StorageError
            If it is missing or damaged.
        """
        with files.named_file_errors(f"{self.folder.name}/{ROLL_NAME}"):
            data = (self.folder / ROLL_NAME).read_bytes()
        try:
            self.require_roll(data)
            return Roll.parse(data)
        except (InputError, BoardError) as problem:
            raise StorageError(problem.message, where=ROLL_NAME, code="storage.corrupt") from None

    def released_files(self) -> tuple[ReleasedFile, ...]:
        """The released files by name; none before the release."""
        folder = self.folder / RELEASE_NAME
        if not folder.is_dir():
            return ()
        return tuple(
            ReleasedFile(name=path.name, size_bytes=path.stat().st_size, path=path)
            for path in sorted(folder.iterdir())
            if path.is_file() and not path.is_symlink()
        )

    def take_release(self, source: Path) -> None:
        """Copy the plain files of a folder into the survey's own, all or nothing.

        Raises
        ------
        StorageError
            If the folder is missing or empty, holds anything but plain files, or cannot be copied.
        """
        target = self.folder / RELEASE_NAME
        with files.named_file_errors(RELEASE_NAME):
            found = sorted(source.iterdir())
            strange = [path for path in found if path.is_symlink() or not path.is_file()]
            if strange or not found:
                raise StorageError(
                    "a release is a folder of plain files", where=RELEASE_NAME, code="storage.release"
                )
            # Of releases that did not come to their end.
            for leftover in (*filter(Path.is_dir, self.folder.glob(".new-*")), target):
                if leftover.exists():
                    shutil.rmtree(leftover)
            with files.new_folder(target) as work:
                for path in found:
                    files.write_new(work / path.name, path.read_bytes())
