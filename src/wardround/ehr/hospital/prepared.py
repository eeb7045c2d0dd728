"""Synthetic hospitals in layouts that are prepared from a published one, and renamed."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from wardround.core.errors import UserError
from wardround.core.private_files import make_folder, put_in_place
from wardround.core.scratch_folder import ScratchFolder
from wardround.ehr.database import open_source
from wardround.ehr.hospital.build import build_hospital
from wardround.ehr.ingest.new_database import new_database
from wardround.ehr.ingest.preparation import Plan, prepare
from wardround.ehr.ingest.rename import find_renaming, rename


@dataclass(frozen=True)
class Preparation:
    """The published layout that a layout is prepared from, and the time of its questions."""

    release: str
    now: datetime


PREPARED: Mapping[str, Preparation] = {
    "eicu_star": Preparation("eicu", datetime(2100, 12, 31, 23, 59))
}


def build_prepared_hospital(
    target: str | Path,
    *,
    schema: str,
    patients: int = 100,
    seed: int = 0,
    workers: int = 1,
    replace: bool = False,
    enrich: Sequence[str] = (),
    done: Callable[[int], None] = lambda people: None,
) -> dict[str, int]:
    """Write a synthetic hospital as a published release that is prepared and renamed, atomically.

    People are sampled and times shifted as for a release. Values are not exchanged between
    patients, since no real patient needs protection.

    Args:
        target: A SQLite or DuckDB file.
        schema: One of `PREPARED`.
        patients: Number of people before the preparation, which leaves out those without a stay
            or of other ages.
        seed: The random seed of people and preparation.
        workers: Number of processes.
        replace: Replace an existing target instead of refusing it.
        enrich: Names of conditions that about half of the people shall have.
        done: Called with the number of people written.

    Returns:
        Rows by table.

    Raises:
        UserError: If the target exists, or nobody is left.
    """
    path = Path(target).expanduser()
    if path.exists() and not replace:
        raise UserError(
            f"Database {path} already exists; name another, or replace it with --force."
        )
    preparation, renaming = PREPARED[schema], find_renaming(schema)
    make_folder(path.parent)
    with ScratchFolder(path.parent) as scratch:
        release, prepared = (str(scratch.path / f"{name}.duckdb") for name in ("release", "plain"))
        unfinished = scratch.path / path.name
        build_hospital(
            release,
            patients=patients,
            seed=seed,
            schema=preparation.release,
            workers=workers,
            enrich=enrich,
            done=done,
        )
        plan = Plan(seed=seed, now=preparation.now, layout=renaming.of, skip=frozenset({"shuffle"}))
        for _ in prepare(release, prepared, plan):
            pass
        with closing(open_source(prepared)) as old, new_database(str(unfinished)) as new:
            rows = {table.new: table.rows for table in rename(old, new, renaming)}
        put_in_place(unfinished, path)
    return rows
