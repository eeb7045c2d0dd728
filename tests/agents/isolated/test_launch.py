"""What a confined agent sees, what may be allowed, and what is refused."""

import json
import os
import pickle
import shutil
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import wardround
from wardround.agents.isolated import launch as launching
from wardround.agents.isolated import protected_files
from wardround.agents.isolated.exchange import described, train
from wardround.agents.isolated.launch import confinement_of, launch
from wardround.agents.isolated.program import AgentProgram
from wardround.agents.isolated.protected_files import check_readable
from wardround.core.confinement import Confinement, Kind
from wardround.core.errors import UserError
from wardround.sandbox.confinement import LANDLOCK, NAMESPACES, SECCOMP, available

MODES = [(NAMESPACES, LANDLOCK, SECCOMP), (LANDLOCK, SECCOMP)]
AGENT = """
import os, sys
from pathlib import Path

def open_agents(model):
    return None

def train(database, pairs, seed, progress, to):
    import sqlite3
    connection = sqlite3.connect(f"file:{database}?mode=ro&immutable=1", uri=True)
    progress(chr(27) + "learning")
    tried = []
    for path in (database, to.parent.parent / "beside", SECRET):
        try:
            open(path, "r+")
            tried.append(str(path))
        except OSError:
            pass
    rows = connection.execute("SELECT * FROM ward").fetchall()
    to.write_text(f"{rows} {pairs} {seed} {tried} {'KEY' in os.environ}")

def link(database, pairs, seed, progress, to):
    to.symlink_to(SECRET)

def fail(database, pairs, seed, progress, to):
    raise KeyError("weights")
"""


@pytest.fixture(params=MODES, ids="-".join)
def mechanisms(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    mode: tuple[str, ...] = request.param
    if not set(mode) <= set(available()):
        pytest.skip(f"this system has {available()} only")
    monkeypatch.setattr(launching, "available", lambda: mode)
    return mode


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AgentProgram:
    secret = tmp_path / "secret"
    secret.write_text("gold")
    folder = tmp_path / "code"
    folder.mkdir()
    (folder / "loose_agent.py").write_text(AGENT.replace("SECRET", repr(str(secret))))
    monkeypatch.chdir(folder)
    return AgentProgram("loose_agent:open_agents", {}, run=tmp_path / "runs" / "1")


def made(tmp_path: Path) -> dict[str, Path]:
    """Things that an agent must not read, by kind."""
    run, database = tmp_path / "old" / "run", tmp_path / "data" / "notes.bin"
    run.mkdir(parents=True)
    for name in ("run.json", "trials.jsonl"):
        (run / name).write_text("{}")
    database.parent.mkdir()
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE ward (bed)")
        connection.execute("INSERT INTO ward VALUES (7)")
    checkout = tmp_path / "checkout"
    for part in ("src/wardround/benchmarks", "src/wardround/authoring", "tests/core"):
        (checkout / part).mkdir(parents=True)
    (checkout / "src/wardround/ehr/hospital").mkdir(parents=True)
    cluster = tmp_path / "cluster"
    (cluster / "base").mkdir(parents=True)
    (cluster / "PG_VERSION").write_text("18")
    return {
        "run": run,
        "around a run": run.parent,
        "in a run": run / "trials.jsonl",
        "database": database,
        "around a database": database.parent,
        "in a server": cluster / "base",
        "tests of a checkout": checkout / "tests",
        "in tests of a checkout": checkout / "tests" / "core",
        "around a checkout": checkout,
        "suite": Path(wardround.__file__).parent / "benchmarks",
        "around all": Path("/"),
    }


def test_what_holds_a_run_a_suite_or_a_database_is_not_allowed(tmp_path: Path) -> None:
    if not available():
        pytest.skip("nothing here can confine a process")
    for path in made(tmp_path).values():
        program = AgentProgram("loose_agent:open_agents", {}, allowed=(f"read:{path}",))
        with pytest.raises(UserError, match=r"is refused, since .* a run, a suite or a database"):
            confinement_of(program)
    own = tmp_path / "tasks.json"
    own.write_text("[]")
    program = AgentProgram("a:b", {}, allowed=(f"read:{tmp_path}",), protected=(own,))
    with pytest.raises(UserError, match="is refused"):
        confinement_of(program)


@pytest.mark.parametrize("path", ["/proc", "/proc/self", "/proc/kmsg"])
def test_other_processes_are_not_allowed(path: str) -> None:
    if not available():
        pytest.skip("nothing here can confine a process")
    with pytest.raises(UserError, match="is refused, since /proc shows other processes"):
        confinement_of(AgentProgram("loose_agent:open_agents", {}, allowed=(f"read:{path}",)))


def test_only_what_may_be_a_database_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, size in (("odd", 1000), ("empty", 0), ("page", 4096), ("named.sqlite", 7)):
        (tmp_path / name).write_bytes(b"x" * size)
    opened: list[str] = []
    monkeypatch.setattr(protected_files, "_is_database", lambda path: opened.append(path.name))
    check_readable(tmp_path, (), "read:folder")
    assert sorted(opened) == ["named.sqlite", "page"]


def test_a_folder_with_too_many_entries_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protected_files, "_MOST_ENTRIES", 10)
    (tmp_path / "inner").mkdir()
    for number in range(10):
        (tmp_path / "inner" / str(number)).touch()
    with pytest.raises(UserError, match=r"has more than 10 files and folders.* a smaller one"):
        check_readable(tmp_path, (), "read:folder")
    check_readable(tmp_path / "inner", (), "read:folder")


