"""Anchor patients: stays drawn so that they spread over the strata of 3.1."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

from sqlglot import exp, select

from wardround.authoring.clinsql.concepts import Diagnosis, diagnoses
from wardround.authoring.clinsql.gold_query.predicates import (
    SEXES,
    VERSIONS,
    age_at_admission,
    is_dotted,
    written_sex,
)
from wardround.authoring.clinsql.gold_query.tables import (
    DIALECT,
    RecordTables,
    from_rows,
    hours_between,
    join_rows,
    key_sql,
    sql,
)
from wardround.authoring.clinsql.specification import Sex
from wardround.authoring.clinsql.strata import (
    AGES,
    AnchorStratum,
    Uses,
    admission_kind,
    age_stratum,
    least_used,
)
from wardround.ehr.database import Database
from wardround.ehr.records import without_unread

_NEAR = 5


@dataclass(frozen=True, slots=True)
class Anchor:
    """A patient in a hospital stay with one of its conditions, whom a question starts from.

    Attributes:
        subject_id: The patient's key.
        sex: F or M.
        age: Age at admission.
        hours: The stay's length.
        admission_type: As recorded.
        insurance: As recorded; "" if it is not.
        number: The number of the stay among the patient's, by time; 1 is the first.
        icu: True if a part of the stay was in intensive care.
        condition: The condition.
    """

    subject_id: int
    sex: Sex
    age: int
    hours: int
    admission_type: str
    insurance: str
    number: int
    icu: bool
    condition: Diagnosis

    @property
    def days(self) -> str:
        """The stay's length in words."""
        count = max(1, round(self.hours / 24))
        return "1 day" if count == 1 else f"{count} days"

    @property
    def ages(self) -> range:
        """The ages of similar patients."""
        return range(max(AGES.start, self.age - _NEAR), min(AGES[-1], self.age + _NEAR) + 1)

    @property
    def stratum(self) -> AnchorStratum:
        """Its strata."""
        order = "first admission" if self.number == 1 else "readmission"
        return AnchorStratum(
            age_stratum(self.age),
            self.condition.category,
            f"{admission_kind(self.admission_type)}, {order}",
            "intensive care" if self.icu else "ward",
        )


@dataclass(frozen=True)
class AnchorPool:
    """Anchors to draw from, one for each condition of a stay.

    Attributes:
        anchors: Patients with enough similar patients.
        intensive: Patients with enough similar patients in intensive care.
    """

    anchors: Sequence[Anchor]
    intensive: Sequence[Anchor]

    def draw(self, random: Random, uses: Uses, icu: bool = False) -> Anchor:
        """An anchor of strata that were seldom used.

        Args:
            random: The source of chance.
            uses: How often each stratum and patient was used.
            icu: True if the question is about stays in intensive care.
        """
        by_stratum = self._intensive if icu and self.intensive else self._all
        strata = list(by_stratum)
        for index, dimension in enumerate(AnchorStratum._fields):
            name = least_used(random, dimension, (stratum[index] for stratum in strata), uses)
            strata = [stratum for stratum in strata if stratum[index] == name]
        patients = {str(anchor.subject_id): anchor for anchor in by_stratum[strata[0]]}
        return patients[least_used(random, "patient", patients, uses)]

    @cached_property
    def _all(self) -> dict[AnchorStratum, list[Anchor]]:
        return _by_stratum(self.anchors)

    @cached_property
    def _intensive(self) -> dict[AnchorStratum, list[Anchor]]:
        return _by_stratum(self.intensive)


def anchor_pool(database: Database, tables: RecordTables, least: int) -> AnchorPool:
    """The stays of adults of 25 to 85 years, once for each of their known conditions.

    Args:
        database: A database of records.
        tables: Its tables.
        least: The smallest number of patients of the anchor's sex, age and condition.
    """
    coded: dict[int, list[tuple[int, str]]] = {}
    for stay, version, code in _codes(database, tables):
        coded.setdefault(stay, []).append((version, code))
    stays = _rows(database, _stays(tables))
    anchors = [anchor for row in stays for anchor in _anchors(row, coded, tables)]
    intensive = [anchor for anchor in anchors if anchor.icu]
    return AnchorPool(_with_cohort(anchors, least), _with_cohort(intensive, least))


