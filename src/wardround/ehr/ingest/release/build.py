"""Import of a published release, table by table, verified and resumable."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from wardround.ehr.database import Target
from wardround.ehr.ingest.release.ledger import Ledger, LoadedTable
from wardround.ehr.ingest.release.release_files import ReleaseFiles
from wardround.ehr.ingest.release.release_match import departures, recognise_version
from wardround.ehr.ingest.release.table_loader import (
    TableLoader,
    first_line,
    open_reader,
    read_errors,
)
from wardround.ehr.schema import Schema

# Explanations of reader errors by a part of their message.
_REASONS = {
    "state machine reached an invalid state": "a carriage return stands outside quotes, or not all "
    "line ends are alike",
    "Unexpected end of GZIP stream": "it is truncated; get it again",
    "end-of-stream marker": "it is truncated; get it again",
    "CRC check failed": "its content is damaged; get it again",
    "while decompressing data": "its content is damaged; get it again",
}

# Seconds between progress reports.
_TICK = 0.2


@dataclass(frozen=True)
class Progress:
    """Progress of a build.

    Attributes:
        table: The current table.
        rows: Rows read so far in all tables.
        done: Bytes read so far.
        total: Bytes of all files.
    """

    table: str
    rows: int
    done: float
    total: int


@dataclass(frozen=True)
class BuildReport:
    """The result of a build.

    Attributes:
        layout: The files of the release.
        outcomes: The loaded tables.
        unreadable: Errors by table, for tables that could not be loaded.
        version: The published version with the same row counts, if any.
        departures: Actual and published row counts of tables that differ from the version.
    """

    layout: ReleaseFiles
    outcomes: tuple[LoadedTable, ...]
    unreadable: Mapping[str, str]
    version: str | None
    departures: Mapping[str, tuple[int, int]]

    @property
    def whole(self) -> bool:
        """True if every counted record of every file is in the database."""
        return not self.unreadable and all(o.rows == o.records for o in self.outcomes)


def build(
    schema: Schema,
    layout: ReleaseFiles,
    target: Target,
    faults: Path,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    on_table: Callable[[LoadedTable], None] = lambda outcome: None,
) -> BuildReport:
    """Load a release's files into an empty database, or resume an interrupted build.

    Each table is loaded in one transaction, so that a crash leaves complete tables only; these are
    skipped when the build is resumed.

    Args:
        schema: The release's tables.
        layout: Its files, from `find_sources`.
        target: The target database, which stays open.
        faults: A folder for unreadable records, with a CSV file for each affected table.
        on_progress: Called with the progress a few times a second.
        on_table: Called with each loaded table, including those of an earlier build.

    Raises:
        UserError: If the target holds anything but an interrupted build of the same files, or is
            not writable.
    """
    ledger = Ledger(target, schema)
    done = ledger.begin(layout.sources)
    for outcome in done.values():
        on_table(outcome)
    unreadable: dict[str, str] = {}
    with open_reader() as connection:
        for source in layout.sources:
            if source.table.name in done:
                continue
            loader = TableLoader(source, target, ledger, faults, connection)
            try:
                done[source.table.name] = _load_with_progress(loader, done, layout, on_progress)
                on_table(done[source.table.name])
            except read_errors() as error:
                unreadable[source.table.name] = _reason(error)
    if not unreadable:
        ledger.end()
    return _report(schema, layout, done, unreadable)


def _load_with_progress(
    loader: TableLoader,
    done: Mapping[str, LoadedTable],
    layout: ReleaseFiles,
    on_progress: Callable[[Progress], None],
) -> LoadedTable:
    """Load a table on another thread, so that Ctrl-C is handled immediately."""
    before = sum(outcome.bytes for outcome in done.values())
    rows = sum(outcome.rows for outcome in done.values())
    total = sum(source.bytes for source in layout.sources)
    with ThreadPoolExecutor(1) as pool, _stopped_on_exception(loader):
        result = pool.submit(loader.run)
        while not _is_done(result):
            read, share = loader.progress()
            size = share * loader.source.bytes
            on_progress(Progress(loader.source.table.name, rows + read, before + size, total))
        return result.result()


def _is_done(result: Future[LoadedTable]) -> bool:
    return bool(wait([result], timeout=_TICK).done)


@contextmanager
def _stopped_on_exception(loader: TableLoader) -> Iterator[None]:
    try:
        yield
    except BaseException:
        loader.stop()
        raise


def _reason(error: Exception) -> str:
    """An explanation of a read error, or its first line."""
    reasons = (reason for message, reason in _REASONS.items() if message in str(error))
    return next(reasons, first_line(error))


def _report(
    schema: Schema,
    layout: ReleaseFiles,
    done: Mapping[str, LoadedTable],
    unreadable: Mapping[str, str],
) -> BuildReport:
    records = {table: outcome.records for table, outcome in done.items()}
    version = recognise_version(schema, records)
    return BuildReport(
        layout=layout,
        outcomes=tuple(done[s.table.name] for s in layout.sources if s.table.name in done),
        unreadable=unreadable,
        version=version,
        departures=departures(schema, version, records) if version else {},
    )
