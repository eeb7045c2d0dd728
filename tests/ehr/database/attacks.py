"""The statements of attacks.txt, and the database that they are let at."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

from tests.ehr.database.engines import ENGINES, made_database
from wardround.ehr.database import Database, Limits, QueryError, ResultTable, open_database

CANARY = "canary-yellow-feather"
DEADLINE = 0.5
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
_TRAPS = {
    "sqlite": "create view trap as select load_extension('evil') from patients",
    "duckdb": "create view trap as select 1 / 0 from patients",
    "postgres": "create view trap as select pg_read_file('/etc/passwd') from patients",
}
_WORDS = {
    "{nul}": "\0",
    "{newline}": "\n",
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
    """A statement, and what each engine answers: a kind of error, or `ok` where it is harmless."""

    name: str
    kinds: dict[str, str]
    statement: str


@dataclass(frozen=True)
class Ward:
    """A small database under attack, in a folder with files that nobody may read."""

    engine: str
    database: Database
    folder: Path
    before: list[object] = field(default_factory=list)

    def answer(self, attack: Attack, seconds: float) -> tuple[str, ResultTable | None]:
        """How a statement ended, and its rows if it gave any."""
        try:
            return "ok", self.database.execute(self._text(attack), seconds=seconds, memory=MEMORY)
        except QueryError as error:
            return error.kind, None

    def is_untouched(self) -> bool:
        """Whether every row and every file is as it was when this was first asked."""
        now = [self._rows(), self._files()]
        self.before[:] = self.before or now
        return self.before == now

    def _rows(self) -> list[list[tuple[object, ...]]]:
        return [
            list(self.database.execute(f"select * from {table} order by 1", rows=None).rows)
            for table in ("patients", "events", "named")
        ]

    def _files(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}

    def _text(self, attack: Attack) -> str:
        text = attack.statement
        for word, meant in (_WORDS | {"FOLDER": str(self.folder)}).items():
            text = text.replace(word, meant)
        return text


def read_attacks() -> Iterator[Attack]:
    """Every attack of the file."""
    for line in (Path(__file__).parent / "attacks.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, kinds, statement = line.split("|", 2)
            answers = dict(zip(ENGINES, kinds.split(), strict=True))
            yield Attack(name.strip(), answers, statement.strip())


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


def peak_bytes() -> int:
    """The most memory that any process that runs statements here has held so far."""
    return max(map(_peak, psutil.Process().children(recursive=True)), default=0)


def _peak(process: psutil.Process) -> int:
    status = Path(f"/proc/{process.pid}/status")
    if not status.exists():
        return 0
    peaks = [line for line in status.read_text().splitlines() if line.startswith("VmHWM:")]
    return int(peaks[0].split()[1]) * 1024 if peaks else 0


def _summary() -> str:
    """How many statements each engine answers how, as a table; the tests hold the file to it."""
    attacks = list(read_attacks())
    lines = ["| answer | " + " | ".join(ENGINES) + " |", "|---|" + "---:|" * len(ENGINES)]
    for kind in ("denied", "timeout", "timeout/limit", "limit", "syntax", "runtime", "ok"):
        counts = (sum(attack.kinds[engine] == kind for attack in attacks) for engine in ENGINES)
        lines.append(f"| {kind} | " + " | ".join(map(str, counts)) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(_summary())
