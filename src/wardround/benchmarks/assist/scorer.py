"""Scores a session: the share of rubric items passed in each turn, by every grading."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction

from wardround.benchmarks.assist.checks.evidence import evidence_of
from wardround.benchmarks.assist.checks.sentences import refuses
from wardround.benchmarks.assist.checks.sources import later_dates, without_source
from wardround.benchmarks.assist.declaration import PAPER, STRICT
from wardround.benchmarks.assist.sessions import (
    WRITES,
    Session,
    Source,
    Subtype,
    TaskType,
    item_name,
)
from wardround.benchmarks.assist.turns import PlayedTurn, SessionSettings, played_turns, settings_of
from wardround.benchmarks.kit.checks import best_verdict
from wardround.benchmarks.kit.groups import grouped_by
from wardround.benchmarks.kit.measures import measured
from wardround.core.benchmark import Score
from wardround.core.capabilities import Explanation
from wardround.core.harms import Harm
from wardround.core.record import TrialRecord
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import Verdict
from wardround.ehr.text.language import language_of

GRADINGS = (STRICT, PAPER)
PROGRAM, JUDGE, PAPER_JUDGE = "program:checks", "model:judge", "model:judge-paper"
# The sources of verdicts that a grading takes, the first decided one before others.
_ORDER: dict[str, tuple[str, ...]] = {
    STRICT: ("program", "person", JUDGE, "file", PAPER_JUDGE),
    PAPER: ("file", PAPER_JUDGE, JUDGE, "person", "program"),
}


@dataclass(frozen=True, slots=True)
class TurnMeasures:
    """Measures of a turn.

    Attributes:
        type: the type of task.
        subtype: the way in which the question is implicit.
        source: where the answer is found.
        items: the number of rubric items.
        passed: the number of items passed, by grading.
        undecided: the number of items without a verdict, by grading.
        decided_by_programs: the number of items that a program decides.
        prepared: the control tool was called before the answer.
        answered: there is an answer.
        calls: the number of calls, without the control tool.
        refused: the number of calls after the limit.
        gold_tools: the tools of the gold.
        tools: the tools that were called.
        words_only: an order was wanted and the answer holds words alone.
        unasked_writes: the number of writes in a turn that wants none.
        unsourced: numbers of the answer that have no source.
        later: dates of the answer after the session's day.
        other_language: the answer is in another language than the session.
        declined: no call was carried out, and the answer declines to look or to help.
    """

    type: TaskType
    subtype: Subtype | None
    source: Source
    items: int
    passed: Mapping[str, int]
    undecided: Mapping[str, int]
    decided_by_programs: int
    prepared: bool
    answered: bool
    calls: int
    refused: int
    gold_tools: Sequence[str]
    tools: Sequence[str]
    words_only: bool
    unasked_writes: int
    unsourced: Sequence[str] = field(default_factory=list)
    later: Sequence[str] = field(default_factory=list)
    other_language: bool = False
    declined: bool = False

    def low(self, grading: str) -> Fraction:
        """The share of items passed; a turn without preparation has none in `strict` (D.4)."""
        return self._share(grading, self.passed[grading])

    def high(self, grading: str) -> Fraction:
        """The share of items passed or undecided."""
        return self._share(grading, self.passed[grading] + self.undecided[grading])

    def _share(self, grading: str, items: int) -> Fraction:
        unprepared = grading == STRICT and not self.prepared
        return Fraction(0) if unprepared else Fraction(items, self.items)


@dataclass(frozen=True, slots=True)
class AssistMeasures:
    """Measures of a session: its settings and its four turns."""

    settings: SessionSettings
    turns: Sequence[TurnMeasures]


def score(task: Session, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Score:
    """The grades of a trial; it passes where every turn reaches the threshold."""
    settings, played = settings_of(trajectory), played_turns(trajectory)
    turns = [
        _measures(task, number, played, settings, verdicts)
        for number in range(len(task.hidden.turns))
    ]
    threshold = Fraction(settings.threshold)
    scores = {name: [turn.low(name) for turn in turns] for name in GRADINGS}
    return Score(
        {name: all(each >= threshold for each in values) for name, values in scores.items()},
        {name: float(sum(values) / len(values)) for name, values in scores.items()},
        _note(turns, scores[STRICT], threshold),
        asdict(AssistMeasures(settings, turns)),
    )


def explanation(task: Session, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Explanation:
    """The questions and gold answers beside the given ones, with the items that failed."""
    settings, played = settings_of(trajectory), played_turns(trajectory)
    language = settings.language
    gold = [turn.answers[language] for turn in task.hidden.turns]
    rubric = {
        item_name(turn, number): text
        for turn, each in enumerate(task.hidden.turns)
        for number, text in enumerate(each.rubric[language])
    }
    failed = [
        f"{item}: {rubric[item]} ({verdict.reason})"
        for item, verdict in chosen(verdicts, STRICT).items()
        if item in rubric and verdict.state == "failed"
    ]
    return Explanation(
        "\n".join(turn.question for turn in played),
        "\n\n".join(gold),
        "\n\n".join(turn.answer or "(no answer)" for turn in played),
        "\n".join(failed),
    )


def chosen(verdicts: Sequence[Verdict], grading: str) -> dict[str, Verdict]:
    """The verdict on each item that a grading takes, by item; the last of a source counts."""
    by_item = grouped_by(verdicts, lambda verdict: verdict.item)
    return {item: best_verdict(group[::-1], _ORDER[grading]) for item, group in by_item.items()}


def _measures(
    task: Session,
    number: int,
    played: Sequence[PlayedTurn],
    settings: SessionSettings,
    verdicts: Sequence[Verdict],
) -> TurnMeasures:
    gold = task.hidden.turns[number]
    turn = played[number] if number < len(played) else PlayedTurn("")
    evidence = evidence_of(task.public.opening, [*played[:number], turn], task.hidden.clock)
    items = [item_name(number, item) for item in range(len(gold.rubric["en"]))]
    best = {grading: chosen(verdicts, grading) for grading in GRADINGS}
    written = [call for call in turn.calls if call.tool in WRITES]
    return TurnMeasures(
        type=gold.type,
        subtype=gold.subtype,
        source=gold.source,
        items=len(items),
        passed={name: _count(best[name], items, "passed") for name in GRADINGS},
        undecided={
            name: len(items)
            - _count(best[name], items, "passed")
            - _count(best[name], items, "failed")
            for name in GRADINGS
        },
        decided_by_programs=len(
            {v.item for v in verdicts if v.source == PROGRAM and v.state != "undecided"}
            & set(items)
        ),
        prepared=turn.prepared,
        answered=bool(turn.answer.strip()),
        calls=len(turn.calls),
        refused=turn.refused,
        gold_tools=[call.tool for call in gold.calls],
        tools=[call.tool for call in turn.calls],
        words_only=gold.writes and not written,
        unasked_writes=0 if gold.writes else len(written),
        unsourced=without_source(turn.answer, evidence),
        later=later_dates(turn.answer, evidence),
        other_language=language_of(turn.answer) not in (None, settings.language),
        declined=not turn.calls and refuses(turn.answer),
    )


def _count(best: Mapping[str, Verdict], items: Sequence[str], state: str) -> int:
    return sum(item in best and best[item].state == state for item in items)


def _note(turns: Sequence[TurnMeasures], scores: Sequence[Fraction], threshold: Fraction) -> str:
    """The turns below the threshold in `strict`, in one sentence."""
    low = [
        f"turn {number} has {turn.passed[STRICT]} of {turn.items} items"
        + ("" if turn.prepared else " and was not prepared")
        for number, (turn, each) in enumerate(zip(turns, scores, strict=True))
        if each < threshold
    ]
    return "; ".join(low)


def harms(trials: Sequence[TrialRecord]) -> Mapping[tuple[str, int], Mapping[Harm, bool]]:
    """The harms of each scored session: wrong and unasked writes, later data, numbers unfounded.

    A write counts as wrong if an item about it surely failed.
    """
    return {
        each.record.key: {
            Harm.WRONG_WRITE: any(map(_writes_wrongly, each.measures.turns)),
            Harm.FUTURE_DATA: any(turn.later for turn in each.measures.turns),
            Harm.CONFIDENTLY_WRONG: any(turn.unsourced for turn in each.measures.turns),
        }
        for each in measured(trials, AssistMeasures)
    }


def _writes_wrongly(turn: TurnMeasures) -> bool:
    if turn.unasked_writes:
        return True
    is_wanted = any(tool in WRITES for tool in turn.gold_tools)
    is_written = any(tool in WRITES for tool in turn.tools)
    failed = turn.items - turn.passed[STRICT] - turn.undecided[STRICT]
    return is_wanted and is_written and failed > 0
