"""From the files that design and sign made to a survey in the data directory."""

from __future__ import annotations

from pathlib import Path

from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.published import MODEL_NAME, ROLL_NAME, PublishedSurvey
from server.collection.storage.server_keys import check_keys, install_keys
from server.files import read_bounded
from server.keys.signing import ENVELOPE_FILE
from shared.errors import InputError
from shared.limits import MAX_ENVELOPE_BYTES, MAX_MODEL_BYTES
from shared.roll import MAX_ROLL_BYTES


def publish_files(
    data: DataDirectory,
    source: Path,
    *,
    token_key: Path | None = None,
    collector_key: Path | None = None,
    is_test: bool = False,
) -> str:
    """Publish a signed file, and the public model and the roll beside it.

    Parameters
    ----------
    data : DataDirectory
        Where to.
    source : Path
        The folder with ``survey.dsse.json``, or the signed file itself.
    token_key, collector_key : Path, optional
        The private keys by which this server is registrar or collector of an invited survey. A registrar
        takes the codes of the roll.
    is_test : bool
        Whether it is a copy to be tried.

    Returns
    -------
    str
        The survey's id.

    Raises
    ------
    InputError
        If a file is missing, unreadable or too large, the model is not the one designed from, or the keys
        do not suit the survey.
    VerificationError, SpecificationError, StateError, StorageError
        See :meth:`DataDirectory.publish`.
    """
    signed = source / ENVELOPE_FILE if source.is_dir() else source
    if not signed.is_file():
        raise InputError(
            "there is no signed specification",
            where=str(signed),
            remedy="Sign the design first: roomful sign DIR --key KEY",
            code="input.not-signed",
        )
    model, roll = signed.with_name(MODEL_NAME), signed.with_name(ROLL_NAME)
    envelope = _read(signed, MAX_ENVELOPE_BYTES)
    published = PublishedSurvey.verify(data.folder(envelope), envelope, organizer_key=None)
    check_keys(published, token_key=token_key, collector_key=collector_key)
    survey = data.publish(
        envelope,
        _read(model, MAX_MODEL_BYTES) if model.is_file() else None,
        _read(roll, MAX_ROLL_BYTES) if roll.is_file() else None,
        is_test=is_test,
    )
    install_keys(data.survey(survey).published, token_key=token_key, collector_key=collector_key)
    if token_key is not None:
        data.enrol(survey)
    return survey


def _read(path: Path, max_bytes: int) -> bytes:
    return read_bounded(path, max_bytes, lambda message: InputError(message, where=str(path)))
