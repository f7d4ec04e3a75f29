"""The surveys of the collection's tests."""

from tests.server.collection.conftest import data, draft, survey

__all__ = ["data", "draft", "survey"]
