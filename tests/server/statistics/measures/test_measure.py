"""A measure cannot be read the wrong way round."""

from __future__ import annotations

import json

import pytest

from server.statistics.measures.measure import Measure


def test_the_label_says_which_direction_is_unsafe() -> None:
    k = Measure(name="achieved k", value=5, direction="lower is unsafe", source="Sweeney 2002")
    assert k.label == "achieved k (lower is unsafe)"


def test_json_is_valid_for_infinite_values() -> None:
    measure = Measure(name="delta", value=float("inf"), direction="higher is unsafe", source="x")
    assert json.loads(json.dumps(measure.as_json(), allow_nan=False))["value"] == "infinite"
    whole = Measure(name="k", value=3.0, direction="lower is unsafe", source="x")
    assert json.dumps(whole.as_json()["value"]) == "3"


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="direction"):
        Measure(name="k", value=1, direction="safe", source="x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no value"):
        Measure(name="k", value=float("nan"), direction="lower is unsafe", source="x")
