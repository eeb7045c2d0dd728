"""A record on disk, shared and read-only; workspaces are opened on it."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Self

import orjson

from wardround.core.errors import UserError
from wardround.core.locations import check_readable
from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.search.snapshot import Snapshots
from wardround.ehr.fhir.store.builder import Validation
from wardround.ehr.fhir.store.file_format import FORMAT, is_record
from wardround.ehr.fhir.store.overlay import Overlay
from wardround.ehr.fhir.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Record:
    """An R4 record in a file.

    Attributes:
        path: the file.
        zone: the name of the time zone of times without an offset.
        validation: the treatment of written resources that are not R4: refused, or taken with
            their defects named.
        fingerprint: a digest of its resources.
        source: the place that they came from.
    """

    path: Path
    zone: str
    validation: Validation
    fingerprint: str
    source: str

    @classmethod
    def open(cls, path: Path) -> Self:
        """Opens a record.

        Raises:
            UserError: the file does not exist, or is not a record of this version.
        """
        check_readable(path)
        if not is_record(path):
            raise UserError(
                f"{path} is no FHIR record; make one with `wardround data fhir --from X --to Y`."
            )
        try:
            with closing(connect(path)) as opened:
                meta = dict(opened.execute("SELECT name, value FROM meta"))
        except sqlite3.DatabaseError as error:
            raise UserError(f"The record {path} is damaged ({error}); make it again.") from None
        if meta.get("format") != FORMAT:
            raise UserError(f"{path} has another format than this version; make it again.")
        names = ("zone", "validation", "fingerprint", "source")
        return cls(path, *(meta[name] for name in names))

    def resources(self) -> Iterator[Resource]:
        """All resources as they were loaded, encounters first."""
        order = "SELECT body FROM resource WHERE known_until IS NULL ORDER BY type <> 'Encounter'"
        with closing(connect(self.path)) as opened:
            for (body,) in opened.execute(f"{order}, key"):
                yield orjson.loads(body)

    def workspace(
        self,
        clock: datetime | Callable[[], datetime] | None = None,
        *,
        gated: bool = True,
        writes: Path | None = None,
        validation: Validation | None = None,
        writable: bool = True,
        snapshots: Snapshots | None = None,
    ) -> Workspace:
        """Opens the record for one reader; nobody else sees this reader's writes.

        Args:
            clock: the time of the reader, with a zone; None for the real one.
            gated: hide everything that is not known at the clock; without a clock nothing is.
            writes: a file that keeps the writes, made if missing; by default they are gone when the
                workspace is closed.
            validation: another treatment of resources that are not R4 than the record's.
            writable: whether its capability statement names writes.
            snapshots: the results with further pages, if other workspaces share them.
        """
        overlay = Overlay.open(self.path, writes)
        return Workspace(
            overlay,
            zone=self.zone,
            fingerprint=self.fingerprint,
            clock=clock,
            gated=gated,
            validation=validation or self.validation,
            writable=writable,
            snapshots=snapshots,
        )


def connect(path: Path) -> sqlite3.Connection:
    """A read-only connection to a record's file."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