def test_a_folder_with_a_pipe_is_allowed_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    check_readable(tmp_path, (), "read:folder")
    check_readable(tmp_path / "pipe", (), "read:pipe")


@pytest.mark.parametrize(
    ("allowed", "complaint"),
    [
        ("env:NO_SUCH_KEY", "a variable that is not set"),
        ("read:/no/such/file", "path that does not exist"),
    ],
)
def test_what_is_not_there_is_not_allowed(allowed: str, complaint: str) -> None:
    if not available():
        pytest.skip("nothing here can confine a process")
    with pytest.raises(UserError, match=complaint):
        confinement_of(AgentProgram("loose_agent:open_agents", {}, allowed=(allowed,)))


def test_a_database_among_a_commands_arguments_is_refused(tmp_path: Path) -> None:
    if not available():
        pytest.skip("nothing here can confine a process")
    database = made(tmp_path)["database"]
    with pytest.raises(UserError, match=r"The argument .* is refused"):
        confinement_of(AgentProgram(f"exec:cat {database}", {}))


def test_nothing_runs_where_nothing_confines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launching, "available", lambda: ())
    program = AgentProgram("exec:cat", {})
    with pytest.raises(UserError, match="add --unconfined"):
        confinement_of(program)
    with pytest.raises(UserError, match="add --unconfined"), launch(program):
        pass
    open_program = AgentProgram("exec:cat", {}, unconfined=True)
    assert confinement_of(open_program) == Confinement(Kind.UNCONFINED)


def test_a_run_inside_the_agents_package_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mechanisms: tuple[str, ...]
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "__init__.py").write_text("")
    monkeypatch.chdir(tmp_path)
    program = AgentProgram("mine.agent:open_agents", {}, run=tmp_path / "mine" / "runs" / "1")
    with pytest.raises(UserError, match="name another with --out"):
        confinement_of(program)


LOOK = """
import json, os
def read(path):
    try:
        return open(path).read()
    except OSError as error:
        return None
print(json.dumps([read(path) for path in PATHS] + [sorted(os.environ)]))
"""


def looked(tmp_path: Path, *paths: Path, allowed: tuple[str, ...] = ()) -> Any:
    """What a confined script reads of some paths, and its environment."""
    script = tmp_path / "look.py"  # not arguments, since files among these are seen
    script.write_text(LOOK.replace("PATHS", repr([str(path) for path in paths])))
    program = AgentProgram(f"exec:{sys.executable} -I {script}", {}, allowed=allowed)
    with launch(program) as start:
        done = subprocess.run(start.command, env=start.environment, capture_output=True, text=True)
    return json.loads(done.stdout or "null"), done.stderr


