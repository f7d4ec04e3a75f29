"""survey.toml: strict, exact, and helpful when it is wrong."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.design.survey_file.survey import SurveyFile, read_survey_file
from server.design.survey_file.toml_document import parse_toml
from shared.attributes import Lookup, Nominal, Numeric, Ordinal
from shared.errors import InputError, ModelFileError, QuestionnaireError, SurveyFileError
from shared.limits import MAX_LOGO_BYTES
from shared.participation import Dependence
from shared.period import Period
from shared.pictures import Logo
from tests.every_question import data_url, png

ReadSurvey = Callable[..., SurveyFile]


def test_a_period_is_read_in_its_zone_and_signed_in_utc(survey: ReadSurvey) -> None:
    read = survey(('title = "Town"', 'title = "Town"\nperiod.closes = 2030-01-01T00:30:00+01:00'))
    assert read.plan.period == Period(closes="2029-12-31T23:30:00Z")
    assert survey().plan.period is None


def test_a_logo_is_read_into_the_plan(survey: ReadSurvey, tmp_path: Path) -> None:
    (tmp_path / "town.png").write_bytes(png())
    line = 'title = "Town"\nlogo = { file = "town.png", alt = "A tower" }'
    assert survey(('title = "Town"', line)).plan.logo == Logo(image=data_url(png()), alt={"en": "A tower"})
    assert survey().plan.logo is None


@pytest.mark.parametrize(
    ("content", "alt", "words"),
    [
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", '"A"', "logo, file: this is no picture.*image/png"),
        (png() + bytes(MAX_LOGO_BYTES), '"A"', "logo, file: the picture has"),
        (png(), '""', "logo, alt: the text is empty"),
        (None, '"A"', "cannot be read"),
    ],
)
def test_unusable_logos(
    survey: ReadSurvey, tmp_path: Path, content: bytes | None, alt: str, words: str
) -> None:
    if content is not None:
        (tmp_path / "logo").write_bytes(content)
    with pytest.raises(SurveyFileError, match=words):
        survey(('title = "Town"', f'title = "Town"\nlogo = {{ file = "logo", alt = {alt} }}'))


def test_a_survey_reads_with_its_defaults(survey: ReadSurvey, tmp_path: Path) -> None:
    read = survey()
    assert (read.plan.languages, read.plan.title, read.plan.description) == (
        ("en",),
        {"en": "Town"},
        {"en": ""},
    )
    assert read.model == tmp_path / "town.csv"
    assert read.plan.reading.missing_markers == ()
    assert (read.plan.reading.incomplete, read.reading.separator, read.reading.decimal) == (
        "refuse",
        None,
        None,
    )
    age, sex = read.attributes
    assert isinstance(age, Numeric)
    assert (age.minimum, age.maximum, age.step, age.open_above, age.rounding) == (
        "0",
        "90",
        "1",
        True,
        "exact",
    )
    assert isinstance(sex, Nominal)
    assert sex.label == {"en": "sex"}
    assert read.level is not None
    assert (read.plan.participation_source.kind, read.level.low) == ("even", "0.5")
    assert (read.plan.k, read.plan.acceptable_cell_failure, read.plan.algorithm) == (3, "1e-6", "mdav")
    assert (read.plan.release.rule, read.plan.release.minimum, read.plan.release.distinct_values) == (
        "merge",
        3,
        1,
    )
    assert read.plan.release.t_closeness is None
    assert (read.plan.retention_days, read.plan.permissions.free_text) == (365, False)
    assert not read.plan.permissions.balls_from_register
    assert [question.name for question in read.plan.questionnaire.questions] == ["mood"]


def test_a_register_is_designed_by_power_diagram(survey: ReadSurvey) -> None:
    assert survey(('"public"', '"register"')).plan.algorithm == "power-diagram"
    for chosen, algorithm, parameters in (
        ('"pcl"', "power-diagram", {}),
        ('"mondrian"', "mondrian", {}),
        ('"v-mdav"', "v-mdav", {"gamma": "0.2"}),
        ('"v-mdav"\ngamma = 1.10', "v-mdav", {"gamma": "1.10"}),
        ('"mu-approx"', "mu-approx", {"seed": 0}),
        ('"mu-approx"\nseed = 12', "mu-approx", {"seed": 12}),
    ):
        read = survey(("[anonymity]", f"[design]\nalgorithm = {chosen}\n[anonymity]"))
        assert (read.plan.algorithm, read.plan.parameters) == (algorithm, parameters)


def test_texts_per_language(survey: ReadSurvey) -> None:
    read = survey(
        ('title = "Town"', 'languages = ["en", "de"]\n[title]\nen = "Town"\nde = "Stadt"\n'),
        (
            'categories = ["f", "m"]',
            'categories = [{ value = "f", label = { en = "woman", de = "Frau" } }, "m"]',
        ),
    )
    assert read.plan.title == {"en": "Town", "de": "Stadt"}
    sex = read.attributes[1]
    assert isinstance(sex, Nominal)
    assert [category.label for category in sex.categories] == [
        {"en": "woman", "de": "Frau"},
        {"en": "m", "de": "m"},
    ]


@pytest.mark.parametrize("written", ['"0.1"', "0.1", "0.10", "1e-1", "+0.1", "0.1_0"])
def test_decimals_are_exact_however_they_are_written(survey: ReadSurvey, written: str) -> None:
    if written == "+0.1":
        with pytest.raises(SurveyFileError, match=r'line 19, participation, rate: "\+0.1" stands here'):
            survey(("rate = 0.5", f"rate = {written}"))
        return
    level = survey(("rate = 0.5", f"rate = {written}")).level
    assert level is not None
    assert (level.lowest.numerator, level.lowest.denominator) == (1, 10)


def test_one_way_to_write_a_domain(survey: ReadSurvey) -> None:
    read = survey(("minimum = 0", 'minimum = "-0.50"'), ("maximum = 90", "maximum = 90.0\nstep = 0.5"))
    age = read.attributes[0]
    assert isinstance(age, Numeric)
    assert (age.minimum, age.maximum, age.step) == ("-0.5", "90", "0.5")


def test_ranges_columns_and_rates(survey: ReadSurvey) -> None:
    level = survey(("rate = 0.5", "low = 0.4\nhigh = 0.6")).level
    assert level is not None
    assert (level.low, level.high) == ("0.4", "0.6")
    column = survey(("rate = 0.5", 'column = "p"'))
    assert (column.plan.participation_source.column, column.level) == ("p", None)
    entries = (
        "[[participation.rates]]\nupto = 29\nrate = 0.4\n[[participation.rates]]\nupto = 120\nrate = 0.6\n"
    )
    source = survey(("rate = 0.5\n", f'attribute = "age"\n{entries}')).plan.participation_source
    assert [(rate.upto, rate.value, rate.rate) for rate in source.rates] == [
        ("29", None, "0.4"),
        ("120", None, "0.6"),
    ]


def test_how_far_people_decide_together_and_where_it_comes_from(survey: ReadSurvey) -> None:
    plain = survey().plan
    assert plain.dependence == Dependence()
    assert (plain.participation_source.household_column, plain.participation_source.statement) == (None, None)
    more = 'rate = 0.5\ncorrelation = 0.005\nhousehold_size = 4\nsource_statement = "Last year."'
    stated = survey(("rate = 0.5", more)).plan
    assert stated.dependence == Dependence(correlation="0.005", household_size=4)
    assert stated.participation_source.statement == {"en": "Last year."}
    source = survey(("rate = 0.5", 'column = "p"\nhousehold_column = "home"')).plan.participation_source
    assert (source.column, source.household_column) == ("p", "home")


def test_lookup_tables_and_ordinal_categories(survey: ReadSurvey, tmp_path: Path) -> None:
    (tmp_path / "places.csv").write_text("value;x;y\nA1;1;-2\nB2;3;4\n", encoding="utf-8")
    read = survey(
        ('kind = "nominal"\ncategories = ["f", "m"]', 'kind = "lookup"\ntable = "places.csv"'),
        (
            "[participation]",
            '[[attributes]]\nname = "edu"\nkind = "ordinal"\ncategories = ["low", "high"]\n[participation]',
        ),
    )
    place, education = read.attributes[1:]
    assert isinstance(place, Lookup)
    assert (place.axes, place.vector("A1"), place.vector("B2")) == (("x", "y"), (1, -2), (3, 4))
    assert isinstance(education, Ordinal)


WORDS = "value,x,y,name,name_de,part\nA1,1,-2,One,Eins,North\nB2,3,4,Two,Zwei,\nC3,3,5,Three,Drei,North\n"


def test_words_of_a_lookup_table_are_columns_and_no_axes(survey: ReadSurvey, tmp_path: Path) -> None:
    (tmp_path / "places.csv").write_text(WORDS, encoding="utf-8")
    keys = 'axes = { x = "East" }\nlabels = { en = "name", de = "name_de" }\nregions = "part"'
    read = survey(
        ('title = "Town"', 'title = "Town"\nlanguages = ["en", "de"]'),
        ('kind = "nominal"\ncategories = ["f", "m"]', f'kind = "lookup"\ntable = "places.csv"\n{keys}'),
    )
    place = read.attributes[1]
    assert isinstance(place, Lookup)
    assert place.axes == ("x", "y")
    assert place.axis_labels == ({"en": "East", "de": "East"}, {"en": "y", "de": "y"})
    assert [entry.label for entry in place.entries][1] == {"en": "Two", "de": "Zwei"}
    assert [entry.region for entry in place.entries] == [0, None, 0]
    assert place.regions == ({"en": "North", "de": "North"},)


@pytest.mark.parametrize(
    ("keys", "kind", "words"),
    [
        ('labels = "nam"', SurveyFileError, 'no column "nam".*Did you mean "name"'),
        ('labels = "name"\nregions = { en = "part" }\naxes = { z = "East" }', ModelFileError, "whole number"),
        ('axes = "East"', ModelFileError, "whole number"),
        ('labels = "part"', ModelFileError, "the text is empty"),
    ],
)
def test_unusable_words_of_a_lookup_table(
    survey: ReadSurvey, tmp_path: Path, keys: str, kind: type[InputError], words: str
) -> None:
    (tmp_path / "places.csv").write_text(WORDS, encoding="utf-8")
    change = f'kind = "lookup"\ntable = "places.csv"\n{keys}'
    with pytest.raises(kind, match=words):
        survey(('kind = "nominal"\ncategories = ["f", "m"]', change))


@pytest.mark.parametrize(
    ("table", "kind", "words"),
    [
        ("valu,x\nA,1\n", SurveyFileError, 'Did you mean "valu"'),
        ("value\nA\n", SurveyFileError, "at least one column of whole numbers"),
        ("value,x\nA,1\nA,2\n,3\n", ModelFileError, '"A" stands already on line 2'),
        ("value,x\nA,1.5\nB,z\nC,99999999999999999\n", ModelFileError, "3 values cannot be used"),
        ("value,x\nA,1\n", SurveyFileError, "too few"),
    ],
)
def test_unusable_lookup_tables(
    survey: ReadSurvey, tmp_path: Path, table: str, kind: type[InputError], words: str
) -> None:
    (tmp_path / "places.csv").write_text(table, encoding="utf-8")
    with pytest.raises(kind, match=words):
        survey(('kind = "nominal"\ncategories = ["f", "m"]', 'kind = "lookup"\ntable = "places.csv"'))


BAD = [
    ('title = "Town"', 'title = "Town"\nperiod.opens = "2030-01-01"', "period, opens: a text stands here"),
    ('title = "Town"', 'title = "Town"\nperiod.opens = 2030-01-01', "a date or time stands here"),
    ('title = "Town"', 'title = "Town"\nperiod.opens = 2030-01-01T08:00:00', "its zone is missing"),
    ('title = "Town"', 'title = "Town"\nperiod.opens = 2030-01-01T08:00:00.5Z', "fractions of a second"),
    ('title = "Town"', 'title = "Town"\nperiod = {}', "period: it has neither beginning nor end"),
    (
        'title = "Town"',
        'title = "Town"\nperiod = { opens = 2030-01-01T08:00:00Z, closes = 2030-01-01T08:30:00+01:00 }',
        "period, closes: it closes before it opens",
    ),
    ('title = "Town"', "title = Town", "line 1, column 9: this is not TOML"),
    ('title = "Town"', 'titel = "Town"', 'line 1, titel: unknown key "titel".*Did you mean "title"'),
    ('title = "Town"', "", 'title: the key "title" is missing'),
    ('title = "Town"', "title = 3", "line 1, title: the number 3 stands here; expected a text"),
    ('title = "Town"', "title = 3.5", "line 1, title: the number 3.5 stands here"),
    ('title = "Town"', "title = 2020-01-01", "a date or time stands here"),
    ('title = "Town"', 'title = ""', "the text is empty"),
    ('title = "Town"', 'title = "a\\u0007"', "a character that is not seen"),
    ('title = "Town"', 'title = "a"\nlanguages = ["english"]', "not a language"),
    ('title = "Town"', 'title = "a"\nlanguages = []', "the list is empty"),
    ('title = "Town"', 'title = "a"\nlanguages = ["en", "en"]', "stands twice"),
    ('title = "Town"', 'title = "a"\nlanguages = "en"', "a text stands here; expected a list"),
    ('title = "Town"', 'languages = ["en", "de"]\ntitle.en = "a"', 'title, de: the key "de" is missing'),
    ('name = "Office"\n', "", 'line 2, organizer, name: the key "name" is missing'),
    ('kind = "public"', 'kind = "secret"', 'line 7, model, kind: "secret" stands here'),
    ('kind = "public"', 'kind = "public"\nseparator = ";;"', "cannot be a separator"),
    ('kind = "public"', 'kind = "public"\ndecimal = "x"', "line 8, model, decimal"),
    ('kind = "public"', 'kind = "public"\nretention_days = 3', "Move retention_days to the top"),
    ('kind = "numeric"', 'kind = "numerc"', 'attributes number 1, kind: .*Did you mean "numeric"'),
    ("maximum = 90", "maximun = 90", 'line 12, attributes number 1, maximun: .*Did you mean "maximum"'),
    ("maximum = 90", "maximum = true", "line 12, .*true or false stands here; expected a decimal"),
    ("maximum = 90", "maximum = inf", '"inf" stands here'),
    ("maximum = 90", "maximum = 0", "line 9, attributes number 1|line 8, attributes number 1"),
    ("maximum = 90", 'maximum = 90\ncategories = ["x"]', "the numeric attribute \"age\" has no categories"),
    ('name = "sex"', 'name = "age"', "attributes number 2, name: two attributes are called"),
    ('name = "sex"', 'name = "people"', "cannot be the name"),
    ('["f", "m"]', '["f", "f"]', 'the category "f" stands twice'),
    ('["f", "m"]', '["f"]', "too few"),
    ('["f", "m"]', '[{ value = "f", lable = "x" }, "m"]', 'unknown key "lable".*Did you mean "label"'),
    ("rate = 0.5", "rate = 0", "expected a probability above 0"),
    ("rate = 0.5", "rate = 1.5", "line 19, participation, rate: \"1.5\" stands here"),
    ("rate = 0.5", "low = 0.5", "the keys low say nothing definite"),
    ("rate = 0.5", "rate = 0.5\ncorrelation = 0.3", "correlation: the correlation '0.3' is impossible"),
    ("rate = 0.5", "rate = 0.01\ncorrelation = 0.1", "correlation: .* too strong for a participation"),
    ("rate = 0.5", "rate = 0.5\nhousehold_size = 7", "household_size: households of 7 are not published"),
    ("rate = 0.5", "rate = 0.5\nhousehold_size = 21", "a whole number from 1 to 20"),
    ("rate = 0.5", 'rate = 0.5\nhousehold_size = 2\nhousehold_column = "h"', "households are named twice"),
    ("rate = 0.5", "rate = 0.5\nsource_statement = 5", "source_statement"),
    ("rate = 0.5", "low = 0.6\nhigh = 0.5", "is impossible"),
    ("rate = 0.5", "", r"the keys \(none\) say nothing definite"),
    ("rate = 0.5", 'attribute = "agee"\nrates = []', 'Did you mean "age"'),
    ("rate = 0.5", 'attribute = "age"\nrates = []', "the list is empty"),
    ("rate = 0.5", 'attribute = "age"\nrates = [{upto = 9, rate = 1}, {upto = 9, rate = 1}]', "is not above"),
    ("rate = 0.5", 'attribute = "age"\nrates = [{ value = "x", rate = 0.5 }]', "expected the key upto"),
    ("rate = 0.5", 'attribute = "sex"\nrates = [{value = "f", rate = 1}, {value = "f", rate = 1}]', "twice"),
    ("k = 3", "k = 1", "line 21, anonymity, k: 1 stands here; expected a whole number from 2"),
    ("k = 3", "k = 3.0", "the number 3.0 stands here"),
    ("[anonymity]", "[release]\nminimum = 2\n[anonymity]", "2 is below k = 3"),
    ("[anonymity]", '[design]\nalgorithm = "kmeans"\n[anonymity]', '"kmeans" stands here'),
    ("[anonymity]", "[design]\nseed = 3\n[anonymity]", '"mdav" takes no seed; expected seed only'),
    ("[anonymity]", '[design]\nalgorithm = "pcl"\ngamma = 1\n[anonymity]', '"pcl" takes no gamma'),
    ("[anonymity]", '[design]\nalgorithm = "v-mdav"\ngamma = -1\n[anonymity]', "expected from 0 to 100"),
    ("[anonymity]", '[design]\nalgorithm = "mu-approx"\nseed = "a"\n[anonymity]', "expected a whole number"),
    ("[anonymity]", "[design]\nballs_from_register = 1\n[anonymity]", "expected true or false"),
    ("[anonymity]", "[[anonymity]]", "a list stands here; expected a section"),
    ('file = "questions.json"', 'file = "none.json"', r"none.json: the file cannot be read: no such file"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "words"), BAD)
def test_what_is_wrong_is_said_with_place(survey: ReadSurvey, old: str, new: str, words: str) -> None:
    with pytest.raises(SurveyFileError, match=words) as error:
        survey((old, new))
    assert "survey.toml" in error.value.where or "none.json" in error.value.where


def test_attributes_that_are_too_many_coordinates_together(survey: ReadSurvey) -> None:
    many = [f'"{number}"' for number in range(200)]
    extra = f'[[attributes]]\nname = "job"\nkind = "nominal"\ncategories = [{", ".join(many)}]\n'
    with pytest.raises(SurveyFileError, match="403 coordinates"):
        survey(("[participation]", extra + extra.replace("job", "place") + "[participation]"))


def test_free_text_needs_permission(survey: ReadSurvey) -> None:
    questions = {"pages": [{"elements": [{"type": "comment", "name": "more", "title": "More?"}]}]}
    with pytest.raises(QuestionnaireError, match='the question "more" asks for free text'):
        survey(questions=questions)
    allowed = survey(
        ('file = "questions.json"', 'file = "questions.json"\nfree_text = true'), questions=questions
    )
    assert allowed.plan.permissions.free_text


def test_questionnaire_errors_name_file_and_path(survey: ReadSurvey) -> None:
    with pytest.raises(QuestionnaireError, match=r"questions\.json, .*pages\[0\]"):
        survey(questions={"pages": [{"elements": [{"type": "html", "name": "x"}]}]})


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(SurveyFileError, match="no such file"):
        read_survey_file(tmp_path / "survey.toml")
    with pytest.raises(SurveyFileError, match="is a directory"):
        read_survey_file(tmp_path)
    with pytest.raises(SurveyFileError, match="line 2"):
        parse_toml(b'a = "x"\nb = "\xff"', source="survey.toml")
    with pytest.raises(SurveyFileError, match=r"nested too deeply|not TOML"):
        parse_toml(b"a = " + b"[" * 100_000, source="survey.toml")


def test_lines_inside_long_texts_are_no_keys() -> None:
    document = parse_toml(b'a = """\nb = 1\n"""\nb = 2\n[[c]]\n[[c]]\nd.e = 3\n', source="survey.toml")
    assert document.where(("b",)) == "survey.toml, line 4, b"
    assert document.where(("c", 1, "d", "e")) == "survey.toml, line 7, c number 2, d, e"


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    key=st.sampled_from(
        [
            "title",
            "name",
            "file",
            "kind",
            "minimum",
            "open_above",
            "categories",
            "rate",
            "k",
            "acceptable_cell_failure",
        ]
    ),
    value=st.sampled_from(
        [
            "0",
            "-1",
            "1.5",
            "nan",
            "true",
            '""',
            '"\\u0000"',
            "[]",
            "{}",
            "[[1]]",
            "1979-05-27",
            "{ en = 1 }",
            "9" * 30,
        ]
    ),
)
def test_no_value_ends_in_a_traceback(survey: ReadSurvey, tmp_path: Path, key: str, value: str) -> None:
    survey()
    lines = (tmp_path / "survey.toml").read_text(encoding="utf-8").splitlines()
    changed = [f"{key} = {value}" if line.startswith(f"{key} =") else line for line in lines]
    (tmp_path / "survey.toml").write_text("\n".join(changed), encoding="utf-8")
    with contextlib.suppress(InputError):
        read_survey_file(tmp_path / "survey.toml")


def test_a_questionnaire_as_its_editor_writes_it(survey: ReadSurvey) -> None:
    """Elements without pages, a default language, binary decimals; its title where the survey has none."""
    hours = {"type": "text", "name": "hours", "inputType": "number", "min": 0.5, "max": 2, "step": 0.5}
    questions = {"title": {"default": "Leisure"}, "elements": [hours | {"title": {"default": "Hours?"}}]}
    read = survey(('title = "Town"\n', ""), questions=questions)
    assert read.plan.title == {"en": "Leisure"}
    (question,) = read.plan.questionnaire.questions
    assert question.title == {"en": "Hours?"}
    assert question.accept("1.5") == "1.5"
    assert survey(questions=questions).plan.title == {"en": "Town"}
    with pytest.raises(QuestionnaireError, match=r"questions\.json, elements\[0\]: .*questionnaire check"):
        survey(questions={"elements": [{"type": "html", "name": "x"}]})
