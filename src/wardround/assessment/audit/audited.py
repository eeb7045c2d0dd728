"""Plays the probes of an audit on a benchmark, and counts what they pass."""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from wardround.assessment.audit.attempts import Attempts, attempted
from wardround.assessment.audit.mutants import FAULTS, recorded, with_fault
from wardround.assessment.audit.probes import (
    NO_GRADING,
    REFUSAL,
    SILENCE,
    MakeProbe,
    Probe,
    probes,
)
from wardround.core.actions import Action
from wardround.core.benchmark import AgentMaker, Benchmark
from wardround.core.capabilities import AttemptValidator
from wardround.core.limits import Limits
from wardround.core.record import Outcome
from wardround.core.task import Task
from wardround.core.verdict import State
from wardround.runs.components import open_benchmark, open_models
from wardround.runs.rehearsal import environments, in_grading, rehearse
from wardround.runs.settings import RunSettings

# More actions than a probe needs to come to the end of a task that has one.
_ACTIONS = 40


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """The tasks that a probe passes.

    Attributes:
        probe: the probe.
        passed: the ids of the tasks that it passes, by grading.
        undecided: the ids of the tasks that nothing decided, by grading.
        tasks: the ids of the tasks that it played.
        judged: the number of items that a language model judged, by its decision.
        user_errors: the ids of the tasks in which the simulated user broke its rules.
    """

    probe: Probe
    passed: Mapping[str, frozenset[str]]
    undecided: Mapping[str, frozenset[str]]
    tasks: frozenset[str]
    judged: Mapping[State, int] = field(default_factory=dict)
    user_errors: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Audit:
    """The results of all probes.

    Attributes:
        source: where the tasks are from.
        gradings: the gradings, the deciding one first.
        results: the probes' results, the refusal's first.
        gold: the ids of the tasks whose gold passes, by grading.
        tasks: the ids of all tasks.
        has_judge: True if a language model judges.
        mutants: the results of golds with one fault.
        attempts: the attacks on a run, by class of flaw.
        rules: what each grading counts, in words.
        has_user: True if a validator tells trials that the simulated user spoiled.
    """

    source: str
    gradings: Sequence[str]
    results: Sequence[ProbeResult]
    gold: Mapping[str, frozenset[str]]
    tasks: frozenset[str]
    has_judge: bool
    mutants: Sequence[ProbeResult] = ()
    attempts: Mapping[str, Attempts] = field(default_factory=dict)
    rules: Mapping[str, str] = field(default_factory=dict)
    has_user: bool = False

    def base(self, grading: str) -> frozenset[str]:
        """The tasks whose right answer is a refusal: saying nothing at all does not pass them."""
        refusing, silent = (self._passed(name, grading) for name in (REFUSAL, SILENCE))
        return refusing - silent

    def _passed(self, probe: str, grading: str) -> frozenset[str]:
        result = next(each for each in self.results if each.probe.name == probe)
        return result.passed.get(grading, frozenset())

    def beyond(self, result: ProbeResult, grading: str) -> frozenset[str]:
        """The tasks that a probe passes, without those whose right answer is a refusal."""
        return result.passed.get(grading, frozenset()) - self.base(grading)

    def together(self, grading: str) -> frozenset[str]:
        """The tasks that any probe passes, without those whose right answer is a refusal."""
        return frozenset().union(*(self.beyond(each, grading) for each in self.results))


def audited(
    settings: RunSettings, done: Callable[[int, int, str], None] = lambda n, of, name: None
) -> Audit:
    """Plays all probes on the chosen tasks.

    Args:
        settings: the settings of a run; its agent is not asked.
        done: called with the number of probes that are over, their number, and the next one's name.

    Raises:
        UserError: the tasks or a database cannot be read.
    """
    gradings = [each.name for each in settings.declaration.gradings] or [""]
    results: dict[str, ProbeResult] = {}
    mutants: dict[str, ProbeResult] = {}
    attempts: dict[str, Attempts] = {}
    gold: dict[str, frozenset[str]] = {}
    source, tasks, has_user = "", frozenset[str](), False
    for environment, names in environments(settings.declaration, "").items():
        models = open_models(settings)
        benchmark = open_benchmark(in_grading(settings, environment), models)
        try:
            suite = benchmark.load(settings.tasks, settings.tasks_chosen)
            source, tasks = suite.source, tasks | {task.id for task in suite.tasks}
            has_user = isinstance(benchmark, AttemptValidator)
            work = _played(benchmark, suite.tasks, settings, names, done)
            played, faulty, passed = asyncio.run(work)
        finally:
            benchmark.close()
        if not attempts:
            done(len(probes()), len(probes()), "attacks the run and sends code")
            attempts = attempted(in_grading(settings, environment), suite.tasks)
        gold |= passed
        for each in played:
            results[each.probe.name] = _joined(results.get(each.probe.name), each)
        for each in faulty:
            mutants[each.probe.name] = _joined(mutants.get(each.probe.name), each)
    first = settings.grading or gradings[0]
    ordered = [first, *(name for name in gradings if name != first)]
    return Audit(
        source,
        ordered,
        list(results.values()),
        gold,
        tasks,
        "judge" in settings.models,
        list(mutants.values()),
        attempts,
        {each.name: each.summary for each in settings.declaration.gradings},
        has_user,
    )


