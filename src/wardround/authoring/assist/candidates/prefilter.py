"""Chooses the stays whose tables can support a session, by scenario and tier.

Source: PhysAssistBench, appendix H.1; counts of rows stand for its sizes in bytes.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from random import Random
from typing import Any

from wardround.authoring.assist.facts.met_rules import bound_rules, met_rules
from wardround.authoring.assist.facts.rules import BoundRule, sharing
from wardround.authoring.assist.facts.scenarios import (
    abnormal_tests,
    is_of_infection,
    responses,
    suits,
)
from wardround.authoring.assist.planning.cells import LEAVING, TIERS
from wardround.benchmarks.assist.sessions import SCENARIOS, Scenario
from wardround.core.errors import UserError
from wardround.core.packaged_data import read_toml
from wardround.ehr.database import Cell, Database, quote_text
from wardround.ehr.records import RecordMap, dialect_of, records_of, view
from wardround.ehr.schema import recognise
from wardround.ehr.terms.chinese import english
from wardround.ehr.terms.classes import antibiotics
from wardround.ehr.terms.clinical_rules import ClinicalRule, clinical_rules, groups_of, is_of
from wardround.ehr.terms.diagnosis_codes import coded_diagnoses
from wardround.ehr.terms.drugs import drug_class

_CONSIDERED = 4_000  # patients whose records are counted
# A ward round is in the last days of a stay, after a share of it, in some hours of a day.
_LAST_DAYS, _SHARE, _ROUNDS = timedelta(days=3), 1 / 3, range(8, 18)
_ACTIVE = 3  # drugs that are ordered at discharge
_SECONDS = 3_600.0
_LAYOUT = "mimic_iv"  # the layout that becomes FHIR
_KINDS = {
    "admission": "destination",
    "note": "name",
    "lab": "value",
    "drug": "finish",
    "diagnosis": "code",
    "administration": "name",
}
_STAYS = """
SELECT a.patient, a.admission, a.time, a.finish FROM ({admission}) a
WHERE a.died = 0 AND a.finish IS NOT NULL AND a.destination NOT IN ({hospice})
    AND a.admission IN (SELECT n.admission FROM ({note}) n WHERE n.name IN ({summary}))
ORDER BY a.patient, a.time DESC
"""
_TESTS = """
SELECT r.admission, r.name, COUNT(*), MAX(CASE WHEN r.place = 1 THEN r.value END),
    MAX(CASE WHEN r.back = 1 THEN r.value END)
FROM (
    SELECT l.admission, l.name, l.value,
        ROW_NUMBER() OVER (PARTITION BY l.admission, l.name ORDER BY l.time, l.value) AS place,
        ROW_NUMBER() OVER (
            PARTITION BY l.admission, l.name ORDER BY l.time DESC, l.value DESC
        ) AS back
    FROM ({lab}) l WHERE l.admission IN ({stays}) AND l.value IS NOT NULL
) r
GROUP BY r.admission, r.name
"""
_REPORTS = """
SELECT n.admission, COUNT(*) FROM ({note}) n
WHERE n.admission IN ({stays}) AND n.name NOT IN ({summary}) GROUP BY n.admission
"""
# A record becomes about as many resources as it has rows of these kinds.
_SIZED = ("lab", "vital", "drug", "administration")
_SIZES = "SELECT r.patient, COUNT(*) FROM ({rows}) r GROUP BY r.patient"
_DIAGNOSES = (
    "SELECT DISTINCT d.admission, d.code FROM ({diagnosis}) d WHERE d.admission IN ({stays})"
)
_ORDERS = """
SELECT d.admission, d.name, MAX(d.finish) FROM ({drug}) d
WHERE d.admission IN ({stays}) AND d.name IS NOT NULL GROUP BY d.admission, d.name
"""
_DOSES = """
SELECT DISTINCT g.admission, g.name FROM ({administration}) g
WHERE g.admission IN ({stays}) AND g.name IS NOT NULL
"""


@dataclass(slots=True)
class StayFacts:
    """The rows of a stay, counted.

    Attributes:
        tests: the number of results by test, in the words of the terms.
        ends: the first and last value of each test.
        reports: the number of radiology reports.
        codes: the codes of its diagnoses.
        orders: the time when the last order of each drug ends.
        doses: the drugs that were given.
    """

    tests: Counter[str] = field(default_factory=Counter)
    reports: int = 0
    codes: set[str] = field(default_factory=set)
    orders: dict[str, datetime | None] = field(default_factory=dict)
    doses: set[str] = field(default_factory=set)
    ends: dict[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A stay that can support sessions.

    Attributes:
        subject_id: the patient.
        hadm_id: the stay.
        discharge: its end, in the record's local time.
        ward_round: a time late in the stay, on a day before its last; None in a short one.
        tiers: the richest tier that it supports, by scenario.
        storyline: the number of clinical rules that it meets about one drug or test, at most.
        rows: the results, vital signs, orders and doses of the patient.
        codes: the codes of the diagnoses of the stay.
        is_infected: a rule is about the response of an infection to its treatment.
        home: the scenario that has it first, so that few patients are in several.
    """

    subject_id: int
    hadm_id: int
    discharge: datetime
    ward_round: datetime | None
    tiers: Mapping[Scenario, int]
    storyline: int
    rows: int = 0
    codes: frozenset[str] = frozenset()
    is_infected: bool = False
    home: Scenario | None = None


