"""Anchor patients: stays drawn by strata of age and acuity (3.1)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any, Literal

from wardround.authoring.clinsql.concepts import conditions
from wardround.authoring.clinsql.specification import Condition
from wardround.ehr.database import Database

AGES = range(25, 86)
_DECADE = 10
_STAYS = """
SELECT p.subject_id, p.gender, p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year AS age,
  a.hadm_id, a.admission_type, a.insurance,
  DATETIME_DIFF(a.dischtime, a.admittime, HOUR) AS hours,
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
    """A patient in a hospital stay, whom a question starts from.

    Attributes:
        subject_id: The patient.
        sex: F or M.
        age: Age at admission.
        hours: The stay's length.
        admission_type: As recorded.
        insurance: As recorded; "" if it is not.
        icu: True if a part of the stay was in intensive care.
        conditions: The known conditions of the stay.
    """

    subject_id: int
    sex: Literal["F", "M"]
    age: int
    hours: int
    admission_type: str
    insurance: str
    icu: bool
    conditions: tuple[Condition, ...]

    @property
    def days(self) -> str:
        """The stay's length in words."""
        count = max(1, round(self.hours / 24))
        return "1 day" if count == 1 else f"{count} days"

    @property
    def way_in(self) -> str:
        """The admission and insurance in words."""
        emergency = any(word in self.admission_type for word in ("EMER", "URGENT"))
        kind = "admitted urgently" if emergency else "admitted for observation or a planned stay"
        insured = self.insurance not in ("", "Other", "No charge")
        return f"{kind}, insured by {self.insurance}" if insured else kind

    @property
    def stratum(self) -> tuple[int, bool]:
        """The decade of age, and acuity."""
        return (self.age - AGES.start) // _DECADE, self.icu


@dataclass(frozen=True)
class AnchorPool:
    """Stays to draw anchors from."""

    stays: Sequence[Anchor]

    @cached_property
    def _strata(self) -> dict[tuple[int, bool], list[Anchor]]:
        strata: dict[tuple[int, bool], list[Anchor]] = {}
        for stay in self.stays:
            strata.setdefault(stay.stratum, []).append(stay)
        return dict(sorted(strata.items()))

    def draw(self, random: Random, icu: bool | None) -> Anchor:
        """A stay of a stratum, each stratum as likely as another; in intensive care if asked."""
        strata = [key for key in self._strata if icu is None or key[1] == icu]
        return random.choice(self._strata[random.choice(strata)])


def anchor_pool(database: Database) -> AnchorPool:
    """The stays of adults of 25 to 85 years with a known condition."""
    coded: dict[int, list[tuple[int, str]]] = {}
    for hadm_id, version, code in _rows(database, _DIAGNOSES):
        coded.setdefault(hadm_id, []).append((version, code))
    stays = (_anchor(row, coded) for row in _rows(database, _STAYS))
    return AnchorPool([stay for stay in stays if stay.age in AGES and stay.conditions])


def _rows(database: Database, sql: str) -> Iterator[tuple[Any, ...]]:
    yield from database.execute(sql, rows=10_000_000, seconds=600).rows


def _anchor(row: tuple[Any, ...], coded: dict[int, list[tuple[int, str]]]) -> Anchor:
    subject_id, sex, age, hadm_id, kind, insurance, hours, icu = row
    own = coded.get(hadm_id, [])
    held = tuple(c for c in conditions() if any(_matches(c, *code) for code in own))
    return Anchor(subject_id, sex, age, hours, kind or "", insurance or "", bool(icu), held)


def _matches(condition: Condition, version: int, code: str) -> bool:
    patterns = condition.icd9 if version == 9 else condition.icd10
    return code.startswith(tuple(pattern.rstrip("%") for pattern in patterns))
