"""Faults of golds: facts that no call tells, and results that are not those recorded.

Only sessions have golds with recorded results.
"""

from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any

from wardround.benchmarks.assist.checks.evidence import Evidence, evidence_of
from wardround.benchmarks.assist.checks.lexicon import is_negated, meanings
from wardround.benchmarks.assist.checks.recomputed_scores import named_results
from wardround.benchmarks.assist.checks.sentences import segments, sentences
from wardround.benchmarks.assist.checks.sources import unsourced
from wardround.benchmarks.assist.record import instant
from wardround.benchmarks.assist.sessions import GoldTurn, Session
from wardround.benchmarks.assist.tasks import is_published
from wardround.benchmarks.assist.tools.arguments import STRICT, Shapes
from wardround.benchmarks.assist.tools.compaction import compact
from wardround.benchmarks.assist.tools.desk import Desk
from wardround.benchmarks.assist.turns import (
    PlayedTurn,
    SessionSettings,
    played_turns,
    settings_of,
)
from wardround.core.capabilities import GoldDefects
from wardround.core.record import Outcome
from wardround.core.task import Defect
from wardround.core.trajectory import Trajectory
from wardround.core.trial import FinishedTrial
from wardround.ehr.fhir.charts import Chart
from wardround.ehr.terms.chinese import TermKind
from wardround.ehr.text.dates import days, has_date
from wardround.ehr.text.mentions import mentions
from wardround.ehr.text.quantities import POINTS, Quantity, quantities

_DOSES = ("mg", "g", "mcg", "units", "mEq", "tablet")
_SCORED = ("", "mL/min")  # units of scores
_COUNTED = ("", POINTS, "day", "week", "hour", "month", "year", "times", "step", *_DOSES)
_ADVICE = frozenset({"suggest", "check", "again", "stop", "start", "less", "more"})


def reviewed(trial: FinishedTrial, failure: str, chart: Chart, shapes: Shapes) -> GoldDefects:
    """The faults of a session's gold after its trial.

    An item that a gold answer fails without failing its turn is a known fault, as is a result of
    the record that differs from the published session. An undecided item is not a fault.
    """
    task: Session = trial.task
    last = trial.last
    decided = last.outcome is not Outcome.UNSCORED or last.measures is None
    errors = [
        *([Defect(task.id, failure)] if failure and decided else ()),
        *differing_results(task, last.trajectory, shapes),
        *(
            _defect(task, turn, f"a fact of its gold answer is in no result: {fact}")
            for turn, fact in untraced_facts(task, last.trajectory)
        ),
    ]
    failed_items = list(_failed_items(task, last.measures, shapes))
    changed = () if _settings(trial).recorded else differing_record(task, chart, shapes)
    (failed_items if is_published(task.id) else errors).extend(changed)
    return GoldDefects(tuple(errors), tuple(failed_items))


def differing_results(task: Session, trajectory: Trajectory, shapes: Shapes) -> Iterator[Defect]:
    """The gold reads of a trial that did not return what was recorded for them."""
    language = settings_of(trajectory).language
    for number, (turn, gold) in enumerate(_turns(task, trajectory)):
        if len(turn.calls) != len(gold.calls):
            count = f"{len(turn.calls)} of {len(gold.calls)}"
            yield _defect(task, number, f"not all of its gold calls are carried out: {count}")
        for played, call in zip(turn.calls, gold.calls, strict=False):
            if call.reads and played.result != compact(call.observations[language], shapes):
                yield _defect(task, number, f"a gold call returns another result: {call.tool}")


def differing_record(task: Session, chart: Chart, shapes: Shapes) -> Iterator[Defect]:
    """The gold reads for which the record has other values than were recorded.

    Golds are recorded with the tools of `strict`: its clock hides no part of the last day.
    """
    gold = task.hidden
    calls = [(number, call) for number, turn in enumerate(gold.turns) for call in turn.calls]
    with closing(chart.workspace(gated=False)) as server:
        clock = instant(gold, server)
    with closing(chart.workspace(clock)) as server:
        desk = Desk(server, gold.subject, gold.admission, clock)
        for number, call in calls if shapes == STRICT else ():
            if call.reads:
                result = compact(desk.read(call.tool, call.arguments), STRICT)
                if _values(result) != _values(compact(call.observations["en"], STRICT)):
                    yield _defect(task, number, f"the record has other values: {call.tool}")