def candidates(database: Database, seed: int) -> list[Candidate]:
    """The stays that can support sessions, the newest of each patient, in an order of the seed.

    Raises:
        UserError: the record lacks what sessions are made of.
    """
    queries = _queries(database)
    newest: dict[int, tuple[int, datetime, datetime]] = {}
    for subject, stay, begin, finish in _rows(database, _STAYS, queries):
        newest.setdefault(int(subject or 0), (int(stay or 0), _time(begin), _time(finish)))
    order = sorted(newest, key=lambda subject: Random(f"{seed} {subject}").random())
    considered = order[:_CONSIDERED]
    facts = _facts(database, queries, [newest[subject][0] for subject in considered])
    rows = _sizes(database, queries)
    chosen = []
    for subject in considered:
        stay, admission, discharge = newest[subject]
        late = ward_round(admission, discharge, Random(f"{seed} {stay}"))
        supported = supported_tiers(facts[stay], discharge)
        rules = met_by_results(facts[stay], discharge)
        treated = met_by_results(facts[stay], late or discharge)
        latest = {test: last for test, (_, last) in facts[stay].ends.items()}
        abnormal = abnormal_tests(latest)
        begun = {s for s in supported if any(suits(s, bound, abnormal) for bound in rules)}
        if tiers := {s: supported[s] for s in begun if late or s == LEAVING}:
            storyline = max(len(sharing(each, rules)) for each in rules)
            chosen.append(
                Candidate(
                    subject, stay, discharge, late, tiers, storyline, rows[subject],
                    frozenset(facts[stay].codes), any(map(is_of_infection, treated)),
                    Random(f"{seed} {subject} home").choice(sorted(tiers)),
                )
            )  # fmt: skip
    return chosen


