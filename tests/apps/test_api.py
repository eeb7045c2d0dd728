"""wardround from Python: runs with agents that are objects, in and outside an event loop."""

import asyncio
import builtins
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import wardround
from wardround.agents.isolated import launch
from wardround.apps import api
from wardround.core.record import Outcome, TrialRecord
from wardround.core.trajectory import Said
from wardround.runs.resume import resume_run
from wardround.runs.start import Listener
from wardround.sandbox.confinement import available

# The benchmark of the plug-in that tests install.
SITE = Path(__file__).parents[1] / "plugin" / "site"
TRIAGE = "triage_plugin.declaration:BENCHMARK"

QUIET = Listener(lambda started: None, lambda record: None)


class Farewell:
    """Says one thing, and keeps where it was made and what it was given."""

    made: list["Farewell"] = []  # noqa: RUF012

    def __init__(self, briefing: wardround.Briefing, context: wardround.AgentContext) -> None:
        self.briefing, self.context = briefing, context
        self.thread = threading.current_thread()
        self.loop = asyncio.get_running_loop()
        Farewell.made.append(self)

    async def act(self, observation: wardround.Observation) -> wardround.Action:
        return wardround.Say("I do not know: <answer>nothing</answer>")


@pytest.fixture(autouse=True)
def _triage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SITE))
    Farewell.made.clear()


def test_agent_is_created_once_a_trial(tmp_path: Path) -> None:
    finished: list[TrialRecord] = []
    run = wardround.run(
        TRIAGE,
        agent=Farewell,
        trials=2,
        limit=2,
        grading="strict",
        out=tmp_path / "run",
        progress=finished.append,
    )
    assert len(Farewell.made) == 4
    assert len({made.context.seed for made in Farewell.made}) == 4
    assert sorted(t.key for t in finished) == sorted(t.key for t in run.trials())
    assert all(trial.outcome is Outcome.FAILED for trial in run.trials())
    assert run.summary().tables["triage"].rows


def test_named_agent_and_benchmark_options_are_accepted(tmp_path: Path) -> None:
    run = wardround.run(
        TRIAGE,
        agent="oracle",
        task="str?ke",
        limit=1,
        out=tmp_path / "run",
        ward="west",
    )
    assert [trial.outcome for trial in run.trials()] == [Outcome.PASSED]
    settings = run.settings()["settings"]
    assert settings["agent"] == "oracle"
    assert settings["options"]["ward"] == "west"
    assert run.settings()["confinement"]["kind"] == "own"


def test_run_loads_from_its_folder(tmp_path: Path) -> None:
    made = wardround.run(TRIAGE, agent=Farewell, limit=1, out=tmp_path / "run")
    run = wardround.load_run(str(tmp_path / "run"))
    assert run == made
    [trial] = run.trials()
    events = run.trajectory(trial.task).events
    assert Said("agent", "I do not know: <answer>nothing</answer>") in events
    with pytest.raises(wardround.UserError, match=f"no finished trial 1 of task {trial.task!r}"):
        run.trajectory(trial.task, 1)
    with pytest.raises(wardround.UserError, match="is not a run"):
        wardround.load_run(tmp_path)


def test_data_frame_has_a_row_for_each_trial_and_flat_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = wardround.run(TRIAGE, agent=Farewell, trials=2, limit=1, out=tmp_path / "run")
    frame = run.to_pandas()
    assert list(frame["trial"]) == [0, 1]
    assert {"outcome", "scores.strict", "counts.actions"} <= set(frame.columns)
    assert not any(isinstance(value, dict | list) for value in frame.iloc[0])
    original_import = builtins.__import__

    def without_pandas(name: str, *rest: Any) -> Any:
        if name == "pandas":
            raise ImportError(name)
        return original_import(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_pandas)
    with pytest.raises(wardround.UserError, match="pip install pandas"):
        run.to_pandas()


async def test_run_works_where_an_event_loop_is_running(tmp_path: Path) -> None:
    wardround.run(TRIAGE, agent=Farewell, limit=1, out=tmp_path / "run")
    [made] = Farewell.made
    assert made.thread is not threading.current_thread()
    assert made.loop is not asyncio.get_running_loop()
    with pytest.raises(wardround.UserError, match="no option --colour"):
        wardround.run(TRIAGE, agent=Farewell, colour="red")


async def test_run_async_stays_in_the_running_event_loop(tmp_path: Path) -> None:
    loop = asyncio.get_running_loop()
    await wardround.run_async(TRIAGE, agent=Farewell, limit=1, out=tmp_path / "run")
    assert [made.loop for made in Farewell.made] == [loop]
    assert await asyncio.to_thread(lambda: True), "the loop's own threads are as before"


async def test_an_interrupt_ends_a_run_on_its_thread(tmp_path: Path) -> None:
    class Waiting(Farewell):
        async def act(self, observation: wardround.Observation) -> wardround.Action:
            threading.Timer(0.1, lambda: signal.pthread_kill(main, signal.SIGINT)).start()
            await asyncio.sleep(60)
            raise AssertionError

    main = threading.get_ident()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            wardround.run(TRIAGE, agent=Waiting, limit=1, out=tmp_path / "run", seconds=30)
    finally:
        signal.signal(signal.SIGINT, before)
    assert wardround.load_run(tmp_path / "run").trials() == []


