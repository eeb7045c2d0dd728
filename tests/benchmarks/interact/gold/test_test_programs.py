"""Test programs on a database, with cases in `programs.toml`, and their confinement."""

import textwrap
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from wardround.benchmarks.interact.gold.test_programs import ENTRY, check
from wardround.core.errors import InfraError
from wardround.ehr.database import Database
from wardround.ehr.database.postgres.statements import Start
from wardround.ehr.database.postgres.values import Values
from wardround.ehr.database.postgres.workspace import PostgresWorkspaceDriver
from wardround.sandbox.fork_server import ForkServer
from wardround.sandbox.lockdown import Bounds
from wardround.sandbox.test_programs.namespace import MODULES
from wardround.sandbox.test_programs.program import read_program
from wardround.sandbox.test_programs.run import Finished
from wardround.scoring.published_functions import RUNNERS

_PROGRAMS = tomllib.loads((Path(__file__).parent / "programs.toml").read_text("utf-8"))["programs"]
_SUBMITTED = ["INSERT INTO wards VALUES ('Ward 4', 8)"]


@pytest.fixture(scope="module")
def processes() -> Iterator[ForkServer]:
    with closing(ForkServer(ENTRY)) as opened:
        yield opened


def _program(body: str) -> str:
    head = "def test_case(pred_sqls, sol_sqls, db_name, conn):"
    return f"{head}\n{textwrap.indent(body.strip(), '    ')}\n"


def _checked(body: str, start: Start, processes: ForkServer, seconds: float = 20) -> Finished:
    bounds = Bounds(silent=seconds, whole=2 * seconds)
    return check(_program(body), _SUBMITTED, ["SELECT 1"], start, processes, [(2,)], bounds)


@pytest.mark.parametrize("case", _PROGRAMS, ids=[case["name"] for case in _PROGRAMS])
def test_test_programs_match_the_file(
    case: dict[str, Any], start: Start, processes: ForkServer, ward_database: Database
) -> None:
    checked = _checked(case["body"], start, processes, case.get("seconds", 20))
    assert (checked.state, case.get("reason", "") in checked.reason) == (
        case["state"],
        True,
    )
    assert "patient" not in checked.reason
    start.restore()
    assert start.workspace.fingerprint() == ward_database.fingerprint()


@pytest.mark.parametrize("name", sorted(RUNNERS))
def test_functions_that_run_statements_are_known(name: str) -> None:
    program = read_program(_program(f"return {name}(pred_sqls, sol_sqls, db_name, conn)"), RUNNERS)
    assert program.runs_statements


def test_allowed_modules_can_be_imported(start: Start, processes: ForkServer) -> None:
    body = "\n".join(f"import {module}" for module in MODULES)
    assert _checked(body, start, processes).state == "passed"


def test_system_calls_without_an_audit_event_are_refused(
    start: Start, processes: ForkServer
) -> None:
    checked = _checked("import os\nassert os.stat('/')", start, processes)
    if checked.gaps:
        pytest.skip(checked.gaps[0])
    assert checked.state == "broken"
    assert "PermissionError" in checked.reason


def test_invalid_request_fails_only_its_program(start: Start, processes: ForkServer) -> None:
    for body in ("conn._run(5)", "remove_round([5, None, [1]])", "remove_round('x' * 30_000_000)"):
        assert _checked(body, start, processes).state in ("passed", "failed", "broken")
    assert _checked("return True", start, processes).state == "passed"


def test_programs_run_concurrently(ward_database: Database, processes: ForkServer) -> None:
    body = """
execute_queries(pred_sqls, db_name, conn)
return execute_queries("SELECT COUNT(*) FROM wards", db_name, conn)[0] == [(4,)]"""

    def trial(_: int) -> str:
        with closing(ward_database.writable()) as workspace:
            return _checked(body, Start(workspace), processes).state

    with ThreadPoolExecutor(6) as threads:
        assert set(threads.map(trial, range(18))) == {"passed"}


def test_no_connections_or_processes_remain(start: Start, processes: ForkServer) -> None:
    if not Path("/proc/self/fd").exists():
        pytest.skip("open files are not told on this system")
    assert _checked("return True", start, processes).state == "passed"
    assert processes._zygote is not None
    before = _open_files()
    for _ in range(20):
        assert _checked("import os\nos._exit(0)", start, processes).state == "broken"
    # Other threads open files too, such as copies of databases.
    assert _open_files() < before + 10
    zygote = processes._zygote.pid
    assert not Path(f"/proc/{zygote}/task/{zygote}/children").read_text().split()


def _open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_dead_server_is_reported_and_ends_the_program(
    start: Start, processes: ForkServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(self: PostgresWorkspaceDriver, sql: str, **_: object) -> Values:
        raise InfraError("The connection was lost.")

    monkeypatch.setattr(PostgresWorkspaceDriver, "values", die)
    with pytest.raises(InfraError, match="connection was lost"):
        _checked("execute_queries(pred_sqls)\nwhile True: pass", start, processes)
    assert processes._zygote is not None
    zygote = Path(f"/proc/{processes._zygote.pid}/task/{processes._zygote.pid}/children")
    assert not zygote.exists() or not zygote.read_text().split()


def test_fork_server_restarts_after_it_was_killed(start: Start) -> None:
    with closing(ForkServer(ENTRY)) as processes:
        assert _checked("return True", start, processes).state == "passed"
        assert processes._zygote is not None
        processes._zygote.kill()
        with pytest.raises(InfraError, match="process"):
            _checked("return True", start, processes)
        assert _checked("return True", start, processes).state == "passed"
        processes.close()
        processes.close()
