"""A suite as a folder to share: tasks, record map, and how to make its hospital; never records."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import orjson
from pydantic import TypeAdapter, ValidationError

from wardround import __version__
from wardround.core import plugins
from wardround.core.declared import benchmark_class
from wardround.core.errors import UserError
from wardround.core.private_files import make_folder, write_whole
from wardround.core.task import digest

DESCRIPTION, CARD, TASKS, MAP = "suite.json", "README.md", "data", "record_map.toml"


@dataclass(frozen=True, slots=True)
class Hospital:
    """The options of `wardround data hospital` that make the suite's database."""

    layout: str
    patients: int
    seed: int


@dataclass(frozen=True, slots=True)
class Suite:
    """The description of a package.

    Attributes:
        benchmark: the benchmark.
        tasks: the file or folder of tasks, in the package.
        count: the number of tasks.
        digest: the digest of their content.
        licence: the licence of the tasks.
        hospital: how its database is made, if it is a made one.
        fingerprint: the digest of a database of one's own; "" for a made one, and for the
            benchmark's own records.
        has_map: True if a record map is packed.
        wardround: the version that packed it.
    """

    benchmark: str
    tasks: str
    count: int
    digest: str
    licence: str
    hospital: Hospital | None = None
    fingerprint: str = ""
    has_map: bool = False
    wardround: str = __version__

    @property
    def size(self) -> str:
        """The number of tasks in words."""
        return f"{self.count} task{'' if self.count == 1 else 's'}"


def pack(
    benchmark: str,
    tasks: Path,
    to: Path,
    *,
    licence: str,
    hospital: Hospital | None = None,
    fingerprint: str = "",
    record_map: Path | None = None,
) -> Suite:
    """Writes a package in the layout that Hugging Face `datasets` reads.

    Args:
        benchmark: the benchmark.
        tasks: its file or folder of tasks.
        to: the package, which does not exist yet.
        licence: the licence of the tasks.
        hospital: how its database is made, or None.
        fingerprint: the digest of a database that is not a made hospital, or "".
        record_map: the record map of its tables, if it has one.

    Raises:
        UserError: the folder exists, the tasks cannot be read, or beside them is a file that is not
            text, such as a database.
    """
    if to.exists():
        raise UserError(f"{to} exists already; name a new folder with --to.")
    _check_texts(tasks)
    count, content = _read(benchmark, tasks)
    make_folder(to)
    make_folder(to / TASKS)
    copied = to / TASKS / tasks.name
    (shutil.copytree if tasks.is_dir() else shutil.copyfile)(tasks, copied)
    if record_map is not None:
        shutil.copyfile(record_map, to / MAP)
    suite = Suite(
        benchmark=benchmark,
        tasks=str(copied.relative_to(to)),
        count=count,
        digest=content,
        licence=licence,
        hospital=hospital,
        fingerprint=fingerprint,
        has_map=record_map is not None,
    )
    write_whole(to / DESCRIPTION, orjson.dumps(suite, option=orjson.OPT_INDENT_2) + b"\n")
    write_whole(to / CARD, _card(suite, copied.is_dir()).encode())
    return suite


def read_package(folder: Path, benchmark: str = "") -> Suite:
    """The description of a package whose tasks are as they were packed.

    Args:
        folder: the package.
        benchmark: its benchmark, if that is not installed under a name: a package may not choose
            code that is run.

    Raises:
        UserError: it is not a package, belongs to another benchmark, or its tasks were changed.
    """
    try:
        suite = TypeAdapter(Suite).validate_json((folder / DESCRIPTION).read_bytes())
    except (OSError, ValidationError):
        raise UserError(
            f"{folder} is not a packed suite; it has no readable {DESCRIPTION}."
        ) from None
    if suite.benchmark not in (benchmark, *plugins.names(plugins.BENCHMARKS)):
        raise UserError(
            f"{folder} is of the benchmark {suite.benchmark!r}, which is not installed; install "
            "it, or name it with --benchmark if you trust it."
        )
    tasks = (folder / suite.tasks).resolve()
    if not tasks.is_relative_to(folder.resolve()):
        raise UserError(f"{folder / DESCRIPTION} names tasks outside the package.")
    if _read(suite.benchmark, tasks)[1] != suite.digest:
        raise UserError(f"The tasks of {folder} are not those that were packed.")
    return suite


def unpack(folder: Path, to: Path, benchmark: str = "") -> Suite:
    """Copies tasks and map of a package into a new folder, and checks them.

    Raises:
        UserError: the folder exists, or the package cannot be used.
    """
    suite = read_package(folder, benchmark)
    if to.exists():
        raise UserError(f"{to} exists already; name a new folder with --to.")
    make_folder(to)
    source, copied = folder / suite.tasks, to / Path(suite.tasks).name
    (shutil.copytree if source.is_dir() else shutil.copyfile)(source, copied)
    if suite.has_map:
        shutil.copyfile(folder / MAP, to / MAP)
    return suite


def _check_texts(tasks: Path) -> None:
    """Refuses files that are not text: a database beside the tasks would be packed with them."""
    for path in sorted(tasks.rglob("*")) if tasks.is_dir() else [tasks]:
        if path.is_symlink():
            raise UserError(f"{path} is a link; put the file itself there, or remove it.")
        try:
            if path.is_file():
                path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise UserError(
                f"{path} is not text, and a package holds no records; move it elsewhere."
            ) from None


def _read(benchmark: str, tasks: Path) -> tuple[int, str]:
    """The number and the digest of the tasks; a broken one is refused."""
    read = benchmark_class(benchmark).read(tasks)
    if read.defects:
        raise UserError(f"{tasks} has a broken task ({read.defects[0]}); mend it first.")
    return len(read.tasks), digest([digest(task) for task in read.tasks])


def _card(suite: Suite, is_folder: bool) -> str:
    path = f"{suite.tasks}/*" if is_folder else suite.tasks
    if suite.hospital is not None:
        made = suite.hospital
        records = (
            f"Its database is made: `wardround data hospital --layout {made.layout} "
            f"--patients {made.patients} --seed {made.seed}`. Golds quote no real patient."
        )
    elif suite.fingerprint:
        records = (
            f"Its database is not here, and has the fingerprint `{suite.fingerprint}`. **Golds may "
            "quote its records: share this package only where those may be shared.**"
        )
    else:
        records = "It is about the benchmark's own records, which no option names."
    return f"""---
license: {orjson.dumps(suite.licence).decode()}
configs:
- config_name: default
  data_files:
  - split: test
    path: {orjson.dumps(path).decode()}
tags: [wardround]
---

# {suite.size} of {suite.benchmark}

`wardround suite unpack` checks them and tells how to run them.

{records}
"""
