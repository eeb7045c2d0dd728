"""Anchor patients: stays drawn so that they spread over the strata of 3.1."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any, Literal

from wardround.authoring.clinsql.concepts import Condition, conditions
from wardround.authoring.clinsql.strata import (
    AGES,
    AnchorStratum,
    Uses,
    admission_kind,
    age_stratum,
    least_used,
)
from wardround.ehr.database import Database

_NEAR = 5
_STAYS = """
SELECT p.subject_id, p.gender, p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year AS age,
  a.hadm_id, a.admission_type, a.insurance,
  DATETIME_DIFF(a.dischtime, a.admittime, HOUR) AS hours,
  ROW_NUMBER() OVER (PARTITION BY a.subject_id ORDER BY a.admittime, a.hadm_id) AS number,
  EXISTS(SELECT 1 FROM mimiciv_3_1_icu.icustays AS i WHERE i.hadm_id = a.hadm_id) AS icu
FROM mimiciv_3_1_hosp.patients AS p
JOIN mimiciv_3_1_hosp.admissions AS a ON p.subject_id = a.subject_id
WHERE a.dischtime IS NOT NULL ORDER BY a.hadm_id
"""
_DIAGNOSES = """
SELECT DISTINCT hadm_id, icd_version, icd_code FROM mimiciv_3_1_hosp.diagnoses_icd ORDER BY 1, 2, 3
"""


@dataclass(frozen=True, slots=True)
class Anchor:
    """A patient in a hospital stay with one of its conditions, whom a question starts from.

    Attributes:
        subject_id: The patient.
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
    sex: Literal["F", "M"]
    age: int
    hours: int
    admission_type: str
    insurance: str
    number: int
    icu: bool
    condition: Condition

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
        anchors: Those who have enough similar patients.
        intensive: Those of them who have enough among patients in intensive care.
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
        for place, dimension in enumerate(AnchorStratum._fields):
            name = least_used(random, dimension, (stratum[place] for stratum in strata), uses)
            strata = [stratum for stratum in strata if stratum[place] == name]
        patients = {str(anchor.subject_id): anchor for anchor in by_stratum[strata[0]]}
        return patients[least_used(random, "patient", patients, uses)]

    @cached_property
    def _all(self) -> dict[AnchorStratum, list[Anchor]]:
        return _by_stratum(self.anchors)

    @cached_property
    def _intensive(self) -> dict[AnchorStratum, list[Anchor]]:
        return _by_stratum(self.intensive)


def anchor_pool(database: Database, least: int) -> AnchorPool:
    """The stays of adults of 25 to 85 years, once for each of their known conditions.

    Args:
        database: A database in MIMIC-IV's layout.
        least: The smallest number of patients of the anchor's sex, age and condition.
    """
    coded: dict[int, list[tuple[int, str]]] = {}
    for hadm_id, version, code in _rows(database, _DIAGNOSES):
        coded.setdefault(hadm_id, []).append((version, code))
    anchors = [anchor for row in _rows(database, _STAYS) for anchor in _anchors(row, coded)]
    intensive = [anchor for anchor in anchors if anchor.icu]
    return AnchorPool(_with_cohort(anchors, least), _with_cohort(intensive, least))


def _with_cohort(anchors: Sequence[Anchor], least: int) -> list[Anchor]:
    """The anchors with enough others of their sex, age and condition."""
    patients: dict[tuple[str, Condition, int], set[int]] = {}
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


def _rows(database: Database, sql: str) -> Iterator[tuple[Any, ...]]:
    yield from database.execute(sql, rows=10_000_000, seconds=600).rows


def _anchors(row: tuple[Any, ...], coded: dict[int, list[tuple[int, str]]]) -> Iterator[Anchor]:
    subject_id, sex, age, hadm_id, kind, insurance, hours, number, icu = row
    codes = coded.get(hadm_id, [])
    for condition in conditions():
        if any(_matches(condition, *code) for code in codes):
            about = (kind or "", insurance or "", number, bool(icu), condition)
            yield Anchor(subject_id, sex, age, hours, *about)


def _matches(condition: Condition, version: int, code: str) -> bool:
    patterns = condition.icd9 if version == 9 else condition.icd10
    return code.startswith(tuple(pattern.rstrip("%") for pattern in patterns))
