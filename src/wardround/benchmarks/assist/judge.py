"""Grades a trial: by programs, then by the judge where no program decides."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass

from wardround.benchmarks.assist.checks.decider import OPEN, decide_items
from wardround.benchmarks.assist.checks.evidence import evidence_of
from wardround.benchmarks.assist.checks.orders import Written
from wardround.benchmarks.assist.declaration import AssistOptions
from wardround.benchmarks.assist.rubric_judge import Judge
from wardround.benchmarks.assist.scorer import PROGRAM
from wardround.benchmarks.assist.sessions import Session, item_name
from wardround.benchmarks.assist.turns import PlayedTurn, played_turns, settings_of
from wardround.core.benchmark import JudgeContext
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import Verdict, verdict_key

VERSION = 4


@dataclass(frozen=True, slots=True)
class Graders:
    """The judge, if there is one, and the options that say what it decides."""

    options: AssistOptions
    judge: Judge | None


async def verdicts(
    task: Session, trajectory: Trajectory, graders: Graders, context: JudgeContext
) -> AsyncIterator[Verdict]:
    """Yields a verdict on each item: from programs, from the judge, or from both."""
    by_programs = list(program_verdicts(task, trajectory))
    judge, sources = graders.judge, graders.options.verdicts
    if sources != "judge":
        for verdict in by_programs:
            if judge is None or verdict.state != "undecided":
                yield verdict
    if judge is None:
        return
    decided = {v.item for v in by_programs if v.state != "undecided"}
    wanted = set() if sources == "judge" else decided
    async for verdict in judge.verdicts(task, trajectory, wanted, context):
        yield verdict


def program_verdicts(task: Session, trajectory: Trajectory) -> Iterator[Verdict]:
    """A verdict on each rubric item; those that no program decides are undecided."""
    language, played = settings_of(trajectory).language, played_turns(trajectory)
    for number, gold in enumerate(task.hidden.turns):
        turn = played[number] if number < len(played) else PlayedTurn("")
        writes = [Written(note["tool"], note["arguments"]) for note in turn.written]
        evidence = evidence_of(task.public.opening, [*played[:number], turn], task.hidden.clock)
        findings = decide_items(gold, language, turn.answer, writes, evidence)
        given = [[write.tool, dict(write.arguments)] for write in writes]
        for item, (text, finding) in enumerate(zip(gold.rubric[language], findings, strict=True)):
            key = verdict_key(PROGRAM, VERSION, text, language, turn.answer, given)
            reason = finding.reason or ("" if finding.state != "undecided" else OPEN)
            yield Verdict(item_name(number, item), PROGRAM, finding.state, reason=reason, key=key)