def untraced_facts(task: Session, trajectory: Trajectory) -> Iterator[tuple[int, str]]:
    """The facts of gold answers that no call, question or patient has told up to their turn."""
    language, played = settings_of(trajectory).language, played_turns(trajectory)
    for number, (_, gold) in enumerate(_turns(task, trajectory)):
        evidence = evidence_of(task.public.opening, played[: number + 1], task.hidden.clock)
        for fact in dict.fromkeys(_untraced(gold.answers[language], evidence)):
            yield number, fact


def _failed_items(
    task: Session, measures: Mapping[str, Any] | None, shapes: Shapes
) -> Iterator[Defect]:
    """The turns whose gold answer fails an item of its own rubric."""
    for number, turn in enumerate(measures["turns"] if measures else ()):
        failed = turn["items"] - turn["passed"][shapes] - turn["undecided"][shapes]
        if failed:
            yield _defect(task, number, f"its gold answer fails items of its rubric: {failed}")


def _turns(task: Session, trajectory: Trajectory) -> Iterator[tuple[PlayedTurn, GoldTurn]]:
    return zip(played_turns(trajectory), task.hidden.turns, strict=False)


def _settings(trial: FinishedTrial) -> SessionSettings:
    return settings_of(trial.last.trajectory)


def _defect(task: Session, turn: int, reason: str) -> Defect:
    return Defect(task.id, f"{reason}, in turn {turn}")


def _values(text: str) -> tuple[list[tuple[float, str]], frozenset[str]]:
    """The quantities and dates of a result."""
    return sorted((each.value, each.unit) for each in quantities(text)), days(text)


def _untraced(answer: str, evidence: Evidence) -> Iterator[str]:
    """The dates, numbers and drugs of an answer that do not stand in the lines of the evidence.

    A number of a test or drug has to come from the lines that name it, or be the days between any
    two dates; that of a score may be computed again from them. Advice may name drugs and doses of
    its own.
    """
    lines = [line for text in evidence.texts for line in text.splitlines()]
    known_dates = {date for line in lines for date in days(line)}
    yield from (date for date in sorted(days(answer)) if not has_date(known_dates, date))
    years = {float(date[:4]) for date in known_dates}
    named = [(line, _names(line)) for line in lines]
    all_names = frozenset(name for _, names in named for name in names)
    for part in _statements(answer):
        yield from sorted(_names(part, "drug") - all_names)
        about = _names(part)
        if about.isdisjoint(all_names) and any(map(_is_measured, quantities(part))):
            yield from sorted(_names(part, "test"))
        sources = (
            [line for line, names in named if names & about] if about & all_names else list(lines)
        )
        for number in unsourced(part, (*sources, *known_dates)):
            if number.unit in ("", "year") and number.value in years:
                continue
            if number.unit in _SCORED and number.value in _score_totals(part, evidence):
                continue
            if number.unit not in _COUNTED or number.value > 10 or not number.value.is_integer():
                yield f"{number.value:g} {number.unit}".strip()


def _score_totals(text: str, evidence: Evidence) -> frozenset[int]:
    """The totals of the scores that a text names, as the evidence gives them."""
    scores = named_results(text, evidence)
    return frozenset(round(score.assumed) for score in scores if score.assumed is not None)


def _statements(answer: str) -> Iterator[str]:
    """The parts of an answer that state facts; of a sentence with advice, those with numbers."""
    for sentence in sentences(answer):
        advises = _advises(sentence)
        for part in segments(sentence):
            numbers = quantities(part)
            if any(map(_is_measured, numbers)) or not (_advises(part) if numbers else advises):
                yield part


def _names(text: str, *kinds: TermKind) -> frozenset[str]:
    """The tests and drugs that a text names."""
    return frozenset(mention.name for mention in mentions(text, *(kinds or ("test", "drug"))))


def _advises(text: str) -> bool:
    return is_negated(text) or bool(meanings(text) & _ADVICE)


def _is_measured(number: Quantity) -> bool:
    """True for a number with a laboratory's or chart's unit, or with decimals and no unit."""
    return number.unit not in _COUNTED or (not number.unit and number.decimals > 0)
