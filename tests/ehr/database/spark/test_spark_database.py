"""Spark behind the database interface, on a standalone cluster of two workers of its own."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import duckdb
import pytest

from wardround.core.errors import UserError
from wardround.ehr.database import Database, Limits, QueryError, engine_of

pyspark = pytest.importorskip("pyspark", reason="Spark is not installed")
if shutil.which("java") is None:
    pytest.skip("Java is not installed", allow_module_level=True)

# Spark's client leaves its sockets to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.xdist_group("spark"),
]

ROWS = 20_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("chart")
    for table, columns in (
        (
            "labevents",
            "i AS subject_id, i % 7 AS itemid, TIMESTAMP '2100-01-01' + INTERVAL (i) MINUTE AS"
            " charttime, i * 0.5::DOUBLE AS valuenum, 'mg/dl' AS valueuom",
        ),
        ("patients", "i AS subject_id, 'f' AS gender, DATE '2050-03-01' AS dob, i = 1 AS dead"),
    ):
        (folder / table).mkdir()
        for part in range(2):
            duckdb.execute(
                f"COPY (SELECT {columns} FROM range({part * ROWS}, {(part + 1) * ROWS}) t(i))"
                f" TO '{folder}/{table}/part-{part}.parquet'"
            )
    duckdb.execute(f"COPY (SELECT 7 AS itemid, 'glucose' AS label) TO '{folder}/items.parquet'")
    return folder


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    home = Path(pyspark.__file__).parent
    work = tmp_path_factory.mktemp("cluster")
    port, page = free_port(), free_port()
    master = f"spark://127.0.0.1:{port}"
    with ExitStack() as running:
        start = [home / "bin/spark-class", "org.apache.spark.deploy.master.Master"]
        hosts = ["--host", "127.0.0.1", "--port", str(port), "--webui-port", str(page)]
        running.enter_context(process([*start, *hosts], work / "master.log"))
        wait_for(work / "master.log", "Starting Spark master")
        for number in range(2):
            log = work / f"worker-{number}.log"
            start = [home / "bin/spark-class", "org.apache.spark.deploy.worker.Worker"]
            size = ["--cores", "1", "--memory", "1g", "--webui-port", str(free_port())]
            where = ["--host", "127.0.0.1", "--work-dir", str(work / f"work-{number}"), master]
            running.enter_context(process([*start, *size, *where], log))
            wait_for(log, "Successfully registered")
        yield master
        launched = [(work / f"worker-{n}.log").read_text().count("to launch exec") for n in (0, 1)]
    assert all(launched), launched


@pytest.fixture(scope="module")
def database(cluster: str, folder: Path) -> Iterator[Database]:
    location = f"{cluster}{folder}"
    opened = engine_of(location).open(location, Limits())
    yield opened
    opened.close()


@contextmanager
def process(command: list[object], log: Path) -> Iterator[None]:
    environment = os.environ | {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_NO_DAEMONIZE": "1"}
    with log.open("w") as stream:
        words = [str(word) for word in command]
        started = subprocess.Popen(words, stdout=stream, stderr=stream, env=environment)
        try:
            yield
        finally:
            started.terminate()
            started.wait(30)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(log: Path, words: str) -> None:
    for _ in range(300):
        if words in log.read_text():
            return
        time.sleep(0.2)
    raise AssertionError(log.read_text()[-2000:])


def test_query_runs_on_the_cluster(database: Database) -> None:
    table = database.execute(
        "SELECT itemid, count(*) AS n, max(charttime) AS last FROM labevents"
        " GROUP BY itemid ORDER BY itemid LIMIT 2"
    )
    assert table.columns == ("itemid", "n", "last")
    assert table.rows == [(0, 5715, "2100-01-28 18:38:00"), (1, 5715, "2100-01-28 18:39:00")]


def test_cells_are_those_of_every_engine(database: Database) -> None:
    sql = "SELECT dob, dead, CAST(1.5 AS DECIMAL(4,2)), CAST(3 AS DECIMAL(4,0)), NULL FROM patients"
    table = database.execute(f"{sql} WHERE subject_id = 1;")
    assert table.rows == [("2050-03-01", 1, 1.5, 3, None)]


def test_rows_are_truncated_and_marked_so(database: Database) -> None:
    table = database.execute("SELECT * FROM labevents", rows=5)
    assert (len(table.rows), table.truncated) == (5, True)


def test_schema_is_described(database: Database) -> None:
    assert database.tables() == ["items", "labevents", "patients"]
    assert "charttime TIMESTAMP" in database.definition("labevents")
    assert len(database.sample("patients").rows) == 3


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("SELECT * FROM nowhere", "runtime"),
        ("SELEC 1", "syntax"),
        ("SELECT 1; SELECT 2", "syntax"),
        ("DROP VIEW labevents", "denied"),
        ("SET spark.sql.runSQLOnFiles = true", "denied"),
        ("CREATE TABLE mine AS SELECT 1", "denied"),
        ("INSERT INTO patients SELECT * FROM patients", "denied"),
        ("WITH a AS (SELECT 1) INSERT INTO patients SELECT * FROM a", "denied"),
        ("FROM patients INSERT INTO a SELECT * INSERT INTO b SELECT *", "denied"),
        ("EXECUTE IMMEDIATE 'SELECT 1'", "denied"),
        ("BEGIN SELECT 1; END", "denied"),
        ("SELECT reflect('java.lang.System', 'getenv', 'PATH')", "denied"),
        ("SELECT (SELECT try_reflect('java.lang.System', 'getenv', 'PATH'))", "denied"),
        ("SELECT java_method('java.lang.System', 'getProperty', 'user.dir')", "denied"),
        ("SELECT input_file_name() FROM patients", "denied"),
        ("SELECT _metadata.file_path FROM patients", "runtime"),
        ("SELECT TRANSFORM (subject_id) USING 'cat' AS (x) FROM patients", "denied"),
        ("SELECT * FROM csv.`/etc/passwd`", "runtime"),
        ("SELECT * FROM text.`/etc/hostname`", "runtime"),
        ("ADD JAR '/tmp/x.jar'", "denied"),
        ("SHOW TABLES", "denied"),
    ],
)
def test_only_queries_run(database: Database, sql: str, kind: str) -> None:
    before = database.fingerprint()
    with pytest.raises(QueryError) as caught:
        database.execute(sql)
    assert caught.value.kind == kind
    assert database.fingerprint() == before
    assert database.execute("SELECT count(*) FROM patients").rows == [(2 * ROWS,)]


def test_a_query_ends_at_its_deadline(database: Database) -> None:
    bomb = "SELECT sum(a.id * b.id) FROM range(100000000) a, range(100000000) b"
    with pytest.raises(QueryError, match="longer than 2 s") as caught:
        database.execute(f"{bomb} WHERE a.id % 7 = b.id % 5", seconds=2)
    assert caught.value.kind == "timeout"
    assert database.execute("SELECT count(*) FROM patients").rows == [(2 * ROWS,)]


def test_a_giant_text_ends_an_executor_and_not_the_session(database: Database) -> None:
    with pytest.raises(QueryError) as caught:
        database.execute("SELECT length(repeat('x', 2000000000)) FROM patients LIMIT 1")
    assert caught.value.kind in ("limit", "timeout")
    assert database.execute("SELECT count(*) FROM patients").rows == [(2 * ROWS,)]


def test_workspaces_are_refused(database: Database) -> None:
    with pytest.raises(UserError, match="use SQLite, DuckDB or PostgreSQL"):
        database.writable()


def test_local_session_restarts_after_a_crash(database: Database, folder: Path) -> None:
    database.close()
    location = f"spark:{folder}"
    opened = engine_of(location).open(location, Limits())
    with pytest.raises(QueryError) as caught:
        opened.execute("SELECT length(repeat('x', 2000000000)) FROM patients LIMIT 1")
    assert caught.value.kind == "limit"
    assert opened.execute("SELECT count(*) FROM patients").rows == [(2 * ROWS,)]
    opened.close()
