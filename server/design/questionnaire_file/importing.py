"""Import of a questionnaire, whatever wrote it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from server.design.questionnaire_file.adapting import import_surveyjs
from server.design.questionnaire_file.drafting import Draft
from server.design.questionnaire_file.limesurvey import import_limesurvey
from server.design.questionnaire_file.surveyjs import read_document
from shared.errors import QuestionnaireError

FORMATS: Final = (".json", ".xlsx", ".xls", ".csv", ".txt", ".tsv")


def import_questionnaire(path: Path, languages: tuple[str, ...] = ()) -> Draft:
    """Draft of a questionnaire in SurveyJS JSON, XLSForm or LimeSurvey's tab-separated text.

    Parameters
    ----------
    path : Path
        Its ending says its format.
    languages : tuple of str
        Of the survey; those of the file if there are none.

    Raises
    ------
    QuestionnaireError
        For another ending, or a file that is not of its format.
    """
    ending = path.suffix.lower()
    if ending == ".json":
        return import_surveyjs(read_document(path), languages)
    if ending in (".txt", ".tsv"):
        return import_limesurvey(path, languages)
    if ending in FORMATS:
        from server.design.questionnaire_file.xlsform import import_xlsform  # pyxform takes a second

        return import_xlsform(path, languages)
    raise QuestionnaireError(
        f"the ending {ending!r} is of no format that can be imported",
        where=path.name,
        expected=", ".join(FORMATS),
        remedy="SurveyJS writes .json, XLSForm is .xlsx, .xls or .csv, LimeSurvey's tab-separated text .txt.",
    )
