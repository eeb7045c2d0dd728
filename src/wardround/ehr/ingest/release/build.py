"""Builds a database from a published release: table by table, checked, resumable."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from wardround.ehr.database import Target
from wardround.ehr.ingest.release.layout import Layout
from wardround.ehr.ingest.release.ledger import Ledger, Outcome
from wardround.ehr.ingest.release.table_loader import Loading, first_line, open_lake, read_errors
from wardround.ehr.ingest.release.versions import departures, recognise_version
from wardround.ehr.schema import Schema

# What readers say of a file, and what is wrong with it.
_REASONS = {
    "state machine reached an invalid state": "a carriage return stands outside quotes, or not all "
    "line ends are alike",
    "Unexpected end of GZIP stream": "it breaks off before its end; get it again",
    "end-of-stream marker": "it breaks off before its end; get it again",
    "CRC check failed": "its content is damaged; get it again",
    "while decompressing data": "its content is damaged; get it again",
}

# How often a build says how far it is, in seconds.
_TICK = 0.2


@dataclass(frozen=True)
class Progress:
    """How far a build is.

    Attributes:
        table: The table that is being read.
        rows: Rows read so far, of all tables.
        done: Bytes of the files that were read so far.
        total: Bytes of all files.
    """

    table: str
    rows: int
    done: float
    total: int


@dataclass(frozen=True)
class Report:
    """What a build came to.

    Attributes:
        layout: What the folder holds.
        outcomes: How each table came out.
        unreadable: Why a table's file could not be read at all, by table: it is not there.
        version: The published version that the files agree with, if any.
        departures: Tables whose records differ from that version's: their own and the published.
    """

    layout: Layout
    outcomes: tuple[Outcome, ...]
    unreadable: Mapping[str, str]
    version: str | None
    departures: Mapping[str, tuple[int, int]]

    @property
    def whole(self) -> bool:
        """Whether every record of every file is in the database, as far as can be counted."""
        return not self.unreadable and all(o.rows == o.records for o in self.outcomes)


def build(
    schema: Schema,
    layout: Layout,
    target: Target,
    faults: Path,
    listener: Callable[[Progress], None] = lambda progress: None,
    told: Callable[[Outcome], None] = lambda outcome: None,
) -> Report:
    """Read a release's files into an empty database, or go on with what was cut off.

    Each table is read in one transaction: after a crash the tables that were whole are there and
    no part of another is. Read again, they are neither doubled nor read twice.

    Args:
        schema: The release's tables.
        layout: Its files, as `find_sources` finds them.
        target: Where they go. It is left open.
        faults: A folder for the records that cannot be read, a CSV file for each such table.
        listener: Told how far it is, a few times a second.
        told: Told of each table that is there: those of an earlier build, then as they come.

    Raises:
        UserError: If the target holds anything but the same build, half done, or cannot be
            written.
    """
    ledger = Ledger(target, schema)
    done = ledger.begin(layout.sources)
    for outcome in done.values():
        told(outcome)
    unreadable: dict[str, str] = {}
    with open_lake() as lake:
        for source in layout.sources:
            if source.table.name in done:
                continue
            loading = Loading(source, target, ledger, faults, lake)
            try:
                done[source.table.name] = _watched(loading, done, layout, listener)
                told(done[source.table.name])
            except read_errors() as error:
                unreadable[source.table.name] = _reason(error)
    if not unreadable:
        ledger.end()
    return _report(schema, layout, done, unreadable)


def _watched(
    loading: Loading,
    done: Mapping[str, Outcome],
    layout: Layout,
    listener: Callable[[Progress], None],
) -> Outcome:
    """Load a table on another thread, so that an interrupt is heard here and stops it."""
    before = sum(outcome.bytes for outcome in done.values())
    rows = sum(outcome.rows for outcome in done.values())
    total = sum(source.bytes for source in layout.sources)
    with ThreadPoolExecutor(1) as pool, _stopped_on_exception(loading):
        result = pool.submit(loading.run)
        while not _over(result):
            read, share = loading.progress()
            size = share * loading.source.bytes
            listener(Progress(loading.source.table.name, rows + read, before + size, total))
        return result.result()


def _over(result: Future[Outcome]) -> bool:
    return bool(wait([result], timeout=_TICK).done)


@contextmanager
def _stopped_on_exception(loading: Loading) -> Iterator[None]:
    try:
        yield
    except BaseException:
        loading.stop()
        raise


def _reason(error: Exception) -> str:
    """Why a file cannot be read, in a user's words where the reader's are known."""
    known = (words for said, words in _REASONS.items() if said in str(error))
    return next(known, first_line(error))


def _report(
    schema: Schema, layout: Layout, done: Mapping[str, Outcome], unreadable: Mapping[str, str]
) -> Report:
    records = {table: outcome.records for table, outcome in done.items()}
    version = recognise_version(schema, records)
    return Report(
        layout=layout,
        outcomes=tuple(done[s.table.name] for s in layout.sources if s.table.name in done),
        unreadable=unreadable,
        version=version,
        departures=departures(schema, version, records) if version else {},
    )
