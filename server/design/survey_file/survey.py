"""survey.toml: everything an organizer declares, read once into frozen values."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from server.design.plan import Plan, UnitPlan
from server.design.questionnaire_file.surveyjs import read_document, respelled
from server.design.survey_file.attribute_entries import ATTRIBUTE_KEYS, build_attributes
from server.design.survey_file.design_entry import read_design
from server.design.survey_file.invited_entry import read_invited, read_roll
from server.design.survey_file.toml_document import TOP_LEVEL, Section, parse_toml, read_survey_bytes
from server.tables.files import Reading
from server.wording import nearest_name, quoted
from shared.attributes import Attribute
from shared.decimals import parse_decimal
from shared.declarations import MODEL_KINDS, RELEASE_RULES, Organizer, Permissions, ReleaseRule
from shared.errors import QuestionnaireError, SpecificationError
from shared.fields import is_language
from shared.limits import (
    HOUSEHOLD_SIZES,
    MAX_ATTRIBUTES,
    MAX_CATEGORIES,
    MAX_K,
    MAX_LANGUAGES,
)
from shared.model import INCOMPLETE_RULES, ReadingRules
from shared.participation import Dependence, ParticipationLevel, ParticipationSource, Rate
from shared.period import Period
from shared.pictures import FORMATS, Logo, data_url
from shared.questionnaire import Questionnaire
from shared.roll import Roll
from shared.specification import MAX_RETENTION_DAYS


@dataclass(frozen=True, slots=True, kw_only=True)
class _ModelEntry:
    """[model]: the population file and how it is read.

    ``kind`` says whether its records are public or real people (design section 6).
    """

    file: Path
    kind: str
    rules: ReadingRules
    reading: Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class _ParticipationEntry:
    """[participation]: ``level`` is the one level of an even source, None otherwise.

    The household size in ``dependence`` is 1 where it comes from a column of the model file.
    """

    source: ParticipationSource
    level: ParticipationLevel | None
    dependence: Dependence


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveyFile:
    """A survey as its organizer declares it: the plan, and where its population is.

    Attributes
    ----------
    path : Path
        The survey.toml.
    plan : Plan
        Everything from which, with the population, a specification follows.
    model : Path
        The population file.
    reading : Reading
        What cannot be found out about that file.
    attributes : tuple of Attribute
    level : ParticipationLevel or None
        The one level of an even participation.
    roll : Roll or None
        The hashes of the codes of an invited survey.
    """

    path: Path
    plan: Plan
    model: Path
    reading: Reading
    attributes: tuple[Attribute, ...]
    level: ParticipationLevel | None
    roll: Roll | None


def read_survey_file(path: Path, algorithm: str | None = None, *, boxes_only: bool = False) -> SurveyFile:
    """Read a survey.toml and the files it names, except the model.

    Parameters
    ----------
    path : Path
        The file; relative names inside it start at its folder.
    algorithm : str, optional
        One of ``server.design.survey_file.design_entry.NAMES``, instead of the file's.
    boxes_only : bool
        Whether to leave [invited] out, whose roll and keys are made once the boxes of an election are known.

    Raises
    ------
    SurveyFileError
        With file, line, key, what was expected and what to do: for what is no TOML, unknown keys (with the
        nearest known one), values of another type, and combinations that mean nothing.
    ModelFileError, QuestionnaireError, KeyFileError
        For a lookup table, the questionnaire, or a key of an invited survey.

    Notes
    -----
    Decimals may be written as texts, integers or TOML floats; floats are taken by their source text, so 0.1
    is one tenth.
    """
    document = parse_toml(read_survey_bytes(path), source=path.name)
    root = Section(document, document.value, (), TOP_LEVEL)
    languages = _languages(root)
    organizer = root.section("organizer", ("name", "contact"))
    attributes = build_attributes(
        root.sections("attributes", ATTRIBUTE_KEYS, MAX_ATTRIBUTES), languages, path.parent
    )
    model = _model(root, path.parent, attributes)
    anonymity = root.section("anonymity", ("k", "acceptable_cell_failure"))
    k: int = anonymity.integer("k", 2, MAX_K)
    design = read_design(root, model.kind, algorithm)
    questionnaire, free_text, title = _questionnaire(root, path.parent, languages)
    roll = None if boxes_only else read_roll(root, path.parent)
    participation = _participation(root, attributes, languages)
    invited = read_invited(root, path.parent, roll)
    units = _units(root, attributes)
    if units is not None and not (boxes_only or (invited is not None and invited.election is not None)):
        raise root.fail(
            "units",
            "units of law belong to an election",
            expected="an election, whose boxes are joined within each unit first",
            remedy="Leave the section out.",
        )
    plan = Plan(
        languages=languages,
        title=root.localized("title", languages, *([] if title is None else [title])),
        description=root.localized("description", languages, "", empty=True),
        organizer=Organizer(name=organizer.text("name"), contact=organizer.text("contact")),
        model_kind=model.kind,
        reading=model.rules,
        participation_source=participation.source,
        dependence=participation.dependence,
        k=k,
        acceptable_cell_failure=anonymity.decimal("acceptable_cell_failure", probability=True),
        algorithm=design.algorithm,
        parameters=design.parameters,
        questionnaire=questionnaire,
        retention_days=root.integer("retention_days", 1, MAX_RETENTION_DAYS, 365),
        release=_release(root, k),
        permissions=Permissions(free_text=free_text, balls_from_register=design.balls_from_register),
        invited=invited,
        period=_period(root),
        logo=_logo(root, path.parent, languages),
        units=units,
        district=design.district,
    )
    return SurveyFile(
        path=path,
        plan=plan,
        model=model.file,
        reading=model.reading,
        attributes=attributes,
        level=participation.level,
        roll=roll,
    )


def _units(root: Section, attributes: tuple[Attribute, ...]) -> UnitPlan | None:
    """[units]: each answer to an attribute is a unit, but those that are put together."""
    section = root.section("units", ("attribute", "together"), {})
    if "units" not in root:
        return None
    name: str = section.text("attribute")
    listed = {a.name: a.listed for a in attributes if a.listed and not a.takes_missing}
    if name not in listed:
        raise section.fail(
            "attribute",
            f"{quoted(name)} is none of the attributes that can make units",
            expected="an attribute with a list of answers, of which everybody has one: "
            + (", ".join(listed) or "none is declared"),
            remedy=nearest_name(name, tuple(listed)).strip(),
        )
    together = section.text_lists("together", MAX_CATEGORIES, [])
    joined = [value for values in together for value in values]
    for value in joined:
        if value not in listed[name] or joined.count(value) > 1:
            raise section.fail(
                "together",
                f"{quoted(value)} stands twice, or is no answer to {quoted(name)}",
                expected="lists of answers, each of them once",
                remedy=nearest_name(value, listed[name]).strip(),
            )
    unit_of = {value: values for values in together for value in values}
    return UnitPlan(
        attribute=name,
        values=tuple(dict.fromkeys(unit_of.get(value, (value,)) for value in listed[name])),
    )


def _period(root: Section) -> Period | None:
    section = root.section("period", ("opens", "closes"), {})
    if "period" not in root:
        return None
    try:
        return Period(opens=section.moment("opens"), closes=section.moment("closes"))
    except SpecificationError as error:
        key = error.where.removeprefix("period").removeprefix(".")
        raise section.fail(key, error.message, expected=error.expected) from None


def _logo(root: Section, folder: Path, languages: tuple[str, ...]) -> Logo | None:
    section = root.section("logo", ("file", "alt"), {})
    if "logo" not in root:
        return None
    alt = section.localized("alt", languages)
    image = data_url(read_survey_bytes(folder / section.text("file")))
    if image is None:
        raise section.fail(
            "file",
            "this is no picture that can stand on the page",
            expected=" or ".join(FORMATS),
            remedy="Save the logo as PNG. A drawing (SVG) can hold scripts and addresses.",
        )
    try:
        return Logo.parse({"image": image, "alt": alt}, languages)
    except SpecificationError as error:
        raise section.fail(
            "file",
            error.message,
            expected=error.expected,
            remedy="It is shown 64 pixels high.",
        ) from None


def _languages(root: Section) -> tuple[str, ...]:
    languages = root.texts("languages", MAX_LANGUAGES, ["en"])
    for language in languages:
        if not is_language(language):
            raise root.fail(
                "languages",
                f"{quoted(language)} is not a language",
                expected='language tags such as "en" or "pt-BR"',
            )
    if not languages:
        raise root.fail("languages", "the list is empty", expected='at least one language, such as ["en"]')
    return languages


def _model(root: Section, folder: Path, attributes: tuple[Attribute, ...]) -> _ModelEntry:
    keys = (
        "file",
        "kind",
        "count_column",
        "missing_markers",
        "incomplete",
        "required_columns",
        "id_column",
        "separator",
        "decimal",
        "encoding",
        "sheet",
    )
    model = root.section("model", keys)
    separator: str | None = model.text("separator", None) if model.value.get("separator") != "\t" else "\t"
    if separator in ("tab", "\\t"):
        separator = "\t"
    if separator is not None and (len(separator) != 1 or separator in '"\r\n'):
        raise model.fail(
            "separator",
            f"{quoted(separator)} cannot be a separator",
            expected='one character such as "," or ";", or "tab"',
        )
    return _ModelEntry(
        file=folder / model.text("file"),
        kind=model.choice("kind", MODEL_KINDS),
        rules=ReadingRules(
            count_column=model.text("count_column", None),
            missing_markers=model.texts("missing_markers", MAX_ATTRIBUTES, [], empty=True),
            incomplete=model.choice("incomplete", INCOMPLETE_RULES, "refuse"),
            required_columns=model.texts("required_columns", 4 * MAX_ATTRIBUTES, []),
            id_column=_id_column(model, attributes),
        ),
        reading=Reading(
            separator=separator,
            decimal=model.choice("decimal", (".", ","), None),
            encoding=model.text("encoding", None),
            sheet=model.text("sheet", None),
        ),
    )


def _id_column(model: Section, attributes: tuple[Attribute, ...]) -> str | None:
    name: str | None = model.text("id_column", None)
    if name is not None and any(attribute.name == name for attribute in attributes):
        raise model.fail(
            "id_column",
            f"{quoted(name)} is one of the attributes",
            expected="a column that names a person and is never part of the model",
        )
    if name is not None and model.text("count_column", None) is not None:
        raise model.fail(
            "id_column",
            "a file with counts has no line of its own for each person",
            expected="either id_column or count_column",
        )
    return name


_TOGETHER: Final = ("correlation", "household_column", "household_size", "source_statement")
_FORMS: Final = (("rate",), ("low", "high"), ("column",), ("attribute", "rates"))


def _participation(
    root: Section, attributes: tuple[Attribute, ...], languages: tuple[str, ...]
) -> _ParticipationEntry:
    section = root.section("participation", (*itertools.chain(*_FORMS), *_TOGETHER))
    source, level = _chances(section, attributes)
    statement: dict[str, str] | None = None
    if "source_statement" in section:
        statement = section.localized("source_statement", languages)
    if "household_column" in section and "household_size" in section:
        raise section.fail(
            "household_size", "households are named twice", expected="household_column or household_size"
        )
    household: str | None = section.text("household_column", None)
    try:
        dependence = Dependence(
            correlation=section.decimal("correlation", "0"),
            household_size=section.integer("household_size", 1, HOUSEHOLD_SIZES[-1], 1),
        )
        if level is not None:
            dependence.check((level,))
    except SpecificationError as error:
        key = error.where.removeprefix("participation.")
        raise section.fail(key, error.message, expected=error.expected) from None
    source = replace(source, household_column=household, statement=statement)
    return _ParticipationEntry(source=source, level=level, dependence=dependence)


def _chances(
    section: Section, attributes: tuple[Attribute, ...]
) -> tuple[ParticipationSource, ParticipationLevel | None]:
    given = set(section.value) - set(_TOGETHER)
    form = next((form for form in _FORMS if set(form) == given), None)
    if form is None:
        raise section.fail(
            "",
            f"the keys {', '.join(section.value) or '(none)'} say nothing definite",
            expected="rate, or low and high, or column, or attribute with [[participation.rates]]",
        )
    if form == ("column",):
        return ParticipationSource(kind="column", column=section.text("column")), None
    if form == ("attribute", "rates"):
        return _rates(section, attributes), None
    low: str = section.decimal(form[0], probability=True)
    high: str = section.decimal(form[-1], probability=True)
    try:
        level = ParticipationLevel(low=low, high=high)
    except SpecificationError as error:
        raise section.fail(form[0], error.message, expected=error.expected) from None
    return ParticipationSource(kind="even"), level


def _rates(section: Section, attributes: tuple[Attribute, ...]) -> ParticipationSource:
    name: str = section.text("attribute")
    names = tuple(attribute.name for attribute in attributes)
    attribute = next((attribute for attribute in attributes if attribute.name == name), None)
    if attribute is None:
        raise section.fail(
            "attribute",
            f"{quoted(name)} is none of the attributes",
            expected="the name of one of the [[attributes]]",
            remedy=nearest_name(name, names).strip(),
        )
    key, other = ("upto", "value") if attribute.is_number else ("value", "upto")
    rates: list[Rate] = []
    for entry in section.sections("rates", ("upto", "value", "rate"), MAX_CATEGORIES):
        if other in entry:
            raise entry.fail(
                other,
                f"the attribute {quoted(name)} is {attribute.kind}",
                expected=f"the key {key} and a rate",
            )
        rate: str = entry.decimal("rate", probability=True)
        if key == "value":
            value: str = entry.text("value")
            if any(value == earlier.value for earlier in rates):
                raise entry.fail("value", f"{quoted(value)} stands twice", expected="one rate for each value")
            rates.append(Rate(rate=rate, value=value))
            continue
        upto: str = entry.decimal("upto")
        if rates and (parse_decimal(rates[-1].upto or "0") or 0) >= (parse_decimal(upto) or 0):
            raise entry.fail(
                "upto", f"{upto} is not above {rates[-1].upto} before it", expected="ascending numbers"
            )
        rates.append(Rate(rate=rate, upto=upto))
    return ParticipationSource(kind="rates", attribute=name, rates=tuple(rates))


def _release(root: Section, k: int) -> ReleaseRule:
    release = root.section("release", ("rule", "minimum", "distinct_values", "t_closeness"), {})
    minimum: int = release.integer("minimum", 1, 10 * MAX_K, k)
    if minimum < k:
        raise release.fail(
            "minimum",
            f"{minimum} is below k = {k}",
            expected=f"at least {k}",
            remedy="A cell below k must never be released; leave the key out or lower k.",
        )
    return ReleaseRule(
        rule=release.choice("rule", RELEASE_RULES, "merge"),
        minimum=minimum,
        distinct_values=release.integer("distinct_values", 1, MAX_K, 1),
        t_closeness=release.decimal("t_closeness", None, probability=True),
    )


def _questionnaire(
    root: Section, folder: Path, languages: tuple[str, ...]
) -> tuple[Questionnaire, bool, dict[str, str] | None]:
    """The questionnaire, whether it may ask for free text, and the title that its file has."""
    section = root.section("questionnaire", ("file", "free_text"))
    free_text = section.boolean("free_text", False)
    path: Path = folder / section.text("file")
    document = respelled(read_document(path), languages)
    try:
        questionnaire = Questionnaire.parse(document.value, languages, "")
    except (SpecificationError, QuestionnaireError) as error:
        where = f"{path.name}, {document.place(error.where)}" if error.where else path.name
        raise QuestionnaireError(
            error.message,
            where=where,
            expected=error.expected,
            remedy=error.remedy or f"`roomful questionnaire check {path.name}` lists all refusals at once.",
        ) from None
    if questionnaire.has_free_text and not free_text:
        name = next(question.name for question in questionnaire.questions if question.kind == "text")
        raise QuestionnaireError(
            f"the question {quoted(name)} asks for free text",
            where=path.name,
            expected="questions with closed answers",
            remedy="Free text can identify its writer. Remove the question, or set free_text = true in"
            " [questionnaire]; respondents are then warned.",
        )
    return questionnaire, free_text, document.title
