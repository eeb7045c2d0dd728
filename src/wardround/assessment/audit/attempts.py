"""Attacks on a run: by a hostile program in place of the agent, and by texts run as code."""

import asyncio
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson

from wardround.assessment.audit.hostile.agent import PLACE, REPORT
from wardround.assessment.audit.hostile.attack import ATTACKS
from wardround.assessment.audit.hostile.targets import left_behind, prepared_targets
from wardround.assessment.audit.injections import Marks, injecting
from wardround.core.benchmark import Benchmark
from wardround.core.errors import UserError
from wardround.core.locations import is_url
from wardround.core.private_files import write_whole
from wardround.core.record import Outcome
from wardround.core.run_check import check_run
from wardround.core.run_document import TRIALS
from wardround.core.run_reader import read_trajectory, read_trials
from wardround.core.task import Task
from wardround.runs.components import open_benchmark, open_models
from wardround.runs.rehearsal import rehearse
from wardround.runs.settings import RunSettings
from wardround.runs.start import Listener, start_run

APART = "agent and grader not apart"
ANSWERS = "answers shipped with the test"
CODE = "evaluation of untrusted text as code"
TRUST = "trust in what the agent's side reports"
RIGHTS = "more rights than needed"

_KINDS = {
    APART: ("grader",),
    ANSWERS: ("answers",),
    TRUST: ("forge",),
    RIGHTS: ("databases", "network", "stay"),
}
_JUDGE = "judge"
_TASKS = 3
_SEARCH_SECONDS = 15.0  # how long files are searched for the gold
# Shorter texts of a gold are found by chance.
_LEAST_LETTERS, _MOST_TEXTS = 24, 5


@dataclass(frozen=True, slots=True)
class Attempts:
    """The attacks of one class.

    Attributes:
        tried: their number.
        worked: the names of those that worked.
        problem: why none was tried; "" otherwise.
    """

    tried: int
    worked: tuple[str, ...] = ()
    problem: str = ""


def attempted(settings: RunSettings, tasks: Sequence[Task[Any, Any]]) -> dict[str, Attempts]:
    """Carries out all attacks on a few tasks, by the class of flaw that they would show.

    Programs alone grade what is sent: a language model does not run it, and its verdict is not
    looked at.

    Args:
        settings: the settings of a run; its agent is not asked.
        tasks: the tasks of its benchmark.
    """
    others = {role: model for role, model in settings.models.items() if role != _JUDGE}
    settings = settings.model_copy(update={"models": others})
    with _opened(settings) as benchmark:
        before = benchmark.fingerprints()
        sent, run_as_code = _injected(settings, benchmark, tasks[:_TASKS])
    attempts = {CODE: Attempts(sent, tuple(run_as_code)), **_attacked(settings, tasks[:_TASKS])}
    with _opened(settings) as benchmark:
        after = benchmark.fingerprints()
    if after != before:
        rights = attempts[RIGHTS]
        changed = (*rights.worked, "the database was changed")
        attempts[RIGHTS] = Attempts(rights.tried + 1, changed)
    return attempts


@contextmanager
def _opened(settings: RunSettings) -> Iterator[Benchmark]:
    """The benchmark with its tasks loaded."""
    with closing(open_benchmark(settings, open_models(settings))) as benchmark:
        benchmark.load(settings.tasks, settings.tasks_chosen)
        yield benchmark


def _injected(
    settings: RunSettings, benchmark: Benchmark, tasks: Sequence[Task[Any, Any]]
) -> tuple[int, list[str]]:
    """The number of texts sent, and the effects of those that were run."""
    with TemporaryDirectory() as folder:
        marks = Marks(Path(folder))
        injections = list(marks.injections())

        async def send() -> None:
            for number, each in enumerate(injections):
                maker = injecting(benchmark, marks, each)
                await rehearse(benchmark, maker, tasks[number % len(tasks)], settings, ("",))

        asyncio.run(send())
        return len(injections), marks.worked()


