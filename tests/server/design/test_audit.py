"""An audit catches whatever was changed, even under a genuine signature."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from server.design.audit import Audit, audit_survey
from server.design.salt import write_salt
from shared.cells import Balls, PowerDiagram
from shared.checks import Floor
from shared.effective_anonymity import n_min, n_min_safe
from shared.errors import InputError, SoundnessError
from shared.soundness import REFUSED
from shared.specification import Specification
from tests.builders import AUDITOR_KEY, ORGANIZER_KEY, SALT, public_bytes, sign
from tests.registers import designed
from tests.towns import RATES, write_town


def made(folder: Path, kind: str, participation: str | None = None) -> Specification:
    survey = write_town(
        folder, kind=kind, **({} if participation is None else {"participation": participation})
    )
    return designed(survey).specification


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Specification]:
    folder = tmp_path_factory.mktemp("public")
    return folder, made(folder, "public")


@pytest.fixture(scope="module")
def register(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Specification]:
    folder = tmp_path_factory.mktemp("register")
    return folder, made(folder, "register", RATES)


def audited(
    folder: Path, specification: Specification, salt: bytes | None = SALT, **options: object
) -> Audit:
    path = folder / "survey.dsse.json"
    path.write_bytes(sign(specification.to_bytes(), ORGANIZER_KEY).to_bytes())
    (folder / "model.salt").unlink(missing_ok=True)
    if salt is not None:
        write_salt(folder, salt)
    return audit_survey(path, folder / "town.csv", **options)  # type: ignore[arg-type]


def refused(audit: Audit) -> set[str]:
    return {finding.code for finding in audit.findings if finding.outcome == REFUSED}


@pytest.mark.parametrize("kind", ["public", "register"])
def test_an_honest_survey_passes(kind: str, request: pytest.FixtureRequest) -> None:
    folder, specification = request.getfixturevalue(kind)
    audit = audited(folder, specification, expected_key=public_bytes(ORGANIZER_KEY))
    assert audit.passed, [f for f in audit.findings if f.outcome != "passed"]
    audit.require_passed()


def moved_radius(s: Specification) -> Specification:
    assert isinstance(s.cells, Balls)
    return replace(s, cells=replace(s.cells, radii=(s.cells.radii[0] + 1, *s.cells.radii[1:])))


def swapped_cells(s: Specification) -> Specification:
    if isinstance(s.cells, Balls):
        first, second, *others = s.cells.references
        return replace(s, cells=replace(s.cells, references=(second, first, *others)))
    assert isinstance(s.cells, PowerDiagram)
    first, second, *others = s.cells.sites
    return replace(s, cells=replace(s.cells, sites=(second, first, *others)))


def wrong_count(s: Specification) -> Specification:
    """One person moved to another cell, at a level that both have."""
    rows = [list(row) for row in s.eligible]
    level = max(range(len(s.levels)), key=lambda i: sum(row[i] > 1 for row in rows))
    source, target, *_ = (row for row in rows if row[level] > 1)
    source[level], target[level] = source[level] - 1, target[level] + 1
    return replace(s, eligible=tuple(map(tuple, rows)))


def wrong_centroid(s: Specification) -> Specification:
    (_, *others), *rows = s.centroids
    return replace(s, centroids=(("1.0000", *others), *rows))


def weaker_k(s: Specification) -> Specification:
    """A smaller k with n_min adapted, over the old cells."""
    k, failure = s.k - 1, s.acceptable_cell_failure
    return replace(
        s,
        k=k,
        n_min=tuple(n_min(k, level, failure) for level in s.levels),
        n_min_safe=tuple(n_min_safe(k, level, failure) for level in s.levels),
    )


def other_weight(s: Specification) -> Specification:
    return replace(s, cells=replace(s.cells, weights=(s.weights[0] + 1, *s.weights[1:])))


def invented_people(s: Specification) -> Specification:
    (a, *first), *others = s.eligible
    return replace(
        s, eligible=((a + 10, *first), *others), model=replace(s.model, people=s.model.people + 10)
    )


@pytest.mark.parametrize(
    ("kind", "change", "code"),
    [
        ("public", moved_radius, "audit.cells"),
        ("public", swapped_cells, "audit.cells"),
        ("register", swapped_cells, "audit.cells"),
        ("public", wrong_count, "audit.counts"),
        ("register", wrong_count, "audit.eligible"),
        ("register", wrong_centroid, "audit.centroids"),
        ("public", weaker_k, "audit.cells"),
        ("register", weaker_k, "audit.cells"),
        ("register", other_weight, "audit.weights"),
        ("public", invented_people, "audit.people"),
    ],
)
def test_a_change_under_a_genuine_signature_is_caught(
    kind: str, change: Callable[[Specification], Specification], code: str, request: pytest.FixtureRequest
) -> None:
    folder, specification = request.getfixturevalue(kind)
    audit = audited(folder, change(specification))
    assert {code, "audit.bytes"} <= refused(audit)
    with pytest.raises(SoundnessError):
        audit.require_passed()


def test_a_dropped_or_added_record_is_caught(public: tuple[Path, Specification], tmp_path: Path) -> None:
    folder, specification = public
    lines = (folder / "town.csv").read_text().splitlines()
    path = tmp_path / "survey.dsse.json"
    path.write_bytes(sign(specification.to_bytes(), ORGANIZER_KEY).to_bytes())
    for changed in (lines[:-1], [*lines, lines[1]]):
        (tmp_path / "town.csv").write_text("\n".join(changed))
        assert {"audit.people", "audit.digest"} <= refused(audit_survey(path, tmp_path / "town.csv"))


def test_a_consistently_weaker_survey_is_caught_by_what_was_announced(
    public: tuple[Path, Specification],
) -> None:
    folder, specification = public
    assert audited(folder, specification, floor=Floor(k=5)).passed
    assert refused(audited(folder, specification, floor=Floor(k=6))) == {"check.floor"}


def test_another_key_is_caught(public: tuple[Path, Specification]) -> None:
    folder, specification = public
    audit = audited(folder, specification, expected_key=public_bytes(AUDITOR_KEY))
    assert refused(audit) == {"check.signature"}
    assert not audit.passed


def test_a_finding_names_the_place(public: tuple[Path, Specification]) -> None:
    folder, specification = public
    finding = next(
        f for f in audited(folder, moved_radius(specification)).findings if f.code == "audit.cells"
    )
    assert finding.detail.startswith("radii[0] is ")


def test_a_register_cannot_be_audited_without_its_salt(register: tuple[Path, Specification]) -> None:
    folder, specification = register
    with pytest.raises(InputError, match="only be audited with its salt"):
        audited(folder, specification, salt=None)
    assert {"audit.digest", "audit.bytes"} <= refused(audited(folder, specification, salt=bytes(32)))


def test_a_salt_that_is_named_for_a_public_model_is_refused(public: tuple[Path, Specification]) -> None:
    """It was ignored in silence, as if it had been checked; one that only lies beside is nobody's claim."""
    folder, specification = public
    assert audited(folder, specification).passed
    with pytest.raises(InputError, match="public model has no salt"):
        audited(folder, specification, salt_path=folder / "model.salt")


def test_bounds_that_the_register_does_not_fill_are_caught(
    register: tuple[Path, Specification], tmp_path: Path
) -> None:
    """A register with fewer people than were claimed: an auditor counts everybody, by the published map."""
    folder, specification = register
    lines = (folder / "town.csv").read_text().splitlines()
    path = tmp_path / "survey.dsse.json"
    path.write_bytes(sign(specification.to_bytes(), ORGANIZER_KEY).to_bytes())
    (tmp_path / "town.csv").write_text("\n".join(lines[: len(lines) // 3]))
    write_salt(tmp_path, SALT)
    found = refused(audit_survey(path, tmp_path / "town.csv"))
    assert {"audit.people", "audit.counts", "audit.cell-failure", "audit.digest"} <= found
