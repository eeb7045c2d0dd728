"""The statements of attacks.txt, and the database under attack.

Run as a module it prints the expected answers of each engine by category.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

from tests.ehr.database.engines import ENGINES, made_database
from wardround.ehr.database import Database, Limits, QueryError, ResultTable, open_database

CANARY = "canary-yellow-feather"
DEADLINE = 0.1
MEMORY = 256 << 20


_TABLES = (
    "create table patients (id integer primary key, name text)",
    "insert into patients values (1, 'ann'), (2, 'bob')",
    "create table events (id integer primary key, patient integer, label text)",
    "insert into events with recursive n(i) as (select 1 union all select i + 1 from n"
    " where i < 2000) select i, 1 + i % 2, 'event number ' || i from n",
    "create index by_label on events (label)",
    "create view named as select name from patients",
)
_LINES = (
    "select id || ',' || name as line from patients order by id",
    "select id || ',' || patient || ',' || label as line from events order by id",
    "select name as line from named order by name",
)
_TRAPS = {
    "sqlite": "create view trap as select load_extension('evil') from patients",
    "duckdb": "create view trap as select 1 / 0 from patients",
    "postgres": "create view trap as select pg_read_file('/etc/passwd') from patients",
}
_WORDS = {
    "{nul}": "\0",
    "{newline}": "\n",
    "{return}": "\r",
    "{nbsp}": "\u00a0",
    "{zwsp}": "\u200b",
    "{bom}": "\ufeff",
    "COLUMNS": ", ".join(["1"] * 2000),
    "CALLS": " + ".join(["abs(1)"] * 150) + ", " + " + ".join(["abs(1)"] * 150),
    "ARGUMENTS": ", ".join(["1"] * 2000),
    "DEEP": "(" * 5000 + "1" + ")" * 5000 + " + 1" * 500,
    "COMPOUNDS": " union all ".join(["select 1"] * 3000),
    "TABLES": ", ".join(f"patients p{number}" for number in range(70)),
    "CONDITIONS": " or ".join(["1 = 2"] * 5000),
    "LONG": "x" * 60_000,
    "LIST": ", ".join(["2"] * 15_000),
}


@dataclass(frozen=True)
class Attack:
    """A statement with the expected answer of each engine: a kind of error, or `ok`."""

    category: str
    name: str
    kinds: dict[str, str]
    statement: str

    def seconds(self, engine: str) -> float:
        """The time limit in seconds; short if the limit is what stops the attack."""
        return DEADLINE if "timeout" in self.kinds[engine] else 20.0

    def is_stopped_late(self, engine: str) -> bool:
        """True if a limit of time or memory stops the running statement."""
        return "timeout" in self.kinds[engine] or "limit" in self.kinds[engine]

    def is_first_to_stop_late(self, engine: str) -> bool:
        """True for the first of the engines on which a limit stops the running statement."""
        return [each for each in self.kinds if self.is_stopped_late(each)][:1] == [engine]


@dataclass(frozen=True)
class Ward:
    """A small database under attack, in a folder with other files to protect."""

    engine: str
    database: Database
    folder: Path
    before: list[object] = field(default_factory=list)
    processes: list[Path] = field(default_factory=list)

    def answer(
        self, attack: Attack, database: Database | None = None
    ) -> tuple[str, ResultTable | None]:
        """The outcome of a statement on the database or a workspace, with its rows, if any."""
        text, seconds = self._text(attack), attack.seconds(self.engine)
        try:
            answer = (database or self.database).execute(text, seconds=seconds, memory=MEMORY)
        except QueryError as error:
            return error.kind, None
        return "ok", answer

    def is_untouched(self) -> bool:
        """True if every row and every file is unchanged since the first call."""
        now = [self._rows(), self._files()]
        self.before[:] = self.before or now
        return self.before == now

    def _rows(self) -> list[object]:
        """Every row, joined by the engine: reading thousands after each attack takes longer."""
        joined = "string_agg" if self.engine == "postgres" else "group_concat"
        columns = (f"(select {joined}(line, ';') from ({lines}) l)" for lines in _LINES)
        return [*self.database.execute(f"select {', '.join(columns)}").rows]

    def _files(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}

    def _text(self, attack: Attack) -> str:
        text = attack.statement
        for word, item in (_WORDS | {"FOLDER": str(self.folder)}).items():
            text = text.replace(word, item)
        return text


def read_attacks(file: str = "attacks.txt") -> Iterator[Attack]:
    """All attacks of a file."""
    category = ""
    for line in (Path(__file__).parent / file).read_text().splitlines():
        if line.startswith("## "):
            category = line[3:]
        elif line and not line.startswith("#"):
            name, kinds, statement = line.split("|", 2)
            answers = dict(zip(ENGINES, kinds.split(), strict=True))
            yield Attack(category, name.strip(), answers, statement.strip())


@contextmanager
def open_ward(engine: str) -> Iterator[Ward]:
    """A database under attack; any user of the machine could read the files beside it."""
    with TemporaryDirectory(prefix="ward_") as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "canary.csv").write_text(f"bird\n{CANARY}\n")
        with made_database(engine, folder, [*_TABLES, _TRAPS[engine]]) as location:
            database = open_database(location, Limits(heap_bytes=MEMORY))
            try:
                ward = Ward(engine, database, folder)
                assert ward.is_untouched()
                yield ward
            finally:
                database.close()


def peak_bytes(ward: Ward) -> int:
    """The peak memory of the processes that run statements, in bytes."""
    if ward.engine == "postgres":
        # The server is not a child process; the session of the last statement reports its own peak.
        (row,) = ward.database.execute("select pg_backend_pid()").rows
        return _peak(Path(f"/proc/{int(str(row[0]))}/status"))
    if not ward.processes or not all(each.exists() for each in ward.processes):
        # Looking for them takes longer than most attacks.
        children = psutil.Process().children(recursive=True)
        ward.processes[:] = [Path(f"/proc/{child.pid}/status") for child in children]
    return max(map(_peak, ward.processes), default=0)


def _peak(status: Path) -> int:
    if not status.exists():
        return 0
    peaks = [line for line in status.read_text().splitlines() if line.startswith("VmHWM:")]
    return int(peaks[0].split()[1]) * 1024 if peaks else 0