def ward_round(admission: datetime, discharge: datetime, random: Random) -> datetime | None:
    """A full hour by day in the last two thirds and the last three days of a stay.

    There is a tomorrow on the ward, so it is on a day before the discharge; None if a stay is too
    short for one.
    """
    start = admission + (discharge - admission) * _SHARE
    earliest = max(start, discharge - _LAST_DAYS).replace(minute=0, second=0, microsecond=0)
    hours = (earliest + timedelta(hours=n) for n in range(1, _LAST_DAYS // timedelta(hours=1)))
    by_day = [each for each in hours if each.hour in _ROUNDS and each.date() < discharge.date()]
    return random.choice(by_day) if by_day else None


def _sizes(database: Database, queries: Mapping[str, str]) -> Counter[int]:
    """The number of rows of each patient's record."""
    sizes = Counter[int]()
    for kind in _SIZED:
        if kind in queries:
            for subject, count in _rows(database, _SIZES, {"rows": queries[kind]}):
                sizes[int(subject or 0)] += int(count or 0)
    return sizes


def supported_tiers(facts: StayFacts, discharge: datetime) -> dict[Scenario, int]:
    """The richest tier that a stay supports, by scenario; empty without enough active orders."""
    if len(_active(facts, discharge)) < _ACTIVE:
        return {}
    counts = _counts(facts)
    least = _qualification()["least"]
    tiers = {
        scenario: max(
            (tier for tier in TIERS
             if any(_reaches(counts, table, tier) for table in least[scenario])),
            default=0,
        )
        for scenario in SCENARIOS
    }  # fmt: skip
    return {scenario: tier for scenario, tier in tiers.items() if tier}


def met_by_results(facts: StayFacts, time: datetime) -> list[BoundRule]:
    """The rules that a stay meets by its laboratory results and the drugs on a day."""
    generic = (english(drug, "drug") for drug in _active(facts, time))
    ordered = sorted({drug for drug in generic if drug})
    return bound_rules(ordered, met_rules(facts.ends), coded_diagnoses(facts.codes))


def _active(facts: StayFacts, time: datetime) -> list[str]:
    """The drugs that are ordered on a day or later."""
    orders = facts.orders.items()
    return [drug for drug, end in orders if end is None or end.date() >= time.date()]


def _reaches(counts: Mapping[str, int], least: Mapping[str, Sequence[int]], tier: int) -> bool:
    return all(counts[name] >= numbers[tier - 1] for name, numbers in least.items())


def _counts(facts: StayFacts) -> dict[str, int]:
    table = _qualification()
    infection, liver = table["infection"], table["liver"]
    classes = {each.name for drug in facts.doses for each in drug_class(drug)}
    organs = sum(test in facts.tests for test in infection["organs"])
    coded = any(code.startswith(tuple(infection["sepsis"])) for code in facts.codes)
    septic = int(coded or organs > 1)
    hepatic = sum(test in facts.tests for test in liver["tests"]) >= liver["least"]
    return {
        "systems": sum(any(t in facts.tests for t in each) for each in table["systems"].values()),
        "reports": facts.reports,
        "diagnoses": len(facts.codes),
        "watched_drugs": len({rule.drug for rule in watched_rules(facts) if rule.test}),
        "tests": len(facts.tests),
        "markers": facts.tests[infection["marker"]],
        "antibiotics": len(classes & antibiotics()),
        "responses": len(_responses(facts)),
        "septic": septic,
        "scores": max(septic, int(hepatic)),
        "orders": len(facts.orders),
        "results": facts.tests.total(),
    }


def _responses(facts: StayFacts) -> set[tuple[str, str]]:
    """The classes of drugs that were given, each with a repeated test that shows the response."""
    repeated = {test for test, count in facts.tests.items() if count > 1}
    return {
        (group, test)
        for group, test in responses()
        if test in repeated and any(is_of(drug, group) for drug in facts.doses)
    }


def watched_rules(facts: StayFacts) -> list[ClinicalRule]:
    """The rules whose drugs are ordered, and whose test has results."""
    ordered = frozenset(group for drug in facts.orders for group in groups_of(drug))
    return [
        rule
        for rule in clinical_rules()
        if rule.drug
        and (not rule.test or rule.test in facts.tests)
        and all(group in ordered for group in (rule.drug, rule.beside) if group)
    ]


def _facts(
    database: Database, queries: Mapping[str, str], stays: Sequence[int]
) -> Mapping[int, StayFacts]:
    by_stay: defaultdict[int, StayFacts] = defaultdict(StayFacts)
    named = {**queries, "stays": ", ".join(map(str, stays)) or "NULL"}
    for stay, name, count, first, last in _rows(database, _TESTS, named):
        stay_facts, test = by_stay[int(stay or 0)], _test(str(name))
        stay_facts.tests[test] += int(count or 0)
        stay_facts.ends[test] = (float(first or 0), float(last or 0))
    for stay, count in _rows(database, _REPORTS, named):
        by_stay[int(stay or 0)].reports = int(count or 0)
    for stay, code in _rows(database, _DIAGNOSES, named):
        by_stay[int(stay or 0)].codes.add(str(code).strip())
    for stay, name, end in _rows(database, _ORDERS, named):
        by_stay[int(stay or 0)].orders[str(name)] = _time(end) if end else None
    for stay, name in _rows(database, _DOSES, named):
        by_stay[int(stay or 0)].doses.add(str(name))
    return by_stay


def _queries(database: Database) -> dict[str, str]:
    """The views of the record, and the words by which it names what matters.

    Raises:
        UserError: the record lacks a kind of record.
    """
    columns = {table: [c.name for c in database.columns(table)] for table in database.tables()}
    if recognise(columns) != _LAYOUT:
        raise UserError(
            f"{database.url} is not in MIMIC-IV's layout, which sessions are made of; name a "
            "DuckDB file of MIMIC-IV with its notes."
        )
    records, dialect = records_of(database), dialect_of(database)
    if missing := [kind for kind, column in _KINDS.items() if not records.has(kind, column)]:
        raise UserError(
            f"{database.url} has no {missing[0]!r} records, and sessions need them; name a "
            "DuckDB file in MIMIC-IV's layout with its notes."
        )
    kinds = [*_KINDS, *(kind for kind in _SIZED if records.has(kind, "patient"))]
    views = {kind: view(records, kind, dialect) for kind in kinds}
    return {
        **views,
        "summary": _texts(records, "note", "name", "discharge"),
        "hospice": _texts(records, "admission", "destination", "hospice"),
    }


def _texts(records: RecordMap, kind: str, column: str, meaning: str) -> str:
    return ", ".join(map(quote_text, records.texts(kind, column, meaning))) or "NULL"


def _rows(database: Database, sql: str, named: Mapping[str, str]) -> Iterator[tuple[Cell, ...]]:
    yield from database.execute(sql.format(**named), rows=None, seconds=_SECONDS).rows


def _time(cell: Cell) -> datetime:
    return datetime.fromisoformat(str(cell))


@cache
def _test(name: str) -> str:
    return english(name, "test") or name.casefold()


def _qualification() -> Mapping[str, Any]:
    return read_toml(__package__, "qualification.toml")
