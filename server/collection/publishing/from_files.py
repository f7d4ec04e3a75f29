"""From the files that design and sign made to a survey in the data directory."""

from __future__ import annotations

from pathlib import Path

from server.collection.publishing.publication import Publication
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.published import PublishedSurvey
from server.collection.storage.server_keys import check_keys, install_keys


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
    publication = Publication.read(source, is_test=is_test)
    envelope = publication.envelope
    published = PublishedSurvey.verify(
        data.folder(envelope), envelope, organizer_key=None, parts=publication.parts.get
    )
    check_keys(published, token_key=token_key, collector_key=collector_key)
    survey = data.publish(
        envelope, publication.model, publication.roll, publication.parts.get, is_test=is_test
    )
    install_keys(data.survey(survey).published, token_key=token_key, collector_key=collector_key)
    if token_key is not None:
        data.enrol(survey)
    return survey
