"""Attacks on an assessment: folders that a person edits, and agents that look around.

Other attacks are tried where their defence is: on the rules in `test_decision.py`, on agents'
confinement in `tests/agents/isolated`, on the lines of runs in `tests/core/test_run_check.py`.
"""

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from tests.apps.commands import Cli
from tests.assessment.test_assess import assessed, hospital, nobody, one_key
from wardround.assessment.play import Part, notices_on_others, play, played_suite
from wardround.core.capabilities import Consultable
from wardround.core.declared import benchmark_class
from wardround.core.errors import UserError
from wardround.core.record import Outcome
from wardround.core.run_reader import counted_trials, read_all_trials, read_trajectory, read_trials
from wardround.core.seeds import derive_seed
from wardround.runs.open_run import settings_of
from wardround.runs.resume import resume_run
from wardround.runs.start import Listener, start_run

__all__ = ["one_key"]

LISTENER = Listener(lambda started: None, lambda trial: None)
# Tells its seed, what an earlier trial left, and which files it can read or write.
SPY = """
import json, os
from pathlib import Path
from wardround.core.actions import Say

SEEN = []

def open_agents(model):
    return Spy

def can(work):
    try:
        work()
    except OSError:
        return False
    return True

class Spy:
    def __init__(self, briefing, context):
        self.seed = context.seed
        self.facts = dict(briefing.facts)

    async def act(self, observation):
        mark = Path(os.environ["HOME"], "seen")
        told = {
            "seed": self.seed,
            "facts": str(self.facts),
            "left": bool(SEEN) or mark.exists(),
            "reads": [can(Path(path).read_bytes) for path in PATHS],
            "writes": [can(Path(path).with_name("left").touch) for path in PATHS],
        }
        SEEN.append(1)
        mark.touch()
        return Say(f"<answer>{json.dumps(told)}</answer>")
"""


def part_of(out: Path) -> Part:
    """The part whose tasks are conversations, with its suite in the folder."""
    folder = next(
        path
        for path in sorted((out / "runs").iterdir())
        if issubclass(benchmark_class(settings_of(path).benchmark), Consultable)
        and not settings_of(path).injected
    )
    settings = settings_of(folder)
    assert settings.tasks is not None
    where = settings.tasks.parts[settings.tasks.parts.index("suites") :]
    return Part(settings.model_copy(update={"tasks": out.joinpath(*where)}), folder)


@pytest.fixture
def part(cli: Cli, tmp_path: Path) -> Part:
    return part_of(assessed(cli, tmp_path))


@pytest.fixture
def played(part: Part, tmp_path: Path) -> Part:
    """The part with a run that was not moved, so that it can be resumed."""
    fresh = Part(part.settings, tmp_path / "fresh" / "runs" / part.name)
    start_run(fresh.settings, fresh.folder, LISTENER, force=False)
    return fresh


def changed(part: Part, **settings: object) -> Part:
    return Part(part.settings.model_copy(update=settings), part.folder)


@pytest.mark.parametrize(
    "settings", [{"agent": "parser"}, {"seed": 7}, {"attempts": 30}, {"unconfined": True}]
)
def test_a_run_of_another_agent_is_not_taken(part: Part, settings: dict[str, object]) -> None:
    play(part, nobody)
    with pytest.raises(UserError, match="has trials of another run"):
        play(changed(part, **settings), nobody)


def test_a_run_at_other_tasks_is_not_taken(part: Part) -> None:
    tasks = part.settings.tasks
    assert tasks is not None
    tasks.write_text(tasks.read_text("utf-8").replace("You want", "You wish", 1), "utf-8")
    with pytest.raises(UserError, match="are of another tasks than this assessment"):
        play(part, nobody)


def test_a_run_on_another_database_is_not_taken(part: Part, tmp_path: Path) -> None:
    copy = Path(shutil.copy(hospital(), tmp_path / "copy.sqlite"))
    copy.chmod(0o600)
    with sqlite3.connect(copy) as connection:
        connection.execute("DELETE FROM labresults WHERE rowid % 2")
    connection.close()
    (name,) = part.settings.databases
    with pytest.raises(UserError, match=r"are of another .*database than this assessment"):
        play(changed(part, databases={name: str(copy)}), nobody)


def test_a_run_of_another_key_is_not_taken(
    part: Part, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WARDROUND_RUN_KEY", str(tmp_path / "other.key"))
    with pytest.raises(UserError, match="was written with another key"):
        play(part, nobody)


def test_removed_trials_are_judged_again_and_not_played_again(played: Part) -> None:
    trials, trajectories = (played.folder / f"{name}.jsonl" for name in ("trials", "trajectories"))
    before, size = read_trials(played.folder), trajectories.stat().st_size
    trials.write_bytes(b"".join(trials.read_bytes().splitlines(keepends=True)[:-1]))
    play(played, nobody)
    assert [each.trajectory for each in read_trials(played.folder)] == [
        each.trajectory for each in before
    ]
    assert trajectories.stat().st_size == size


def test_a_trial_that_is_repeated_counts_as_it_was_first(played: Part) -> None:
    first = read_trials(played.folder)
    resume_run(played.folder, LISTENER, again={Outcome.PASSED, Outcome.FAILED})
    assert len(read_all_trials(played.folder)) == 2 * len(first)
    assert counted_trials(played.folder) == first != read_trials(played.folder)
    assert list(played_suite(played).trials) == first


def test_an_agent_at_other_tasks_is_no_comparison(
    part: Part, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    assert notices_on_others([part.folder.parents[1]]) == []
    start_run(changed(part, limit=1).settings, other / "runs" / "talk", LISTENER, force=False)
    with pytest.raises(UserError, match="has trials at other tasks than"):
        played_suite(part, other / "runs" / "talk")
    monkeypatch.setenv("WARDROUND_RUN_KEY", str(tmp_path / "other.key"))
    (notice,) = notices_on_others([other])
    assert notice.startswith("Beside: Not verified")


@pytest.mark.integration
def test_an_agent_learns_nothing_of_the_assessment_or_its_earlier_trials(
    part: Part, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert part.settings.agent_process == "trial"
    out = part.folder.parents[1]
    paths = [part.settings.tasks, out / "assessment.json", tmp_path / "policy.toml", hospital()]
    (tmp_path / "policy.toml").write_text("rules = []")
    source = f"PATHS = {[str(path) for path in paths]}\n{SPY}"
    (tmp_path / "spy_agent.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    spied = changed(part, agent="spy_agent:open_agents", trials=2, limit=2, actions=1)
    run = tmp_path / "spied"
    start_run(spied.settings, run, LISTENER, force=False)
    records = read_trials(run)
    told = [
        json.loads(said.removeprefix("<answer>").removesuffix("</answer>"))
        for record in records
        for said in read_trajectory(run, record.trajectory).said_by("agent")
    ]
    assert len(told) == len(records) >= 2
    seeds = {each["seed"] for each in told}
    assert len(seeds) == len(told)
    for record, each in zip(records, told, strict=True):
        assert not each["left"]
        assert not any(each["reads"] + each["writes"])
        assert record.task not in each["facts"]
        # The seed that an agent of wardround's own would get.
        own = {derive_seed(derive_seed(0, record.task, n, 0), "agent") for n in range(3)}
        assert not seeds & own

    (tmp_path / "spy_agent.py").write_text(f"{source}\n# another agent\n")
    with pytest.raises(UserError, match=r"The agent's files of .* have changed"):
        resume_run(run, LISTENER, again=frozenset())
