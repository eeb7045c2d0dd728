"""BigQuery behind the database interface: Google's client against a recorded conversation."""

import json
import re
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, ClassVar

import pytest

from bench.json_server import listening
from wardround.core.errors import UserError
from wardround.ehr.database import Database, Limits, QueryError, engine_of
from wardround.ehr.database.bigquery.driver import BigQueryDriver
from wardround.ehr.database.bigquery.location import read_location

bigquery = pytest.importorskip("google.cloud.bigquery", reason="BigQuery's client is missing")

LINES = Path(__file__).with_name("conversation.jsonl").read_text().splitlines()
CONVERSATION = [json.loads(line) for line in LINES if line.strip()]
DATASETS = "data.mimiciv_hosp,data.mimiciv_icu?most_bytes=1000000"


class Played(BaseHTTPRequestHandler):
    """Answers a request with the first matching line of the recording."""

    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        self._answer(json.loads(self.rfile.read(length) or b"{}"))

    def _answer(self, body: dict[str, Any]) -> None:
        path = self.path.partition("?")[0]
        for line in CONVERSATION:
            fits = line["method"] == self.command and re.fullmatch(line["path"], path)
            if fits and holds(body, line.get("body", {})):
                self.asked.append(f"{self.command} {path}")
                return self._send(line.get("status", 200), line["answer"], body)
        error = {"code": 404, "message": f"not in the conversation: {body}"}
        return self._send(404, {"error": error}, {})

    def _send(self, status: int, answer: Any, body: dict[str, Any]) -> None:
        if "jobReference" in body:
            answer = {**answer, "jobReference": body["jobReference"]}
        content = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Suppress logging."""


def holds(body: Any, wanted: Any) -> bool:
    """True if the body contains everything required."""
    if isinstance(wanted, dict):
        return all(key in body and holds(body[key], value) for key, value in wanted.items())
    return bool(body == wanted)


@pytest.fixture
def database() -> Iterator[Database]:
    from google.api_core.client_options import ClientOptions
    from google.auth.credentials import AnonymousCredentials

    Played.asked = []
    with listening(Played) as address:
        client = bigquery.Client(
            project="mine",
            credentials=AnonymousCredentials(),
            client_options=ClientOptions(api_endpoint=address),
        )
        datasets = read_location(f"bigquery://mine/{DATASETS}")
        with closing(Database(BigQueryDriver(datasets, Limits(), client))) as opened:
            yield opened


def test_query_runs_after_a_dry_run(database: Database) -> None:
    table = database.execute("SELECT subject_id, dod FROM patients", rows=2)
    assert table.columns == ("subject_id", "dod", "gone")
    assert table.rows == [(1, "2100-03-01", 1), (2, None, 0)]
    assert table.truncated
    dry, run = [line for line in Played.asked if line.startswith("POST")]
    assert dry == run == "POST /bigquery/v2/projects/mine/jobs"


@pytest.mark.parametrize(
    ("sql", "kind", "words"),
    [
        ("DELETE FROM patients WHERE true", "denied", "not DELETE"),
        ("SELECT 1; SELECT 2", "denied", "not SCRIPT"),
        ("SELECT * FROM other.secrets", "denied", "not other.secrets"),
        ("SELECT * FROM chartevents", "limit", "would scan 40,000,000,000 bytes"),
        ("SELEC 1", "syntax", "Syntax error"),
        ("SELECT nothing FROM patients", "runtime", "Unrecognized name"),
        ("SELECT * FROM forbidden", "denied", "Access Denied"),
    ],
)
def test_refused_query_never_runs(database: Database, sql: str, kind: str, words: str) -> None:
    with pytest.raises(QueryError, match=words) as caught:
        database.execute(sql)
    assert caught.value.kind == kind
    assert len(Played.asked) == 1


def test_the_schema_comes_without_a_query(database: Database) -> None:
    assert database.tables() == ["admissions", "patients", "mimiciv_icu.icustays"]
    assert "subject_id INTEGER NOT NULL" in database.definition("patients")
    assert "stay_id" in database.definition("mimiciv_icu.icustays")
    assert len(database.fingerprint()) == 32
    assert not any(line.startswith("POST") for line in Played.asked)


def test_writing_is_refused(database: Database) -> None:
    with pytest.raises(UserError, match="use SQLite, DuckDB or PostgreSQL"):
        database.writable()
    location = "bigquery://mine/own"
    with pytest.raises(UserError, match="BigQuery's own tools"):
        engine_of(location).write(location)


@pytest.mark.parametrize(
    "location", ["bigquery:", "bigquery://mine", "bigquery://a/b?most_bytes=x"]
)
def test_malformed_location_is_refused(location: str) -> None:
    with pytest.raises(UserError, match="write bigquery://PROJECT/DATASET"):
        engine_of(location).open(location, Limits())
