"""Batches of resources as rows: checked and indexed, large records by more than one process."""

import marshal
import os
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from multiprocessing import current_process
from typing import Any, NamedTuple, TypeAlias

import orjson

from wardround.core.process_pool import results_in_order
from wardround.ehr.fhir.store.rows import Rows, index_rows
from wardround.ehr.fhir.validation import defects

BATCH = 1000
# Batches that are not worth the start of a process, which takes about a second.
SMALL = 5
_MOST_WORKERS = 3
DefectRow: TypeAlias = tuple[str, str, int, str, str]


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
    found: list[DefectRow] = []
    for phase in phases:
        resource = orjson.loads(phase.body)
        for table, rows in index_rows(resource, phase.key, zone).items():
            index.setdefault(table, []).extend(rows)
        if phase.known_until is None:
            named = (phase.type, phase.id, phase.version)
            found += ((*named, each.path, each.sentence) for each in defects(resource))
    return marshal.dumps((index, found))


def _batch(phases: list[PhaseRow], marshalled: bytes) -> Batch:
    indexed, found = marshal.loads(marshalled)  # noqa: S302 (by a process of ours)
    return Batch(phases, indexed, found)