def test_python_object_agent_is_marked_and_refused_by_processes_and_resume(tmp_path: Path) -> None:
    run = wardround.run(TRIAGE, agent=Farewell, limit=1, out=tmp_path / "run")
    assert run.settings()["confinement"]["kind"] == "object"
    assert run.settings()["settings"]["agent"] == f"{__name__}:Farewell"
    with pytest.raises(wardround.UserError, match=r"used a Python object .* start a new run"):
        resume_run(run.folder, QUIET, again=frozenset())
    with pytest.raises(wardround.UserError, match="runs in one process: leave out processes"):
        wardround.run(TRIAGE, agent=Farewell, processes=2, out=tmp_path / "other")
    assert not (tmp_path / "other").exists()


FAREWELL = """
import wardround

class Farewell:
    async def act(self, observation):
        return wardround.Say("I do not know: <answer>nothing</answer>")

def open_agents(model):
    return lambda briefing, context: Farewell()
"""


@pytest.mark.parametrize("processes", [1, 2])
def test_named_agent_runs_in_a_separate_process_and_resumes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processes: int
) -> None:
    name = f"farewell_{processes}"
    (tmp_path / f"{name}.py").write_text(FAREWELL)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    run = wardround.run(
        TRIAGE,
        agent=f"{name}:open_agents",
        trials=2,
        limit=2,
        grading="strict",
        processes=processes,
        unconfined=not available(),
    )
    assert [trial.outcome for trial in run.trials()] == [Outcome.FAILED] * 4
    assert name not in sys.modules
    assert run.settings()["confinement"]["kind"] == ("confined" if available() else "unconfined")
    assert run.folder.name.startswith(f"triage_plugin.declaration-BENCHMARK-{name}-open_agents")
    resume_run(run.folder, QUIET, again=frozenset({Outcome.FAILED}))
    assert len(run.trials()) == 4


def test_a_run_does_not_go_on_with_less_confinement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if len(available()) < 3:
        pytest.skip(f"this system has {available()} only")
    (tmp_path / "farewell_less.py").write_text(FAREWELL)
    monkeypatch.chdir(tmp_path)
    run = wardround.run(TRIAGE, agent="farewell_less:open_agents", limit=1)
    assert run.settings()["confinement"]["mechanisms"] == list(available())
    monkeypatch.setattr(launch, "available", lambda: ("landlock", "seccomp"))
    with pytest.raises(wardround.UserError, match="and here namespaces cannot be used"):
        resume_run(run.folder, QUIET, again=frozenset({Outcome.FAILED}))


def test_agent_that_fails_to_open_leaves_no_run(tmp_path: Path) -> None:
    for processes in (1, 2):
        with pytest.raises(wardround.UserError, match="'os:system' cannot be opened"):
            wardround.run(TRIAGE, agent="os:system", processes=processes, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"trials": 0}, "'trials' is wrong: Input should be greater"),
        ({"colour": "red"}, "no option --colour"),
        ({"base_url": "http://127.0.0.1:1/v1"}, "--base-url needs --model"),
        ({"database": "nowhere.sqlite"}, "nowhere.sqlite"),
    ],
)
def test_invalid_options_are_reported(
    options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(wardround.UserError, match=message):
        wardround.run(TRIAGE, agent="oracle", out=tmp_path / "run", **options)


def test_names_are_imported_on_first_use() -> None:
    code = (
        "import sys, wardround; assert 'pydantic' not in sys.modules; "
        "assert 'wardround.core' not in sys.modules; wardround.Say; "
        "assert set(wardround.__all__) <= set(dir(wardround)); "
        "[getattr(wardround, name) for name in wardround.__all__]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = wardround.nothing  # type: ignore[attr-defined]


def test_maker_labels() -> None:
    assert api._label(Farewell) == f"{__name__}:Farewell"
    from functools import partial

    assert api._label(partial(Farewell)) == "functools:partial"


async def test_a_driver_opens_trials_as_a_run_does(tmp_path: Path) -> None:
    async with wardround.open_trials(TRIAGE, seed=3, task="*") as trials:
        async with trials.session(trials.tasks[0]) as session:
            while not session.is_over:
                await session.open()
                observation = await session.start()
                while not observation.done:
                    observation = await session.step(wardround.Say("I do not know."))
                await session.end()
            driven = await session.finish()
        with pytest.raises(wardround.UserError, match="no task 'none'"):
            trials.session("none")
    run = await wardround.run_async(
        TRIAGE, agent=Farewell, seed=3, task=trials.tasks[0], out=tmp_path / "run"
    )
    (record,) = run.trials()
    assert (driven.seed, driven.last.outcome) == (record.seed, record.outcome)


async def test_a_mistake_of_a_driver_is_one_sentence() -> None:
    with pytest.raises(wardround.UserError, match="attempts"):
        async with wardround.open_trials(TRIAGE, attempts=0):
            pass
