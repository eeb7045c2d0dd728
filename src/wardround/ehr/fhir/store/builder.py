"""Builds a record's file from resources, in one pass; nothing is left where it fails."""

import hashlib
import marshal
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import chain, islice
from multiprocessing import current_process
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import orjson

from wardround.core.errors import UserError
from wardround.core.packaged_data import read_text
from wardround.core.private_files import create_file
from wardround.core.process_pool import results_in_order
from wardround.ehr.fhir.index.dates import read_zone
from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.mimic import HOSPITAL_ZONE
from wardround.ehr.fhir.phases import Phase, Stays, phases, waits_for_encounter
from wardround.ehr.fhir.store.file_format import APPLICATION_ID, FORMAT
from wardround.ehr.fhir.store.rows import INSERTS, Rows, body_of, index_rows
from wardround.ehr.fhir.validation import defects

BATCH = 1000
# Batches that are not worth the start of a process, which takes about a second.
SMALL = 5
_MOST_WORKERS = 3
DefectRow: TypeAlias = tuple[str, str, int, str, str]

Validation: TypeAlias = Literal["refuse", "record"]
_PACKAGE = __package__ or ""
_FAST = "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-200000;"


class PhaseRow(NamedTuple):
    """A phase of a resource, as its row; the last phase is the whole resource."""

    key: int
    type: str
    id: str
    version: int
    updated: int
    known_from: int | None
    known_until: int | None
    deleted: bool
    body: bytes


class Batch(NamedTuple):
    """Rows of all tables of some resources, and the defects of these resources."""

    phases: list[PhaseRow]
    indexed: Rows
    defects: list[DefectRow]


@dataclass(slots=True)
class Built:
    """The number of resources in a record, by type."""

    counts: dict[str, int] = field(default_factory=dict)


def build_record(
    path: Path,
    resources: Iterable[Resource],
    *,
    zone: str = HOSPITAL_ZONE,
    validation: Validation = "refuse",
    source: str = "",
    replace: bool = False,
) -> Built:
    """Writes a record's file.

    Encounters are best read first: resources known at an encounter's end wait for it in memory.

    Args:
        path: the new file.
        resources: the resources with their ids, in any order; an id may occur once in a type.
        zone: the name of the time zone of times without an offset.
        validation: `refuse`: resources that are not R4 are an error, here and when they are written
            later; `record`: they are taken, and their defects are named in the record.
        source: the place that they come from, for the record's description.
        replace: replace an existing file instead of refusing it.

    Raises:
        UserError: the file exists, its folder does not, an id occurs twice, or a resource is not R4
            and is refused.
    """
    if path.exists() and not replace:
        raise UserError(f"{path} exists already; name another file, or add --force.")
    if not path.absolute().parent.is_dir():
        raise UserError(
            f"There is no folder {path.absolute().parent} to write {path.name} in; make it."
        )
    read_zone(zone)
    part = path.with_name(f"{path.name}.part")
    part.unlink(missing_ok=True)
    create_file(part)
    try:
        with closing(sqlite3.connect(part)) as connection:
            connection.executescript(_FAST + read_text(_PACKAGE, "schema.sql"))
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            built, digest = _fill(connection, batches(_rows(resources, zone), zone), validation)
            _refuse_repeated(connection)
            connection.executescript(read_text(_PACKAGE, "indexes.sql"))
            meta = {"format": FORMAT, "zone": zone, "validation": validation}
            meta |= {"source": source, "fingerprint": digest}
            connection.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
            connection.commit()
            connection.execute("ANALYZE")
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    part.replace(path)
    return built


def _refuse_repeated(connection: sqlite3.Connection) -> None:
    repeated = connection.execute(
        "SELECT type, id FROM resource WHERE known_until IS NULL "
        "GROUP BY type, id HAVING count(*) > 1 LIMIT 1"
    ).fetchone()
    if repeated:
        raise UserError("{}/{} is there twice; remove one.".format(*repeated))


