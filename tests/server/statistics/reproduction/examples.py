"""A small reproduction, and a catalogue entry that gives it."""

from __future__ import annotations

from server.progress import StageProgress
from server.statistics.reproduction.catalogue import Entry
from server.statistics.reproduction.inputs import Inputs
from server.statistics.reproduction.result import Comparison, Curve, Figure, Reproduction, Table

NAME = "small-table"
ENTRY = Entry("A small table", "p-probabilistic", "unused:unused", 0.1)


def comparison(ours: float = 5.0, published: float = 4.0, tolerance: float | None = 0.5) -> Comparison:
    return Comparison(("census", "k = 3"), "loss", ours, published, tolerance, "%")


def reproduction(*comparisons: Comparison, name: str = NAME) -> Reproduction:
    x = (1.0, 10.0, 100.0)
    return Reproduction(
        name=name,
        paper="Somebody, A paper",
        source="Table 9",
        tables=(
            Table("losses", "Losses <b>", ("data", "k", "loss"), (("census", 3, 5.6922), ("eia", 10, None))),
        ),
        figures=(
            Figure(
                "curve",
                "Loss against k",
                "k",
                "loss",
                (
                    Curve("ours", x, (1.0, 0.1, 1e-4)),
                    Curve("theirs", (1.0, 10.0), (1.1, 0.1), published=True),
                ),
                log_x=True,
                log_y=True,
            ),
        ),
        comparisons=comparisons,
        explanation="We differ.\n\nNobody knows why.",
    )


def small(inputs: Inputs, progress: StageProgress) -> Reproduction:
    progress("small", 1, 1)
    return reproduction(comparison(4.2))


def silent(stage: str, done: int, total: int) -> None:
    assert stage
    assert 0 <= done <= total
