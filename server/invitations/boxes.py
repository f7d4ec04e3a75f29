"""The box of each voter of an election, from the roll: what her device will find, and her letter says."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from server.invitations.people import People
from server.tables.problems import Problems
from server.wording import quoted, shortened_list
from shared.errors import AnswerError, InputError, PeopleFileError
from shared.specification import Specification

GROUP_COLUMN: Final = "group"


def with_groups(people: People, specification: Specification) -> tuple[People, tuple[int, ...]]:
    """The list with a column for each voter's group, and the groups.

    Parameters
    ----------
    people : People
        The roll, with a column for each attribute.
    specification : Specification
        With the boxes.

    Raises
    ------
    InputError
        With the code ``input.people`` for a missing column, a column called group, or a value that no device
        would take; with ``input.roll`` if a box has nobody.
    """
    attributes = specification.attributes
    missing = [attribute.name for attribute in attributes if attribute.name not in people.header]
    if missing or GROUP_COLUMN in people.header:
        raise PeopleFileError(
            f"the roll has no column {quoted(missing[0])}"
            if missing
            else "the roll has a column group already",
            where="roll",
            expected="the attributes " + shortened_list(tuple(attribute.name for attribute in attributes)),
            remedy="Take the roll that the boxes were made from, with names and addresses beside it.",
        )
    places = [people.header.index(attribute.name) for attribute in attributes]
    markers = specification.model.reading.missing_markers
    problems = Problems("roll", "voters belong to no box")
    boxes: list[int] = []
    for person in people.rows:
        values = (person.cells[place].strip() for place in places)
        answers = {
            attribute.name: None if value in markers else value
            for attribute, value in zip(attributes, values, strict=True)
        }
        try:
            boxes.append(specification.cells.assign(specification.vector(answers)))
        except AnswerError as error:
            problems.add(f"{error.where}: {error.message}", place=person.place, remedy="Correct the roll.")
    problems.raise_if_any(PeopleFileError)
    empty = sorted(set(range(specification.cells.count)) - set(boxes))
    if empty:
        raise InputError(
            f"nobody on the roll is in box {empty[0]}",
            where="roll",
            expected="the roll that the boxes were made from",
            code="input.roll",
        )
    rows = tuple(
        replace(person, cells=(*person.cells, str(box)))
        for person, box in zip(people.rows, boxes, strict=True)
    )
    return replace(people, header=(*people.header, GROUP_COLUMN), rows=rows), tuple(boxes)
