"""The one error tree.

Each class has a stable code, which goes unchanged into HTTP answers
(``server/collection/web/problems.py``), exit codes
(``server/cli/exit_codes.py``) and the pages of the respondent. A message says what was wrong; ``where`` says
in which file, line, column or attribute; ``expected`` what would have been right; ``remedy`` what to do.
"""

from __future__ import annotations

import re
from typing import ClassVar, Final

_UNSEEN: Final = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Controls but for the line feed, half characters, and what turns the direction of writing."""


class RoomfulError(Exception):
    """Root of everything that Roomful raises on purpose.

    Parameters
    ----------
    message : str
        What was wrong, as a sentence without its full stop.
    where : str
        File, line, column, attribute or field; empty if it is plain from the message.
    expected : str
        What would have been accepted.
    remedy : str
        What the reader can do about it.
    code : str, optional
        A more specific stable code below the class's own, such as ``"check.n-min"``.

    Notes
    -----
    Guarantee: whoever wrote what an error quotes (a server, a file), no character of its texts moves a
    terminal's cursor or turns the direction of writing; such ones stand there as escapes.
    """

    default_code: ClassVar[str] = "roomful"

    def __init__(
        self, message: str, *, where: str = "", expected: str = "", remedy: str = "", code: str = ""
    ) -> None:
        self.message, self.where, self.expected, self.remedy = map(
            _visible, (message, where, expected, remedy)
        )
        super().__init__(self.message)
        self.code = code or self.default_code

    def __str__(self) -> str:
        parts = [f"{self.where}: {self.message}" if self.where else self.message]
        if self.expected:
            parts.append(f"expected {self.expected}")
        text = "; ".join(parts)
        return f"{text}. {self.remedy}" if self.remedy else text


def _visible(text: str) -> str:
    return _UNSEEN.sub(lambda found: ascii(found[0])[1:-1], text)


class InputError(RoomfulError):
    """A file or value that somebody gave cannot be used."""

    default_code = "input"


class ModelFileError(InputError):
    """The population file cannot be read or does not fit its declaration."""

    default_code = "input.model-file"


class SurveyFileError(InputError):
    """survey.toml says something impossible."""

    default_code = "input.survey-file"


class AnswerError(InputError):
    """A quasi-identifier or an answer lies outside its declared domain."""

    default_code = "input.answer"


class QuestionnaireError(InputError):
    """The questionnaire uses something that is not whitelisted."""

    default_code = "input.questionnaire"


class KeyFileError(InputError):
    """A key cannot be read, or the passphrase is wrong."""

    default_code = "input.key"


class PeopleFileError(InputError):
    """A list of people to invite cannot be used."""

    default_code = "input.people"


class DesignError(RoomfulError):
    """No partition that keeps the promise can be made from this model."""

    default_code = "design"


class SpecificationError(RoomfulError):
    """A specification is malformed, oversized or contradicts itself."""

    default_code = "specification"


class VerificationError(RoomfulError):
    """Something that claims to be genuine or sound is not."""

    default_code = "verification"


class EnvelopeError(VerificationError):
    """The bytes are not a canonical DSSE envelope of a specification."""

    default_code = "verification.envelope"


class SignatureError(VerificationError):
    """A signature does not verify, or is not by the expected key."""

    default_code = "verification.signature"


class BoardError(VerificationError):
    """The public board does not agree with itself, the specification or a receipt; ``code`` says where."""

    default_code = "board"


class ElectionError(VerificationError):
    """A key, proof, statement or result of an election is not what it claims; ``code`` says which."""

    default_code = "election"


class SoundnessError(VerificationError):
    """A numbered soundness check refused the specification; ``code`` names the check."""

    default_code = "check"


class SubmissionError(RoomfulError):
    """A submission is malformed or does not belong to the survey."""

    default_code = "submission"


class TokenError(RoomfulError):
    """An invitation code or a token cannot be used; ``code`` says why."""

    default_code = "token"


class StateError(RoomfulError):
    """The survey's state does not allow this step."""

    default_code = "state"


class NotFoundError(RoomfulError):
    """No such survey, receipt or file."""

    default_code = "not-found"


class StorageError(RoomfulError):
    """The database cannot keep its promise; nothing was acknowledged that is not stored."""

    default_code = "storage"


class ReleaseError(RoomfulError):
    """A release would break the signed rule; nothing was written."""

    default_code = "release"


class OpeningError(RoomfulError):
    """The trustees' tool refuses: a share, an export or a rehearsal is not what it should be."""

    default_code = "opening"


class RemoteError(RoomfulError):
    """The server cannot be reached, or answered with an error of its own."""

    default_code = "remote"


class SetupError(RoomfulError):
    """This installation lacks something."""

    default_code = "setup"
