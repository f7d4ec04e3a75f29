"""docs/analyst-guide.md names every column of the released tables, in order; so no column comes unseen."""

from __future__ import annotations

import re

from server.release.answers import CollectedAnswers
from server.release.gate import Decision
from server.release.tables import cells_table, microdata_table
from tests.docs.documents import text_of
from tests.server.release.survey import specification


def documented(table: str) -> list[str]:
    """Columns in the guide's table of a file: names, and *kinds* of columns that a survey decides."""
    text = text_of("docs/analyst-guide.md")
    body = text[text.index(f"| `{table}` | what it is") :].split("\n\n", 1)[0]
    return [row.strip("`") for row in re.findall(r"^\| (`\w+`|\*[\w ]+\*) \|", body.split("\n", 2)[2], re.M)]


def test_the_guide_names_every_column_of_both_tables() -> None:
    survey = specification()
    nothing = Decision(groups=(), reasons=("empty",) * 6, total_answers=0, released_answers=0)
    answers = CollectedAnswers(questions=survey.questionnaire.questions, cells=((),) * 6)
    cells = [column.name for column in cells_table(survey, nothing).columns]
    microdata = [column.name for column in microdata_table(survey, nothing, answers, list.sort).columns]
    centroid = [name for name in cells if name in microdata and name not in ("group", "weight")]
    shares = [name for name in cells if name not in centroid and re.match("sex_", name)]
    questions = microdata[microdata.index(centroid[-1]) + 1 :]
    for table, names in (("microdata.csv", microdata), ("cells.csv", cells)):
        expected: list[str] = []
        kinds = {"*the centroid*": centroid, "*the shares*": shares, "*the answers*": questions}
        for row in documented(table):
            expected += kinds.get(row, [row])
        assert names == expected, f"docs/analyst-guide.md, the columns of {table}: add or correct a row"