def _joined(before: ProbeResult | None, now: ProbeResult) -> ProbeResult:
    """The results of a probe in several environments."""
    if before is None:
        return now
    return replace(
        now,
        passed={**before.passed, **now.passed},
        undecided={**before.undecided, **now.undecided},
        tasks=before.tasks | now.tasks,
        judged=Counter(before.judged) + Counter(now.judged),
        user_errors=before.user_errors | now.user_errors,
    )


async def _played(
    benchmark: Benchmark,
    tasks: Sequence[Task[Any, Any]],
    settings: RunSettings,
    gradings: Sequence[str],
    done: Callable[[int, int, str], None],
) -> tuple[list[ProbeResult], list[ProbeResult], dict[str, frozenset[str]]]:
    """The results of the probes and of the mutants, and the tasks whose gold passes."""
    limits = Limits(
        min(_ACTIONS, settings.limits.actions),
        settings.limits.seconds,
        settings.limits.statement_seconds,
    )
    limited = settings.model_copy(update={"actions": limits.actions})
    everything = probes()
    results = []
    for number, probe in enumerate(everything):
        done(number, len(everything), probe.name)
        results.append(await _probed(benchmark, probe, tasks, limited, gradings))
    actions: dict[str, list[Action]] = {task.id: [] for task in tasks}
    knowing = Probe(
        "gold", "", lambda opened, task, others: recorded(opened.oracle(task), actions[task.id])
    )
    gold = await _probed(benchmark, knowing, tasks, settings, gradings)
    mutants = []
    for fault in FAULTS:
        done(len(everything), len(everything), f"gives a gold with {fault}")
        faulty = Probe(fault, NO_GRADING, _with_fault(fault, actions))
        mutants.append(await _probed(benchmark, faulty, tasks, settings, gradings))
    return results, mutants, dict(gold.passed)


def _with_fault(fault: str, actions: Mapping[str, Sequence[Action]]) -> MakeProbe:
    def make_probe(
        benchmark: Benchmark, task: Task[Any, Any], tasks: Sequence[Task[Any, Any]]
    ) -> AgentMaker | None:
        return with_fault(benchmark.oracle(task), actions[task.id], fault)

    return make_probe


async def _probed(
    benchmark: Benchmark,
    probe: Probe,
    tasks: Sequence[Task[Any, Any]],
    settings: RunSettings,
    gradings: Sequence[str],
) -> ProbeResult:
    passed: dict[str, set[str]] = {name: set() for name in gradings}
    undecided: dict[str, set[str]] = {name: set() for name in gradings}
    played = set[str]()
    judged = Counter[State]()
    spoiled = set[str]()
    free = asyncio.Semaphore(settings.concurrency)

    async def play(task: Task[Any, Any]) -> None:
        agent = probe.make(benchmark, task, tasks)
        if agent is None:
            return
        async with free:
            scored = await rehearse(benchmark, agent, task, settings, gradings)
        played.add(task.id)
        last = next(iter(scored.values())).last
        judged.update(each.state for each in last.verdicts if each.source.startswith("model:"))
        if last.outcome is Outcome.USER_ERROR:
            spoiled.add(task.id)
        for name, trial in scored.items():
            if trial.last.outcome is Outcome.PASSED:
                passed[name].add(task.id)
            elif trial.last.outcome is None or not trial.last.outcome.scored:
                undecided[name].add(task.id)

    await asyncio.gather(*map(play, tasks))
    return ProbeResult(
        probe,
        {name: frozenset(ids) for name, ids in passed.items()},
        {name: frozenset(ids) for name, ids in undecided.items()},
        frozenset(played),
        judged,
        frozenset(spoiled),
    )
