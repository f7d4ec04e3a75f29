"""Surveys of one title, told apart by what is signed differently in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from server.collection.storage.store import SurveyStore
from shared import strict_json
from shared.envelope import Envelope
from shared.errors import SpecificationError
from shared.limits import MAX_SPECIFICATION_BYTES


def versions(stores: Iterable[SurveyStore]) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """For each survey those before it with the same title in its first language, and what differs.

    Parameters
    ----------
    stores : iterable of SurveyStore

    Returns
    -------
    mapping
        Id -> id of another -> names of the specification's fields that differ. Surveys whose title stands
        alone are left out.
    """
    documents: dict[str, dict[str, Any]] = {}
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for store in stores:
        own = documents[store.id] = _document(store)
        found[store.id] = {
            other: tuple(
                name for name in sorted(own.keys() | before.keys()) if own.get(name) != before.get(name)
            )
            for other, before in documents.items()
            if other != store.id and _title(before) == _title(own)
        }
    return {survey: others for survey, others in found.items() if others}


def _document(store: SurveyStore) -> dict[str, Any]:
    payload = Envelope.parse(store.published.envelope).payload
    document: dict[str, Any] = strict_json.loads(
        payload, error=SpecificationError, where=store.id, max_bytes=MAX_SPECIFICATION_BYTES
    )
    return document


def _title(document: Mapping[str, Any]) -> object:
    return document["title"][document["languages"][0]]
