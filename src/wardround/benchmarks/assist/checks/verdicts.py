"""Verdicts of the deciders on the items of a session."""

from collections.abc import Iterator

from wardround.benchmarks.assist.checks.accounting import future_days, unaccounted
from wardround.benchmarks.assist.checks.answer_language import language_of
from wardround.benchmarks.assist.checks.compiler import turn_checks
from wardround.benchmarks.assist.checks.decider import decide
from wardround.benchmarks.assist.checks.evidence import TurnEvidence, turn_evidence
from wardround.benchmarks.assist.checks.model import stored_check
from wardround.benchmarks.assist.tasks import Language, Session, item_name
from wardround.benchmarks.assist.turns import PlayedTurn, played_turns, settings_of
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import Verdict, program_source, verdict_key

SOURCE = program_source("checks")
VERSION = 1  # raise it when checks decide otherwise


def program_verdicts(task: Session, trajectory: Trajectory) -> Iterator[Verdict]:
    """A verdict on each item, undecided where no program can tell."""
    language = settings_of(trajectory).language
    turns = played_turns(trajectory)
    for number, gold in enumerate(task.hidden.turns):
        played = [*turns, *[PlayedTurn("")] * (number + 1 - len(turns))]
        evidence = turn_evidence(
            played, number, gold, language, task.hidden.clock, task.public.opening
        )
        yield from turn_verdicts(task, number, played[number].answer, language, evidence)


def turn_verdicts(
    task: Session, number: int, answer: str, language: Language, evidence: TurnEvidence
) -> Iterator[Verdict]:
    """A verdict on each item of a turn."""
    checks = turn_checks(evidence.gold, f"{task.id}, turn {number}")
    for item, check in enumerate(checks):
        found = decide(check, answer, language, evidence)
        key = verdict_key(SOURCE, VERSION, stored_check(check), answer, evidence.written)
        yield Verdict(item_name(number, item), SOURCE, found.state, reason=found.reason, key=key)


def remarks(answer: str, evidence: TurnEvidence) -> list[str]:
    """Faults of an answer that no item need ask for: numbers, dates, the language."""
    unknown = [f"{q.value:g} {q.unit}".strip() for q in unaccounted(answer, evidence)]
    late = future_days(answer, evidence.clock)
    found = language_of(answer)
    wrong = found is not None and found != evidence.language
    return [
        *([f"numbers without a source: {', '.join(unknown)}"] if unknown else []),
        *([f"later than the session: {', '.join(late)}"] if late else []),
        *([f"the answer is in {found}, not {evidence.language}"] if wrong else []),
    ]
