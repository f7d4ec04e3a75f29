"""The organizer's report of an election: turnout and result by each attribute, and what joining cost.

Every figure is a sum of whole groups of a result that was verified, so none tells more than the result does.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from server.release.bands import bands_of
from server.reports.charts import Bar, bar_chart
from server.reports.numbers import percent, whole
from server.reports.page import DataTable, KeyFigure, Page, Picture, Section, data_table, render
from server.statistics.measures.association import cramers_v
from shared.conditions import Answer
from shared.decimals import parse_decimal
from shared.election.contests import choices_of
from shared.election.result import CountedGroup, Result
from shared.election.unanimity import unanimous
from shared.specification import Specification
from shared.units import names_of_units, units_joined, units_of
from shared.words import digest_words

WARNING: Final = (
    "Not for binding public elections: your device knows your vote, so it can be sold or coerced."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """A contest as it is printed.

    Attributes
    ----------
    place : int
        Among the contests.
    title : str
    choices : tuple of str
    """

    place: int
    title: str
    choices: tuple[str, ...]

    def votes(self, groups: Sequence[CountedGroup]) -> tuple[int, ...]:
        """Of each choice in some groups."""
        rows = [group.votes[self.place] for group in groups]
        return tuple(map(sum, zip(*rows, strict=True))) if rows else (0,) * len(self.choices)


def contests_of(specification: Specification) -> tuple[Contest, ...]:
    """All contests, in the first language."""
    language = specification.languages[0]
    questionnaire = specification.questionnaire
    return tuple(
        Contest(
            place=place,
            title=question.title[language],
            choices=tuple(_word(dict(question.words), choice, language) for choice in choices),
        )
        for place, (question, choices) in enumerate(
            zip(questionnaire.questions, choices_of(questionnaire), strict=True)
        )
    )


def render_election_report(
    specification: Specification, digest: str, result: Result, counts: Sequence[int], command: str
) -> bytes:
    """Write the report as one self-contained page without scripts.

    Parameters
    ----------
    specification : Specification
    digest : str
    result : Result
        Verified.
    counts : sequence of int
        Ballots of each box, by which they were joined.
    command : str
        The command that makes this page.
    """
    language, contests = specification.languages[0], contests_of(specification)
    sections = (
        _totals(specification, result, contests),
        *_by_unit(specification, result, contests, language),
        *_by_attribute(specification, result, contests, language),
        _joining(specification, result, counts),
        _every_group(specification, result, contests),
    )
    return render(
        Page(
            kind="Election report",
            title=specification.title[language],
            title_language=language,
            summary=(
                WARNING,
                f"Election {digest_words(digest)}, board {digest_words(result.stated.root)}. Every figure is "
                "a sum of whole groups of the verified result. A choice that nobody in a group took tells as "
                "well.",
            ),
            warnings=tuple(_alike(specification, result, contests)),
            sections=sections,
            command=command,
        )
    )


def groups_table(specification: Specification, result: Result) -> bytes:
    """groups.csv: a row for each group, with its boxes, people, ballots and votes."""
    contests = contests_of(specification)
    questions = specification.questionnaire.questions
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\r\n")
    choices = choices_of(specification.questionnaire)
    heads = [
        f"{q.name}:{str(c).lower() if isinstance(c, bool) else c}"
        for q, own in zip(questions, choices, strict=True)
        for c in own
    ]
    of_units = _heads_of_units(specification)
    writer.writerow(["group", "boxes", *of_units, "people", "ballots", "unanimous", *heads])
    for number, group in enumerate(result.groups, 1):
        alike = [
            questions[c.place].name
            for c, choice in zip(contests, unanimous(group.votes), strict=True)
            if choice is not None
        ]
        writer.writerow(
            [number, " ".join(map(str, group.cells)), *_units(specification, group),
             _people(specification, group), group.ballots,
             " ".join(alike), *(v for row in group.votes for v in row)]
        )  # fmt: skip
    return stream.getvalue().encode("utf-8")


def _word(words: dict[str | bool, dict[str, str]], choice: Answer, language: str) -> str:
    plain = {True: "yes", False: "no"}.get(choice, str(choice)) if isinstance(choice, bool) else str(choice)
    own = words.get(choice, {}) if isinstance(choice, str | bool) else {}
    return own.get(language) or plain


def _people(specification: Specification, group: CountedGroup) -> int:
    return sum(map(specification.people_in, group.cells))


def _alike(specification: Specification, result: Result, contests: Sequence[Contest]) -> Iterator[str]:
    for number, group in enumerate(result.groups, 1):
        where = "".join(f" ({units})" for units in _units(specification, group))
        for contest, choice in zip(contests, unanimous(group.votes), strict=True):
            if choice is not None:
                yield (
                    f"Group {number}{where} is unanimous: all {group.ballots} chose "
                    f"{contest.choices[choice]} in “{contest.title}”. "
                    "Everybody's vote there is known: do not print this group alone."
                )


def _totals(specification: Specification, result: Result, contests: Sequence[Contest]) -> Section:
    ballots = sum(group.ballots for group in result.groups)
    people = sum(_people(specification, group) for group in result.groups)
    bound = "at least " if specification.counts_are_bounds else ""
    return Section(
        name="result",
        title="Turnout and result",
        figures=(
            KeyFigure(
                label="turnout",
                value=_share(ballots, people),
                meaning=f"{whole(ballots)} ballots of {bound}{whole(people)} people on the roll",
                safe="more voters make more groups",
            ),
            KeyFigure(
                label="groups",
                value=whole(sum(1 for group in result.groups if group.ballots)),
                meaning=f"each of at least {specification.k} ballots",
                safe="larger groups are safer",
            ),
        ),
        pictures=tuple(_picture(contest, contest.votes(result.groups), ballots) for contest in contests),
    )


def _picture(contest: Contest, votes: Sequence[int], ballots: int) -> Picture:
    shares = [votes_of / max(ballots, 1) for votes_of in votes]
    bars = [
        Bar(label=choice, share=share, low=share, high=share, unweighted=share)
        for choice, share in zip(contest.choices, shares, strict=True)
    ]
    rows = [(choice, whole(v), _share(v, ballots)) for choice, v in zip(contest.choices, votes, strict=True)]
    table = data_table("The same in numbers", ("choice", "votes", "share"), rows, texts=1)
    return Picture(svg=bar_chart(bars, title=contest.title), caption=contest.title, data=table)


def _heads_of_units(specification: Specification) -> tuple[str, ...]:
    """The head of the column of units, where there are units."""
    return ("units",) if units_of(specification) else ()


def _units(specification: Specification, group: CountedGroup) -> tuple[str, ...]:
    """What stands in that column: names of the units that a group has boxes of."""
    names = names_of_units(specification, group.cells, specification.languages[0])
    return ("; ".join(names),) if names else ()


def _by_unit(
    specification: Specification, result: Result, contests: Sequence[Contest], language: str
) -> Iterator[Section]:
    """Turnout and result of each unit of law, or of several that were joined: exact sums of whole groups."""
    units = units_of(specification)
    if not units:
        return
    bands, joined = [], []
    for stretch in units_joined(specification, [group.cells for group in result.groups]):
        own = [units[i] for i in stretch]
        cells = {cell for unit in own for cell in unit.boxes}
        label = " + ".join(unit.name[language] for unit in own)
        bands.append((label, [group for group in result.groups if cells.issuperset(group.cells)]))
        if len(own) > 1:
            joined.append(f"{label}: a group has boxes of them together, as one had too few ballots.")
    yield Section(
        name="by-unit",
        title="By unit",
        paragraphs=(
            "These figures are exact: boxes lie within one unit, and units are whole groups.",
            *joined,
        ),
        tables=(
            _turnout(specification, "unit", bands),
            *(_votes(contest, "unit", bands) for contest in contests),
            _association("the unit", contests, bands),
        ),
    )


def _by_attribute(
    specification: Specification, result: Result, contests: Sequence[Contest], language: str
) -> Iterator[Section]:
    """A section for each attribute that gives at least two bands, each a union of whole groups."""
    voted = {str(number): group for number, group in enumerate(result.groups) if group.ballots}
    start = 0
    for attribute in specification.attributes:
        part = slice(start, start + attribute.dimension)
        start += attribute.dimension
        rows = []
        for name, group in voted.items():
            value, *more = attribute.column_values(_mean(specification, group)[part])
            rows.append((name, _people(specification, group), value, tuple(more)))
        bands = [
            (label, [voted[name] for name in sorted(names, key=int)])
            for label, names in bands_of(attribute, rows, language)
        ]
        if len(bands) < 2:
            continue
        title = attribute.label[language]
        notes = ["Groups are put together by what their people are like on average."]
        if attribute.one_hot:
            notes.append(
                "This is an estimate: a group is counted where most of its people belong, and has others too."
            )
        yield Section(
            name=f"by-{attribute.name}".lower().replace("_", "-"),
            title=f"By {title}",
            paragraphs=tuple(notes),
            tables=(
                _turnout(specification, title, bands),
                *(_votes(contest, title, bands) for contest in contests),
                _association(title, contests, bands),
            ),
        )


def _turnout(
    specification: Specification, title: str, bands: Sequence[tuple[str, list[CountedGroup]]]
) -> DataTable:
    rows = []
    for label, groups in bands:
        people = sum(_people(specification, group) for group in groups)
        ballots = sum(group.ballots for group in groups)
        rows.append((label, whole(len(groups)), whole(people), whole(ballots), _share(ballots, people)))
    return data_table("Turnout", (title, "groups", "people", "ballots", "turnout"), rows, texts=1)


def _votes(contest: Contest, title: str, bands: Sequence[tuple[str, list[CountedGroup]]]) -> DataTable:
    rows = []
    for label, groups in bands:
        votes = contest.votes(groups)
        rows.append((label, *(f"{whole(v)} ({_share(v, sum(votes))})" for v in votes)))
    return data_table(contest.title, (title, *contest.choices), rows, texts=1)


def _association(
    title: str, contests: Sequence[Contest], bands: Sequence[tuple[str, list[CountedGroup]]]
) -> DataTable:
    rows = []
    for contest in contests:
        found = cramers_v([contest.votes(groups) for _, groups in bands])
        told = ("–", "–") if found is None else (f"{found.v:.2f}", f"{found.low:.2f} to {found.high:.2f}")
        rows.append((contest.title, *told))
    return data_table(
        f"How far the choice goes with {title}: Cramér's V",
        ("contest", "V", "95 % interval"),
        rows,
        texts=1,
        note="0: not at all; 1: it decides the choice. Between bands of groups, not between persons: within "
        "a group nobody knows who chose what, so the true association is mostly larger. With few ballots V "
        "is too high by chance; the interval is not.",
    )


def _joining(specification: Specification, result: Result, counts: Sequence[int]) -> Section:
    k = specification.release.minimum
    joined = [group for group in result.groups if group.ballots and len(group.cells) > 1]
    small = sum(1 for count in counts if 0 < count < k)
    return Section(
        name="joining",
        title="What joining cost",
        paragraphs=(
            "Boxes with too few ballots were joined with their neighbours in the signed row before anything "
            "was decrypted, by their numbers of ballots alone. No ballot was dropped.",
        ),
        figures=(
            KeyFigure(
                label="boxes with too few ballots",
                value=whole(small),
                meaning=f"of {whole(len(counts))}; fewer than {k} ballots each",
                safe="fewer lose less detail",
            ),
            KeyFigure(
                label="joined groups",
                value=whole(len(joined)),
                meaning=f"of {whole(len(result.groups))}; they hold more than one box",
                safe="fewer lose less detail",
            ),
            KeyFigure(
                label="detail lost",
                value=percent(float(_loss(specification, result, counts))),
                meaning="of the differences between boxes lie inside groups now, counted by ballots",
                safe="less is more detail; it says nothing of anybody's safety",
            ),
        ),
    )


def _every_group(specification: Specification, result: Result, contests: Sequence[Contest]) -> Section:
    of_units = _heads_of_units(specification)
    heads = (
        "group",
        *of_units,
        "people",
        "ballots",
        *(f"{c.title}: {x}" for c in contests for x in c.choices),
        "unanimous",
    )
    rows = [
        (
            str(number),
            *_units(specification, group),
            whole(_people(specification, group)),
            whole(group.ballots),
            *(whole(v) for row in group.votes for v in row),
            "yes" if any(choice is not None for choice in unanimous(group.votes)) else "",
        )
        for number, group in enumerate(result.groups, 1)
    ]
    table = data_table("Votes of each group", heads, rows, texts=1 + len(of_units), folded=True)
    return Section(name="groups", title="Every group", tables=(table,))


def _mean(specification: Specification, group: CountedGroup) -> list[Fraction]:
    """Mean of the published centroids of a group's boxes, each counted by its people."""
    people = [specification.people_in(cell) for cell in group.cells]
    points = [[parse_decimal(t) or Fraction(0) for t in specification.centroids[c]] for c in group.cells]
    total = max(sum(people), 1)
    return [
        sum((n * point[j] for n, point in zip(people, points, strict=True)), Fraction(0)) / total
        for j in range(len(points[0]))
    ]


def _loss(specification: Specification, result: Result, counts: Sequence[int]) -> Fraction:
    """Weighted squared distances of ballots' boxes to the mean of their group, over those to that of all."""
    points = [[parse_decimal(t) or Fraction(0) for t in own] for own in specification.centroids]

    def spread(cells: Sequence[int]) -> Fraction:
        n = sum(counts[cell] for cell in cells)
        if not n:
            return Fraction(0)
        total = Fraction(0)
        for j, weight in enumerate(specification.weights):
            first = sum((counts[c] * points[c][j] for c in cells), Fraction(0))
            second = sum((counts[c] * points[c][j] ** 2 for c in cells), Fraction(0))
            total += weight * (second - first**2 / n)
        return total

    whole_spread = spread(range(len(points)))
    inside = sum((spread(group.cells) for group in result.groups), Fraction(0))
    return inside / whole_spread if whole_spread else Fraction(0)


def _share(part: int, of: int) -> str:
    return percent(part / of) if of else "–"
