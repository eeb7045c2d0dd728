"""Builds a record's file from resources, in one pass; nothing is left where it fails."""

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from wardround.core.errors import UserError
from wardround.core.packaged_data import read_text
from wardround.core.private_files import create_file
from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.mimic import HOSPITAL_ZONE
from wardround.ehr.fhir.phases import Phase, Stays, phases, waits_for_encounter
from wardround.ehr.fhir.store.rows import INSERTS, body_of, index_rows

FORMAT = "1"
APPLICATION_ID = 0x46484952  # "FHIR" in SQLite's header
_PACKAGE = __package__ or ""
_BATCH = 2000
_FAST = "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-200000;"


@dataclass(slots=True)
class Built:
    """The number of resources in a record, by type."""

    counts: dict[str, int] = field(default_factory=dict)


def build_record(
    path: Path,
    resources: Iterable[Resource],
    *,
    zone: str = HOSPITAL_ZONE,
    validation: str = "refuse",
    source: str = "",
    replace: bool = False,
) -> Built:
    """Writes a record's file.

    Encounters are best read first: what is known at an encounter's end waits in memory for it.

    Args:
        path: the new file.
        resources: the resources with their ids, in any order; an id may occur once in a type.
        zone: the name of the time zone of times without an offset.
        validation: `refuse` or `record`: the treatment of resources written later that are not R4.
        source: the place that they come from, for the record's description.
        replace: replace an existing file instead of refusing it.

    Raises:
        UserError: the file exists, or an id occurs twice.
    """
    if path.exists() and not replace:
        raise UserError(f"{path} exists already; name another file, or add --force.")
    part = path.with_name(f"{path.name}.part")
    part.unlink(missing_ok=True)
    create_file(part)
    try:
        with closing(sqlite3.connect(part)) as connection:
            connection.executescript(_FAST + read_text(_PACKAGE, "schema.sql"))
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            built, digest = _fill(connection, resources, zone)
            connection.executescript(read_text(_PACKAGE, "indexes.sql"))
            meta = {"format": FORMAT, "zone": zone, "validation": validation}
            meta |= {"source": source, "fingerprint": digest}
            connection.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
            connection.commit()
            connection.execute("ANALYZE")
    except sqlite3.IntegrityError as error:
        part.unlink()
        raise UserError(f"{source or path} has a resource twice ({error}); remove one.") from None
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    part.replace(path)
    return built


def _fill(
    connection: sqlite3.Connection, resources: Iterable[Resource], zone: str
) -> tuple[Built, str]:
    built, digest = Built(), 0
    batch: dict[str, list[tuple[object, ...]]] = {table: [] for table in INSERTS}
    for key, (id, phase, version) in enumerate(_phased(resources, zone), start=1):
        type, body = phase.resource["resourceType"], body_of(phase.resource)
        updated = phase.known_from or 0
        batch["resource"].append(
            (key, type, id, version, updated, phase.known_from, phase.known_until, 0, body)
        )
        for table, rows in index_rows(phase.resource, key, zone).items():
            batch[table] += rows
        if phase.known_until is None:
            built.counts[type] = built.counts.get(type, 0) + 1
            # Order does not matter: two files with the same resources have the same fingerprint.
            digest ^= int.from_bytes(hashlib.blake2b(body, digest_size=16).digest())
        if len(batch["resource"]) >= _BATCH:
            _flush(connection, batch)
    _flush(connection, batch)
    return built, f"{digest:032x}"


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


def _flush(connection: sqlite3.Connection, batch: dict[str, list[tuple[object, ...]]]) -> None:
    for table, rows in batch.items():
        connection.executemany(INSERTS[table], rows)
        rows.clear()
