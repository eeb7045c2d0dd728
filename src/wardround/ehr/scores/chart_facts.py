"""Facts for clinical scores from the records of a database, by its record map."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from wardround.core.errors import UserError
from wardround.ehr.database import Cell, Database
from wardround.ehr.fhir.mimic.laboratory import result_number, result_status
from wardround.ehr.records import RecordMap, record_map
from wardround.ehr.records.record_tables import MissingRecordsError, record_database
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
# The system of the codes that measures and infusions are known by.
_ITEMS = "mimic_item"
# Codes are read, names are not.
_IDENTITY = ("patient",)


def chart_facts(database: Database, subject_id: int, hadm_id: int, time: datetime) -> Facts:
    """The facts of a patient at a time of an admission; None or empty where the record lacks them.

    Args:
        database: a database of any engine with MIMIC-IV's items, such as one in its layout.
        subject_id: the patient.
        hadm_id: the admission.
        time: the time, by the hospital's clocks.

    Raises:
        UserError: no record map fits the database, or the patient has no such admission.
    """
    columns = {t: [each.name for each in database.columns(t)] for t in database.tables()}
    records = record_map(columns, _IDENTITY)
    if records is None:
        raise UserError(
            f"No record map fits {database.name}; scores need a database in MIMIC-IV's layout."
        )
    tables = record_database(database, records)
    chart = _Chart(tables, records, int(subject_id), int(hadm_id), time)
    stay = chart.stay()
    return facts_of(
        time,
        stay,
        birth=chart.birth(),
        female=chart.female(),
        codes=frozenset(chart.codes()),
        measurements=[*chart.labs(), *chart.charted(), *chart.outputs(), *chart.checkups()],
        infusions=chart.infusions(),
        orders=[*chart.prescriptions(), *chart.provider_orders()],
    )


@dataclass(frozen=True)
class _Chart:
    """One patient's records up to a time, in tables of the kinds of record."""

    database: Database
    records: RecordMap
    subject_id: int
    hadm_id: int
    time: datetime

    def rows(self, sql: str, **places: str) -> Sequence[tuple[Cell, ...]]:
        """The rows of a query; none if the records lack what it reads."""
        named = sql.format(subject=self.subject_id, stay=self.hadm_id, **places)
        try:
            return self.database.execute(named, rows=None).rows
        except MissingRecordsError:
            return []

    def item_rows(self, sql: str, kind: str, items: Iterable[str]) -> Sequence[tuple[Cell, ...]]:
        """The rows of a query of items; none if a kind's codes are not MIMIC-IV's items."""
        codes = [each.columns.get("code") for each in self.records.kinds.get(kind, ())]
        if not all(code and code.system == _ITEMS for code in codes):
            return []
        return self.rows(sql, items=", ".join(items))

    def texts(self, kind: str, column: str, meaning: str) -> frozenset[str]:
        return frozenset(self.records.texts(kind, column, meaning))

    def stay(self) -> Stay:
        sql = (
            "SELECT e.time, e.finish FROM admission_records e"
            " WHERE e.patient = {subject} AND e.admission = {stay}"
        )
        stays = self.rows(sql)
        if not stays:
            raise UserError(
                f"Patient {self.subject_id} has no admission {self.hadm_id} in"
                f" {self.database.name}; check subject_id and hadm_id."
            )
        start, end = map(_time, stays[0])
        sql = "SELECT e.time, e.type FROM transfer_records e WHERE e.admission = {stay}"
        emergency = self.texts("transfer", "type", "emergency")
        arrivals = [_time(time) for time, type in self.rows(sql) if type in emergency]
        return Stay(min(t for t in (start, *arrivals) if t), end)

    def birth(self) -> date | None:
        """The age at the first arrival before it, as MIMIC-IV on FHIR has it."""
        sql = (
            "SELECT MIN(p.age), MIN(t.time) FROM patient_records p JOIN transfer_records t"
            " ON t.patient = p.patient WHERE p.patient = {subject}"
        )
        for age, arrival in self.rows(sql):
            if (first := _time(arrival)) and age is not None:
                day = min(first.day, 28) if first.month == 2 else first.day
                return date(first.year - int(age), first.month, day)
        return None

    def female(self) -> bool | None:
        sql = "SELECT e.sex FROM patient_records e WHERE e.patient = {subject}"
        sexes = [sex for (sex,) in self.rows(sql)]
        meanings = {"female": True, "male": False}
        written = {t: m for name, m in meanings.items() for t in self.texts("patient", "sex", name)}
        return written.get(str(sexes[0])) if sexes else None

    def codes(self) -> Iterator[tuple[int, str]]:
        """The codes of stays that have ended."""
        sql = (
            "SELECT e.system, e.code, a.finish FROM diagnosis_records e JOIN admission_records a"
            " ON a.patient = e.patient AND a.admission = e.admission WHERE e.patient = {subject}"
        )
        systems = {"icd9": 9, "icd10": 10}
        versions = {
            t: v for name, v in systems.items() for t in self.texts("diagnosis", "system", name)
        }
        for system, code, end in self.rows(sql):
            ended, version = _time(end), versions.get(str(system))
            if ended and ended <= self.time and version:
                yield version, str(code).strip()

    def labs(self) -> Iterator[Measurement | None]:
        sql = (
            "SELECT e.code, e.time, e.stored, e.value, e.unit, e.text, e.comment"
            " FROM lab_records e WHERE e.patient = {subject} AND e.code IN ({items})"
        )
        for item, time, stored, number, unit, text, comment in self.item_rows(
            sql, "lab", measures("lab")
        ):
            remark = str(comment or "")
            if result_status(remark) in ("final", "corrected"):
                shown = result_number(_number(number), str(text or ""))
                words = str(text or "") or remark
                yield self.measured("lab", item, time, stored, shown, unit, words)

    def charted(self) -> Iterator[Measurement | None]:
        sql = (
            "SELECT e.code, e.time, e.stored, e.value, e.unit, e.text FROM vital_records e"
            " WHERE e.patient = {subject} AND e.code IN ({items}) AND e.text IS NOT NULL"
        )
        for item, time, stored, number, unit, text in self.item_rows(
            sql, "vital", measures("chart")
        ):
            shown = _number(number)
            yield self.measured("chart", item, time, stored, shown, unit, str(text))

    def outputs(self) -> Iterator[Measurement | None]:
        sql = (
            "SELECT e.code, e.time, e.stored, e.value, e.unit FROM output_records e"
            " WHERE e.patient = {subject} AND e.code IN ({items})"
        )
        for item, time, stored, number, unit in self.item_rows(sql, "output", measures("output")):
            yield self.measured("output", item, time, stored, _number(number), unit, "")

    def checkups(self) -> Iterator[Measurement | None]:
        sql = "SELECT e.name, e.time, e.text FROM checkup_records e WHERE e.patient = {subject}"
        for name, day, value in self.rows(sql):
            measure, time = measures("visit").get(str(name)), _time(day)
            if measure and time and time + _DAY <= self.time:
                number = _NUMBER.fullmatch(str(value).strip())
                yield measured(time, measure, float(number[0]) if number else None, None)

    def infusions(self) -> Iterator[Infusion]:
        sql = (
            "SELECT e.code, e.time, e.finish, e.rate, e.rate_unit FROM intake_records e"
            " WHERE e.patient = {subject} AND e.admission = {stay} AND e.rate IS NOT NULL"
            " AND e.code IN ({items})"
        )
        for item, start, end, rate, unit in self.item_rows(sql, "intake", vasoactive_items()):
            begin = _time(start)
            if begin and begin <= self.time:
                until = min(_time(end) or self.time, self.time)
                yield Infusion(begin, until, str(item), rate_of(_number(rate), _text(unit)))

    def prescriptions(self) -> Iterator[Order]:
        """Drugs that were prescribed, with the times that the pharmacy keeps if it does."""
        sql = (
            "SELECT e.record, e.time, e.finish, e.name FROM drug_records e"
            " WHERE e.patient = {subject} AND e.admission = {stay}"
        )
        drugs = defaultdict[Cell, set[str]](set)
        spans: dict[Cell, tuple[datetime | None, datetime | None]] = {}
        for prescription, start, end, drug in self.rows(sql):
            drugs[prescription].add(str(drug))
            before = spans.get(prescription, (None, None))
            spans[prescription] = (_later(before[0], _time(start)), _later(before[1], _time(end)))
        entered = dict[Cell, datetime | None]()
        sql = (
            "SELECT e.record, e.time, e.finish, e.stored FROM pharmacy_records e"
            " WHERE e.patient = {subject} AND e.admission = {stay}"
        )
        for prescription, start, end, entry in self.rows(sql):
            old = spans.get(prescription, (None, None))
            spans[prescription] = (_time(start) or old[0], _time(end) or old[1])
            entered[prescription] = _time(entry)
        for prescription, names in drugs.items():
            order = _order(*spans[prescription], entered.get(prescription), self.time)
            yield from (Order(*order, drug=_plain(name)) for name in names if order)

    def provider_orders(self) -> Iterator[Order]:
        """Drugs that were given by a provider's order without a prescription."""
        sql = (
            "SELECT MIN(e.requested), MIN(e.name) FROM administration_records e"
            " WHERE e.patient = {subject} AND e.admission = {stay}"
            " AND (e.prescription IS NULL OR e.prescription NOT IN"
            " (SELECT d.record FROM drug_records d WHERE d.patient = {subject}))"
            " GROUP BY e.request"
        )
        for entry, drug in self.rows(sql):
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
        storage_time = _time(stored) or at
        if at is None or storage_time is None or max(at, storage_time) > self.time:
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
