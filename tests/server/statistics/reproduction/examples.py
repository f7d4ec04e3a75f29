"""A small reproduction, and a catalogue entry that gives it."""

from __future__ import annotations

from collections.abc import Iterator

from server.progress import StageProgress
from server.statistics.reproduction.catalogue import Entry
from server.statistics.reproduction.inputs import Inputs
from server.statistics.reproduction.result import Plot, Record, Reproduction

NAME = "small-table"
PLOTS = (Plot(name="curve", title="Loss against k", x="k", y=("loss",), log_x=True, log_y=True),)
ENTRY = Entry(
    title="A small table",
    paper="p-probabilistic",
    source="Table 9",
    target="unused:unused",
    seconds=0.1,
    explanation="We differ.\n\nNobody knows why.",
    plots=PLOTS,
)


def record(ours: float = 5.0, published: float = 4.0, tolerance: float | None = 0.5, k: int = 3) -> Record:
    return Record(
        at={"data": "census <b>", "k": k}, measure="loss", ours=ours, published=published, tolerance=tolerance
    )


def reproduction(*records: Record, name: str = NAME) -> Reproduction:
    return Reproduction(
        name=name,
        title=ENTRY.title,
        source=ENTRY.source,
        paper="Somebody, A paper",
        records=records,
        explanation=ENTRY.explanation,
        plots=PLOTS,
    )


def small(inputs: Inputs, progress: StageProgress) -> Iterator[Record]:
    progress("small", 1, 1)
    yield record(4.2)


def silent(stage: str, done: int, total: int) -> None:
    assert stage
    assert 0 <= done <= total