def _stays(tables: RecordTables) -> exp.Select:
    """The query of all stays with an end, with their patients."""
    people, stays = tables.rows("patient"), tables.rows("admission", beside=("patient",))
    patient, stay = sql(stays, "patient"), sql(stays, "admission")
    texts = [sql(stays, name) if name in stays.columns else "''" for name in ("type", "insurance")]
    columns = [
        sql(people, "patient"),
        sql(people, "sex"),
        f"{age_at_admission(tables)} AS age",
        stay,
        *(f"{text} AS {name}" for text, name in zip(texts, ("type", "insurance"), strict=True)),
        f"{hours_between(stays, tables)} AS hours",
        f"ROW_NUMBER() OVER (PARTITION BY {patient} ORDER BY {sql(stays, 'time')}, {stay})"
        " AS number",
    ]
    query = from_rows(select(*columns, dialect=DIALECT), people)
    query = join_rows(query, stays, f"{sql(people, 'patient')} = {patient}")
    query = query.select(_intensive_care(stay, tables).as_("icu"))
    query = query.where(f"{sql(stays, 'finish')} IS NOT NULL", dialect=DIALECT)
    return without_unread(query.order_by(stay, dialect=DIALECT))


def _intensive_care(stay: str, tables: RecordTables) -> exp.Expr:
    if not tables.records.has("icu", "admission"):
        return exp.false()
    rows = tables.rows("icu")
    query = from_rows(select("1"), rows)
    same = f"{key_sql(rows, 'admission')} = {stay}"
    return exp.Exists(this=without_unread(query.where(same, dialect=DIALECT)))


def _codes(database: Database, tables: RecordTables) -> Iterator[tuple[int, int, str]]:
    """The stay, ICD version and code of each diagnosis, without dots and in order."""
    rows = tables.rows("diagnosis")
    names = ("stay", "version", "code")
    columns = (sql(rows, "admission"), sql(rows, "system"), sql(rows, "code"))
    items = [f"{column} AS {name}" for column, name in zip(columns, names, strict=True)]
    query = without_unread(from_rows(select(*items, dialect=DIALECT).distinct(), rows))
    versions = {
        text: version
        for version, name in VERSIONS.items()
        for text in tables.records.texts("diagnosis", "system", name)
    }
    for stay, system, code in _rows(database, query.order_by("1", "2", "3")):
        version = versions.get(str(system))
        if stay is not None and version is not None:
            yield stay, version, code.replace(".", "") if is_dotted("diagnosis", tables) else code


def _with_cohort(anchors: Sequence[Anchor], least: int) -> list[Anchor]:
    """The anchors with enough others of their sex, age and condition."""
    patients: dict[tuple[str, Diagnosis, int], set[int]] = {}
    for anchor in anchors:
        key = anchor.sex, anchor.condition, anchor.age
        patients.setdefault(key, set()).add(anchor.subject_id)

    def similar(anchor: Anchor) -> int:
        about = anchor.sex, anchor.condition
        near = (patients.get((*about, age), set()) for age in anchor.ages)
        return len(set().union(*near) - {anchor.subject_id})

    return [anchor for anchor in anchors if anchor.age in AGES and similar(anchor) >= least]


def _by_stratum(anchors: Sequence[Anchor]) -> dict[AnchorStratum, list[Anchor]]:
    strata: dict[AnchorStratum, list[Anchor]] = {}
    for anchor in anchors:
        strata.setdefault(anchor.stratum, []).append(anchor)
    return strata


def _rows(database: Database, query: exp.Expr) -> Iterator[tuple[Any, ...]]:
    yield from database.execute(query.sql(DIALECT), rows=10_000_000, seconds=600).rows


def _anchors(
    row: tuple[Any, ...], coded: dict[int, list[tuple[int, str]]], tables: RecordTables
) -> Iterator[Anchor]:
    subject_id, recorded, age, hadm_id, kind, insurance, hours, number, icu = row
    sex = next((each for each in SEXES if written_sex(each, tables) == recorded), None)
    if sex is None:
        return
    codes = coded.get(hadm_id, [])
    for condition in diagnoses():
        if any(_matches(condition, *code) for code in codes):
            about = (kind or "", insurance or "", number, bool(icu), condition)
            yield Anchor(subject_id, sex, age, hours, *about)


def _matches(condition: Diagnosis, version: int, code: str) -> bool:
    patterns = condition.icd9 if version == 9 else condition.icd10
    return code.startswith(tuple(pattern.rstrip("%") for pattern in patterns))
