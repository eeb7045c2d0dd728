"""A stay as its notes read it: shifted dates, spelled names, clinical terms, phrases."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache, cached_property
from typing import Any

from wardround.core.packaged_data import read_rows, read_toml
from wardround.ehr.hospital.dictionaries import icd_titles
from wardround.ehr.hospital.laboratory import Result
from wardround.ehr.hospital.layouts.published_names import sentence, spell
from wardround.ehr.hospital.orders import Order
from wardround.ehr.hospital.patient_record import Visit
from wardround.ehr.hospital.random_stream import RandomStream
from wardround.ehr.hospital.stays import Problem, Stay

_OLDEST = 89


@dataclass(frozen=True)
class StayChart:
    """A stay with the shift of its dates."""

    visit: Visit
    by: timedelta

    @property
    def stay(self) -> Stay:
        """The stay."""
        return self.visit.stay

    @property
    def sex(self) -> str:
        """The word for the patient."""
        return "woman" if self.stay.person.female else "man"

    @property
    def patient(self) -> str:
        """Age and sex; ages above 89 are not told.

        MIMIC-IV records such ages as 91.
        """
        age = self.stay.age
        return f"{age} year old {self.sex}" if age <= _OLDEST else f"{self.sex} over {_OLDEST}"

    @cached_property
    def results(self) -> list[Result]:
        """The laboratory results that were known at the end of the stay."""
        return [item for item in self.visit.results if item.stored <= self.stay.end]

    def draw(self, concern: str) -> RandomStream:
        """The stay's random stream for one concern of its notes."""
        return self.stay.draw(f"notes:{concern}")

    def day(self, time: datetime) -> str:
        """The date of a time, shifted."""
        return f"{time + self.by:%Y-%m-%d}"

    def moment(self, time: datetime) -> str:
        """A time to the minute, shifted."""
        return f"{time + self.by:%Y-%m-%d %H:%M}"

    def named(self, section: str) -> list[Problem]:
        """The problems that a section of the summary names."""
        return [item for item in self.stay.problems if _section(item) == section]

    def habit(self, draw: RandomStream, choices: Mapping[str, Mapping[str, float]]) -> str:
        """A phrase for the first condition that the stay has, else for none."""
        has = (name for name in choices if self.stay.has(name))
        return draw.weighted(choices[next(has, "none")])


def phrases(name: str) -> dict[str, Any]:
    """The content of a file of phrases."""
    return read_toml(__package__, f"{name}.toml")


def term(condition: str) -> str:
    """The clinical term of a condition.

    >>> term("nstemi"), term("atrial_fibrillation")
    ('non-ST elevation myocardial infarction', 'atrial fibrillation')
    """
    return _terms().get(condition, (condition.replace("_", " "), ""))[0]


def drug(order: Order) -> str:
    """The spelled name of a drug."""
    return spell("drug", order.name)


@cache
def titles(table: str) -> dict[tuple[int, str], str]:
    """The titles of "d_icd_diagnoses" or "d_icd_procedures" by edition and code."""
    return {(version, code): sentence(title) for code, version, title in icd_titles(table)}


def listed(names: list[str]) -> str:
    """Names joined as a list.

    >>> listed(["a", "b", "c"]), listed(["a"])
    ('a, b and c', 'a')
    """
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def numbered(lines: list[str]) -> Iterator[str]:
    """The lines with numbers from 1."""
    return (f"{number}. {line}" for number, line in enumerate(lines, start=1))


def _section(problem: Problem) -> str:
    chronic = "course" if problem.acute else "history"
    return _terms().get(problem.condition.name, ("", chronic))[1]


@cache
def _terms() -> dict[str, tuple[str, str]]:
    return {name: (words, section) for name, words, section in read_rows(__package__, "terms.tsv")}
