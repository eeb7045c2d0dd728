"""Facts for clinical scores from a database in MIMIC-IV's layout."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cached_property

from wardround.core.errors import UserError
from wardround.ehr.database import Cell, Database
from wardround.ehr.fhir.mimic.laboratory import result_number, result_status
from wardround.ehr.scores.facts import (
    Facts,
    Infusion,
    Measurement,
    Order,
    Origin,
    Stay,
    facts_of,
    measured,
    measures,
    rate_of,
    vasoactive_items,
)

_NUMBER = re.compile(r"\d+(\.\d+)?")
_DAY = timedelta(days=1)


def chart_facts(database: Database, subject_id: int, hadm_id: int, time: datetime) -> Facts:
    """The facts of a patient at a time of an admission; a table that is absent has none.

    Args:
        database: a database in MIMIC-IV's layout, of any engine.
        subject_id: the patient.
        hadm_id: the admission.
        time: the time, by the hospital's clocks.

    Raises:
        UserError: the patient has no such admission.
    """
    chart = _Chart(database, int(subject_id), int(hadm_id), time)
    stay = chart.stay()
    return facts_of(
        time,
        stay,
        birth=chart.birth(),
        female=chart.female(),
        codes=frozenset(chart.codes()),
        measurements=[*chart.labs(), *chart.charted(), *chart.outputs(), *chart.visits()],
        infusions=chart.infusions(),
        orders=[*chart.prescriptions(), *chart.provider_orders()],
    )


@dataclass(frozen=True)
class _Chart:
    """One patient's rows up to a time."""

    database: Database
    subject_id: int
    hadm_id: int
    time: datetime

    @cached_property
    def tables(self) -> frozenset[str]:
        return frozenset(self.database.tables())

    def rows(self, sql: str, *tables: str, items: Iterable[str] = ()) -> Sequence[tuple[Cell, ...]]:
        """The rows of a query; none if a table of it is absent."""
        if not self.tables.issuperset(tables):
            return []
        among = ", ".join(items)
        named = sql.format(subject=self.subject_id, stay=self.hadm_id, items=among)
        return self.database.execute(named, rows=None).rows

    def stay(self) -> Stay:
        sql = (
            "SELECT admittime, dischtime FROM admissions"
            " WHERE subject_id = {subject} AND hadm_id = {stay}"
        )
        found = self.rows(sql, "admissions")
        if not found:
            raise UserError(
                f"Patient {self.subject_id} has no admission {self.hadm_id} in"
                f" {self.database.name}; check subject_id and hadm_id."
            )
        start, end = map(_time, found[0])
        sql = "SELECT intime FROM transfers WHERE hadm_id = {stay} AND eventtype = 'ED'"
        arrivals = [_time(intime) for (intime,) in self.rows(sql, "transfers")]
        return Stay(min(t for t in (start, *arrivals) if t), end)

    def birth(self) -> date | None:
        """The age at the first arrival before it, as MIMIC-IV on FHIR has it."""
        sql = (
            "SELECT min(anchor_age), min(intime) FROM patients JOIN transfers USING (subject_id)"
            " WHERE subject_id = {subject}"
        )
        for age, arrival in self.rows(sql, "patients", "transfers"):
            if (first := _time(arrival)) and age is not None:
                day = min(first.day, 28) if first.month == 2 else first.day
                return date(first.year - int(age), first.month, day)
        return None

    def female(self) -> bool | None:
        sql = "SELECT gender FROM patients WHERE subject_id = {subject}"
        genders = [gender for (gender,) in self.rows(sql, "patients")]
        return {"F": True, "M": False}.get(str(genders[0])) if genders else None

    def codes(self) -> Iterator[tuple[int, str]]:
        """The codes of stays that have ended."""
        sql = (
            "SELECT icd_version, icd_code, dischtime FROM diagnoses_icd JOIN admissions"
            " USING (subject_id, hadm_id) WHERE subject_id = {subject}"
        )
        for version, code, end in self.rows(sql, "diagnoses_icd", "admissions"):
            ended = _time(end)
            if ended and ended <= self.time:
                yield int(str(version)), str(code).strip()

    def labs(self) -> Iterator[Measurement | None]:
        sql = (
            "SELECT itemid, charttime, storetime, valuenum, valueuom, value, comments"
            " FROM labevents WHERE subject_id = {subject} AND itemid IN ({items})"
        )
        for item, time, stored, number, unit, value, comments in self.rows(
            sql, "labevents", items=measures("lab")
        ):
            remark = str(comments or "")
            if result_status(remark) in ("final", "corrected"):
                shown = result_number(_number(number), str(value or ""))
                words = str(value or "") or remark
                yield self.measured("lab", item, time, stored, shown, unit, words)

    def charted(self) -> Iterator[Measurement | None]:
        sql = (
            "SELECT itemid, charttime, storetime, valuenum, valueuom, value FROM chartevents"
            " WHERE subject_id = {subject} AND itemid IN ({items})"
            " AND value IS NOT NULL"
        )
        for item, time, stored, number, unit, value in self.rows(
            sql, "chartevents", items=measures("chart")
        ):
            shown = _number(number)
            yield self.measured("chart", item, time, stored, shown, unit, str(value))

    def outputs(self) -> Iterator[Measurement | None]:
        sql = (
            "SELECT itemid, charttime, storetime, value, valueuom FROM outputevents"
            " WHERE subject_id = {subject} AND itemid IN ({items})"
        )
        for item, time, stored, number, unit in self.rows(
            sql, "outputevents", items=measures("output")
        ):
            yield self.measured("output", item, time, stored, _number(number), unit, "")

    def visits(self) -> Iterator[Measurement | None]:
        sql = "SELECT result_name, chartdate, result_value FROM omr WHERE subject_id = {subject}"
        for name, day, value in self.rows(sql, "omr"):
            measure, time = measures("visit").get(str(name)), _time(day)
            if measure and time and time + _DAY <= self.time:
                number = _NUMBER.fullmatch(str(value).strip())
                yield measured(time, measure, float(number[0]) if number else None, None)

    def infusions(self) -> Iterator[Infusion]:
        sql = (
            "SELECT itemid, starttime, endtime, rate, rateuom FROM inputevents"
            " WHERE subject_id = {subject} AND hadm_id = {stay} AND rate IS NOT NULL"
            " AND itemid IN ({items})"
        )
        for item, start, end, rate, unit in self.rows(sql, "inputevents", items=vasoactive_items()):
            begin = _time(start)
            if begin and begin <= self.time:
                until = min(_time(end) or self.time, self.time)
                yield Infusion(begin, until, str(item), rate_of(_number(rate), _text(unit)))

    def prescriptions(self) -> Iterator[Order]:
        sql = (
            "SELECT pharmacy_id, starttime, stoptime, drug FROM prescriptions"
            " WHERE subject_id = {subject} AND hadm_id = {stay}"
        )
        drugs = defaultdict[Cell, set[str]](set)
        spans: dict[Cell, tuple[datetime | None, datetime | None]] = {}
        for pharmacy_id, start, end, drug in self.rows(sql, "prescriptions"):
            drugs[pharmacy_id].add(str(drug))
            before = spans.get(pharmacy_id, (None, None))
            spans[pharmacy_id] = (_later(before[0], _time(start)), _later(before[1], _time(end)))
        entered = dict[Cell, datetime | None]()
        sql = (
            "SELECT pharmacy_id, starttime, stoptime, entertime FROM pharmacy"
            " WHERE subject_id = {subject} AND hadm_id = {stay}"
        )
        for pharmacy_id, start, end, entry in self.rows(sql, "pharmacy"):
            old = spans.get(pharmacy_id, (None, None))
            spans[pharmacy_id] = (_time(start) or old[0], _time(end) or old[1])
            entered[pharmacy_id] = _time(entry)
        for pharmacy_id, names in drugs.items():
            order = _order(*spans[pharmacy_id], entered.get(pharmacy_id), self.time)
            yield from (Order(*order, drug=_plain(name)) for name in names if order)

    def provider_orders(self) -> Iterator[Order]:
        """Drugs of the nursing record that a provider ordered without a prescription."""
        sql = (
            "SELECT poe_id, min(ordertime), min(medication) FROM emar JOIN poe USING (poe_id)"
            " WHERE poe.subject_id = {subject} AND poe.hadm_id = {stay} AND medication IS NOT NULL"
            " AND (pharmacy_id IS NULL OR pharmacy_id NOT IN (SELECT pharmacy_id FROM prescriptions"
            " WHERE subject_id = {subject})) GROUP BY poe_id"
        )
        for _, entry, drug in self.rows(sql, "emar", "poe", "prescriptions"):
            if order := _order(None, None, _time(entry), self.time):
                yield Order(*order, drug=_plain(str(drug)))

    def measured(
        self,
        origin: Origin,
        item: Cell,
        time: Cell,
        stored: Cell,
        number: float | str | None,
        unit: Cell,
        words: str,
    ) -> Measurement | None:
        """A row as a measurement; None if it is not known yet."""
        at = _time(time)
        known = _time(stored) or at
        if at is None or known is None or max(at, known) > self.time:
            return None
        value = None if number is None else float(number)
        return measured(at, measures(origin)[str(item)], value, _text(unit), words)


def _order(
    start: datetime | None, end: datetime | None, entered: datetime | None, time: datetime
) -> tuple[datetime, datetime] | None:
    """The span of an order up to a time; None before it is entered, or without any begin."""
    if start is None or end is None or start > end:
        start, end = None, None
    begin = entered or start
    return (begin, min(end or time, time)) if begin and begin <= time else None


def _time(cell: Cell) -> datetime | None:
    return None if cell is None else datetime.fromisoformat(str(cell))


def _number(cell: Cell) -> float | None:
    return None if cell is None else float(str(cell))


def _text(cell: Cell) -> str | None:
    return None if cell is None else str(cell)


def _later(first: datetime | None, second: datetime | None) -> datetime | None:
    return max((each for each in (first, second) if each), default=None)


def _plain(name: str) -> str:
    return " ".join(name.split())