def test_allowed_files_and_variables_are_there_and_others_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mechanisms: tuple[str, ...]
) -> None:
    monkeypatch.setenv("MODEL_KEY", "k")
    monkeypatch.setenv("PGPASSWORD", "p")
    for name in ("own", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)
    (tmp_path / "link").symlink_to(tmp_path / "own")
    files = [tmp_path / "own/file", tmp_path / "other/file", tmp_path / "link/file"]
    allowed = (f"read:{tmp_path / 'link'}", "env:MODEL_KEY")
    [own, other, linked, names], errors = looked(tmp_path, *files, allowed=allowed)
    assert (own, other, linked) == ("own", None, "own"), errors
    assert "MODEL_KEY" in names
    assert "PGPASSWORD" not in names


def test_training_sees_its_database_and_pairs_and_writes_its_output(
    tmp_path: Path,
    agent: AgentProgram,
    mechanisms: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("KEY", "k")
    database = made(tmp_path)["database"]
    before = database.read_bytes()
    output = tmp_path / "output"
    output.mkdir()
    (tmp_path / "beside").write_text("")
    pairs = tmp_path / "pairs"
    pairs.write_bytes(pickle.dumps(["a pair"]))
    steps: list[str] = []
    to = output / "trained.model"
    train(agent, "loose_agent:train", pairs, str(database), 3, to, steps.append)
    assert to.read_text() == "[(7,)] ['a pair'] 3 [] False"
    assert steps == ["learning …"]
    assert database.read_bytes() == before
    to.unlink()
    with pytest.raises(UserError, match="is not a file or folder"):
        train(agent, "loose_agent:link", pairs, str(database), 3, to, steps.append)
    with pytest.raises(UserError, match="KeyError: 'weights'"):
        train(agent, "loose_agent:fail", pairs, str(database), 3, output / "b", steps.append)
    with pytest.raises(UserError, match="a confined process reaches no server"):
        train(agent, "loose_agent:train", pairs, "postgresql:ward", 3, to, steps.append)


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_a_script_runs_by_the_interpreter_it_names(
    tmp_path: Path, mechanisms: tuple[str, ...]
) -> None:
    script = tmp_path / "agent.js"
    script.write_text("#!/usr/bin/env node\nconsole.log('ready')\n")
    script.chmod(0o755)
    with launch(AgentProgram(f"exec:{script}", {})) as start:
        done = subprocess.run(start.command, env=start.environment, capture_output=True, text=True)
    assert done.stdout == "ready\n"


def test_what_an_agent_imports_is_found_or_named(
    tmp_path: Path, agent: AgentProgram, mechanisms: tuple[str, ...]
) -> None:
    (tmp_path / "code" / "needing_agent.py").write_text("import beside_it\n" + AGENT)
    (tmp_path / "code" / "beside_it.py").write_text("")
    needing = AgentProgram("needing_agent:open_agents", {})
    with pytest.raises(UserError, match=r"No module named 'beside_it'.* --agent-allow read:FOLDER"):
        described(needing)
    allowed = replace(needing, allowed=(f"read:{tmp_path / 'code'}",))
    assert described(allowed)["train"] == ""
    with pytest.raises(UserError, match="No module named 'no_agent'"):
        described(AgentProgram("no_agent:open_agents", {}))


def test_suites_in_another_copy_of_wardround_are_hidden(
    tmp_path: Path, mechanisms: tuple[str, ...]
) -> None:
    package = tmp_path / "env/lib/python3.11/site-packages/wardround"
    for part in ("benchmarks", "core"):
        (package / part).mkdir(parents=True)
        (package / part / "file").write_text(part)
    script = tmp_path / "env/bin/look"
    script.parent.mkdir()
    files = [package / "benchmarks/file", package / "core/file"]
    look = LOOK.replace("PATHS", repr(list(map(str, files))))
    script.write_text(f"#!{sys.executable} -I\n{look}")
    script.chmod(0o755)
    with launch(AgentProgram(f"exec:{script}", {})) as start:
        done = subprocess.run(start.command, env=start.environment, capture_output=True, text=True)
    assert json.loads(done.stdout)[:2] == [None, "core"]
