"""Facts about a record: its resources, their times, and references that lead nowhere."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from wardround.core.errors import UserError
from wardround.ehr.fhir.reads import instant
from wardround.ehr.fhir.record import Record, connect

_DANGLING = """
SELECT r.type, f.type, count(*) FROM reference AS f JOIN resource AS r ON r.key = f.resource
WHERE r.known_until IS NULL AND f.id <> '' AND f.url = ''
  AND NOT EXISTS (SELECT 1 FROM resource AS t WHERE t.type = f.type AND t.id = f.id)
GROUP BY r.type, f.type ORDER BY 3 DESC
"""


@dataclass(frozen=True, slots=True)
class TypeFacts:
    """The number of resources of a type, and the days when the first and last became known."""

    type: str
    count: int
    first: str = ""
    last: str = ""


@dataclass(frozen=True, slots=True)
class RecordFacts:
    """Facts about a record.

    Attributes:
        bytes: the size of its file.
        dangling: numbers of references to resources that it does not have, by the types of both.
    """

    location: str
    bytes: int
    zone: str
    source: str
    fingerprint: str
    types: tuple[TypeFacts, ...]
    dangling: Mapping[str, int]


def inspect_record(path: Path) -> RecordFacts:
    """The facts about a record.

    Raises:
        UserError: there is no such record, or it is damaged.
    """
    record = Record.open(path)
    counted = (
        "SELECT type, count(*), min(known_from), max(known_from) FROM resource "
        "WHERE known_until IS NULL GROUP BY type ORDER BY type"
    )
    try:
        with closing(connect(path)) as opened:
            types = [
                TypeFacts(type, count, _day(first, record.zone), _day(last, record.zone))
                for type, count, first, last in opened.execute(counted)
            ]
            dangling = {f"{a} to {b or 'unknown'}": n for a, b, n in opened.execute(_DANGLING)}
    except sqlite3.DatabaseError as error:
        raise UserError(f"The record {path} is damaged ({error}); make it again.") from None
    size = path.stat().st_size
    return RecordFacts(
        str(path), size, record.zone, record.source, record.fingerprint, tuple(types), dangling
    )


def _day(time: int | None, zone: str) -> str:
    if time is None:
        return ""
    local: datetime = instant(time).astimezone(ZoneInfo(zone))
    return local.date().isoformat()