def _fill(
    connection: sqlite3.Connection, parts: Iterable[Batch], validation: Validation
) -> tuple[Built, str]:
    built, digest = Built(), 0
    for written, indexed, invalid in parts:
        if invalid and validation == "refuse":
            type, id, _, path, sentence = invalid[0]
            raise UserError(
                f"{type}/{id} is not valid R4 ({path}: {sentence}); correct it, or build the "
                "record with validation `record`."
            )
        connection.executemany("INSERT INTO defect VALUES (?, ?, ?, ?, ?)", invalid)
        connection.executemany(INSERTS["resource"], written)
        for table, rows in indexed.items():
            connection.executemany(INSERTS[table], rows)
        for phase in written:
            if phase.known_until is None:
                built.counts[phase.type] = built.counts.get(phase.type, 0) + 1
                # The order of resources does not matter.
                hashed = hashlib.blake2b(phase.body, digest_size=16).digest()
                digest ^= int.from_bytes(hashed)
    return built, f"{digest:032x}"


def _rows(resources: Iterable[Resource], zone: str) -> Iterator[PhaseRow]:
    for key, (id, phase, version) in enumerate(_phased(resources, zone), start=1):
        since, until = phase.known_from, phase.known_until
        type, body = phase.resource["resourceType"], body_of(phase.resource)
        yield PhaseRow(key, type, id, version, since or 0, since, until, False, body)


def _phased(resources: Iterable[Resource], zone: str) -> Iterator[tuple[str, Phase, int]]:
    """Each resource's phases with version numbers; those that wait for an encounter come last."""
    stays, waiting = Stays(), list[Resource]()
    for resource in resources:
        if resource["resourceType"] == "Encounter":
            stays.add(resource, zone)
        elif waits_for_encounter(resource):
            waiting.append(resource)
            continue
        yield from _numbered(resource, stays, zone)
    for resource in waiting:
        yield from _numbered(resource, stays, zone)


def _numbered(resource: Resource, stays: Stays, zone: str) -> Iterator[tuple[str, Phase, int]]:
    for version, phase in enumerate(phases(resource, stays, zone), start=1):
        yield resource["id"], phase, version


def batches(phases: Iterable[PhaseRow], zone: str) -> Iterator[Batch]:
    """The rows of resources, in order.

    Args:
        phases: the phases of resources.
        zone: the name of the time zone of times without an offset.
    """
    rows = iter(phases)
    parts = iter(lambda: list(islice(rows, BATCH)), [])
    for part in islice(parts, SMALL):
        yield _batch(part, _indexed(part, zone))
    further = next(parts, None)
    if further is None:
        return
    parts = chain([further], parts)
    workers = min(_MOST_WORKERS, (os.cpu_count() or 1) - 1)
    if workers == 0 or current_process().daemon:
        yield from (_batch(part, _indexed(part, zone)) for part in parts)
    else:
        calls = ((part, zone) for part in parts)
        for (part, _), marshalled in results_in_order(_indexed, calls, workers):
            yield _batch(part, marshalled)


def _indexed(phases: list[PhaseRow], zone: str) -> bytes:
    """The index rows and defects of resources, marshalled, which is faster than pickled."""
    index: dict[str, list[tuple[Any, ...]]] = {}
    defect_rows: list[DefectRow] = []
    for phase in phases:
        resource = orjson.loads(phase.body)
        for table, rows in index_rows(resource, phase.key, zone).items():
            index.setdefault(table, []).extend(rows)
        if phase.known_until is None:
            named = (phase.type, phase.id, phase.version)
            defect_rows += ((*named, each.path, each.sentence) for each in defects(resource))
    return marshal.dumps((index, defect_rows))


def _batch(phases: list[PhaseRow], marshalled: bytes) -> Batch:
    indexed, defect_rows = marshal.loads(marshalled)  # noqa: S302 (by a process of ours)
    return Batch(phases, indexed, defect_rows)