def _attacked(settings: RunSettings, tasks: Sequence[Task[Any, Any]]) -> dict[str, Attempts]:
    """The attacks of a hostile program that plays a run in place of the agent."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        run = folder / "run"
        all_kinds = ",".join(kind for kinds in _KINDS.values() for kind in kinds)
        with prepared_targets(
            folder, run, _secrets(settings), _gold_texts(tasks), _SEARCH_SECONDS
        ) as targets:
            hostile = settings.model_copy(
                update={
                    "agent": PLACE,
                    "agent_settings": {
                        "kinds": all_kinds,
                        "targets": orjson.dumps(targets).decode(),
                    },
                    "task": tuple(task.id for task in tasks),
                    "limit": None,
                    "actions": 2,
                    "attempts": 1,
                    "concurrency": 1,
                }
            )
            try:
                start_run(hostile, run, Listener(lambda _: None, lambda _: None), force=False)
                got = _reported(run)
            except UserError as error:  # such as that nothing here can confine it
                return dict.fromkeys(_KINDS, Attempts(0, problem=str(error)))
            left = left_behind(targets)
        worked = {flaw: [n for kind in kinds for n in got[kind]] for flaw, kinds in _KINDS.items()}
        worked[TRUST] += _forged(run, folder / "forged")
        worked[RIGHTS] += left
    return {
        flaw: Attempts(sum(len(ATTACKS[kind]) for kind in kinds), tuple(worked[flaw]))
        for flaw, kinds in _KINDS.items()
    }


def _reported(run: Path) -> Mapping[str, Mapping[str, str]]:
    """The attacks that worked, as the program said in its first action.

    Raises:
        UserError: it said nothing, so it is not known what it did.
    """
    for trial in read_trials(run):
        for text in read_trajectory(run, trial.trajectory).said_by("agent"):
            if text.startswith(f'{{"{REPORT}"'):
                report: Mapping[str, Mapping[str, str]] = orjson.loads(text)[REPORT]
                return report
    raise UserError("The hostile program did not come to say what it got.")


def _forged(run: Path, copy: Path) -> Iterator[str]:
    """The gains of a changed run: of the run after the attacks, and of a copy with more passes."""
    if check_run(run).mismatches:
        yield "the run was changed"
    if any(trial.outcome is Outcome.PASSED for trial in read_trials(run)):
        yield "a trial passed"
    shutil.copytree(run, copy)
    trials = (copy / TRIALS).read_bytes()
    for outcome in Outcome:
        trials = trials.replace(f'"outcome":"{outcome}"'.encode(), b'"outcome":"passed"')
    write_whole(copy / TRIALS, trials)
    if any(trial.outcome is Outcome.PASSED for trial in read_trials(copy)):
        yield "a changed outcome counts"


def _secrets(settings: RunSettings) -> list[Path]:
    """The files of tasks and databases."""
    named = [Path(each) for each in settings.databases.values() if not is_url(each)]
    if settings.tasks is not None:
        named += [settings.tasks]
    return [
        file
        for path in named
        for file in ([path] if path.is_file() else sorted(path.rglob("*")))
        if file.is_file()
    ]


def _gold_texts(tasks: Sequence[Task[Any, Any]]) -> list[str]:
    """The longest texts of each task's hidden part that its public part does not hold."""
    texts: list[str] = []
    for task in tasks:
        public = list(_texts(task.public))
        hidden = {
            text
            for text in _texts(task.hidden)
            if len(text) >= _LEAST_LETTERS and not any(text in each for each in public)
        }
        texts += sorted(hidden, key=len, reverse=True)[:_MOST_TEXTS]
    return texts


def _texts(value: Any) -> Iterator[str]:
    """All texts in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif is_dataclass(value):
        for each in fields(value):
            yield from _texts(getattr(value, each.name))
    elif isinstance(value, Sequence | set | frozenset) and not isinstance(value, bytes):
        for each in value:
            yield from _texts(each)
