"""Tables of turns: types of task by implicitness, the patient, tools, conduct, verdicts."""

from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean
from typing import TypeAlias

from wardround.benchmarks.assist.scorer import GRADINGS, AssistMeasures, TurnMeasures
from wardround.benchmarks.assist.sessions import SCENARIOS, TASK_TYPES
from wardround.benchmarks.kit.groups import ALL, Cell, grouped_by
from wardround.benchmarks.kit.measures import Measured
from wardround.benchmarks.kit.tables import figure_cells, figure_columns, mean_percent, percent
from wardround.core.benchmark import Table
from wardround.scoring.statistics.intervals import difference_interval

SessionTrial: TypeAlias = Measured[AssistMeasures]
FIRST, SUBTYPES = "first", ("NA", "PE", "AE")
PATIENT_COLUMNS = (
    "Patient turns",
    "Record turns",
    "With the patient",
    "Record only",
    *figure_columns("Difference"),
)
_PATIENT_NOTE = (
    "Mean score of turns in percent, undecided items failed; 95% interval over sessions."
)
CONDUCT_COLUMNS = (
    "Turns",
    "Calls",
    "Calls with preparations",
    "Not prepared",
    "Not answered",
    "Declined without a call",
    "Calls after the limit",
    "Fewer calls than gold",
    "Unasked writes",
    "Write turns",
    "In words only",
    "Numbers without a source",
    "Later dates",
    "In another language",
    "Sessions without a record",
)
_CONDUCT_NOTE = (
    "The limit of calls does not count prepare_to_answer. Turns that are not prepared score 0 in "
    "strict; in paper they are recorded only."
)


def types_table(trials: Sequence[SessionTrial], grading: str) -> Table:
    """The mean score of turns by type of task and implicitness, with their number."""
    columns = [
        column for subtype in (FIRST, *SUBTYPES, ALL) for column in (subtype, f"{subtype} turns")
    ]
    rows = tuple(
        (f"{short} {name}", *_type_cells(trials, short, grading))
        for short, name in TASK_TYPES.items()
    )
    return Table(
        "Types of task by implicitness",
        ("Type", *columns),
        rows if trials else (),
        f"Mean score of turns in percent, {grading}, undecided items failed. The first turn of a "
        "session is explicit.",
    )


def type_mean(
    trials: Sequence[SessionTrial], type: str, subtype: str, grading: str
) -> tuple[float | None, int]:
    """The mean score in percent of turns of a type and subtype, and their number."""
    turns = [
        turn
        for trial in trials
        for turn in trial.measures.turns
        if type in (turn.type, ALL) and subtype in (turn.subtype or FIRST, ALL)
    ]
    return mean_percent(turn.low(grading) for turn in turns), len(turns)


def patient_table(trials: Sequence[SessionTrial]) -> Table:
    """The mean score of turns with and without the patient, and their difference (5.4)."""
    rows = tuple((grading, *patient_cells(trials, grading)) for grading in GRADINGS)
    return Table(
        "Turns with and without the patient",
        ("Grading", *PATIENT_COLUMNS),
        rows if trials else (),
        _PATIENT_NOTE,
    )


def patient_cells(trials: Sequence[SessionTrial], grading: str) -> tuple[Cell, ...]:
    """Numbers and means of turns with the patient and without, and the difference of the means."""
    by_session = list(grouped_by(trials, lambda trial: trial.record.task).values())
    turns = [list(turns_of(session)) for session in by_session]
    sides = [
        [
            [float(turn.low(grading)) for turn in session if asks_patient(turn) is with_patient]
            for session in turns
        ]
        for with_patient in (True, False)
    ]
    return (*(sum(map(len, side)) for side in sides), *mean_difference(*sides))


def asks_patient(turn: TurnMeasures) -> bool:
    """True if the turn's answer needs the patient."""
    return turn.source in ("patient", "mixed")


def mean_difference(
    first: Sequence[Sequence[float]], second: Sequence[Sequence[float]]
) -> tuple[Cell, ...]:
    """Both means in percent, and their difference with its interval over sessions.

    Args:
        first: the first scores by session.
        second: the second scores by session, in the same order.
    """
    rows = [(sum(a), len(a), sum(b), len(b)) for a, b in zip(first, second, strict=True)]
    means = [fmean(values) if values else None for values in map(_joined, (first, second))]
    one, other = means
    difference = None if one is None or other is None else one - other
    interval = None if difference is None else difference_interval(rows)
    shown = (None if mean is None else percent(mean) for mean in means)
    return (*shown, *figure_cells(difference, interval))


def tools_table(trials: Sequence[SessionTrial]) -> Table:
    """Use of tools by scenario: gold calls, calls made, gold tools missed, tools not in gold."""
    rows = tuple(
        (scenario, *row)
        for scenario in SCENARIOS
        for row in _tool_rows([t for t in trials if t.labels.get("scenario") == scenario])
    )
    return Table(
        "Tools by scenario",
        ("Scenario", "Tool", "Gold", "Called", "Missed", "Unneeded"),
        rows,
        "Gold and Called count calls. Missed and Unneeded count turns: the gold calls the tool and "
        "the agent does not, or the other way round.",
    )


def conduct_table(trials: Sequence[SessionTrial]) -> Table:
    """Turns without preparation or answer, calls after the limit, faults of orders and answers."""
    rows = (conduct_cells(trials),) if trials else ()
    return Table("Conduct of the agent", CONDUCT_COLUMNS, rows, _CONDUCT_NOTE)


def conduct_cells(trials: Sequence[SessionTrial]) -> tuple[Cell, ...]:
    """The numbers of `CONDUCT_COLUMNS`."""
    turns = list(turns_of(trials))
    wanted = [turn for turn in turns if turn.type == "WU"]
    return (
        len(turns),
        sum(turn.calls for turn in turns),
        sum(turn.calls + turn.prepared for turn in turns),
        sum(not turn.prepared for turn in turns),
        sum(not turn.answered for turn in turns),
        sum(turn.declined for turn in turns),
        sum(turn.refused for turn in turns),
        sum(turn.calls < len(turn.gold_tools) for turn in turns),
        sum(turn.unasked_writes for turn in turns),
        len(wanted),
        sum(turn.words_only for turn in wanted),
        sum(len(turn.unsourced) for turn in turns),
        sum(bool(turn.later) for turn in turns),
        sum(turn.other_language for turn in turns),
        sum(trial.measures.settings.recorded for trial in trials),
    )


def verdicts_table(trials: Sequence[SessionTrial]) -> Table:
    """Items by type of task: how many programs decide, and how many nobody does."""
    rows = tuple(
        (name, *_verdict_cells([turn for turn in turns_of(trials) if turn.type in kinds]))
        for name, kinds in [*((short, (short,)) for short in TASK_TYPES), (ALL, tuple(TASK_TYPES))]
    )
    columns = ("Type", "Items", "Decided by programs, %", *(f"Undecided, {g}" for g in GRADINGS))
    return Table("Verdicts on rubric items", columns, tuple(row for row in rows if row[1]))


def turns_of(trials: Sequence[SessionTrial]) -> Iterator[TurnMeasures]:
    """All turns of sessions."""
    return (turn for trial in trials for turn in trial.measures.turns)


def _joined(groups: Iterable[Sequence[float]]) -> list[float]:
    return [value for group in groups for value in group]


def _type_cells(trials: Sequence[SessionTrial], type: str, grading: str) -> Iterator[Cell]:
    for subtype in (FIRST, *SUBTYPES, ALL):
        yield from type_mean(trials, type, subtype, grading)


def _tool_rows(trials: Sequence[SessionTrial]) -> Iterator[tuple[Cell, ...]]:
    turns = list(turns_of(trials))
    for tool in sorted({tool for turn in turns for tool in (*turn.gold_tools, *turn.tools)}):
        yield (
            tool,
            sum(turn.gold_tools.count(tool) for turn in turns),
            sum(turn.tools.count(tool) for turn in turns),
            sum(tool in turn.gold_tools and tool not in turn.tools for turn in turns),
            sum(tool in turn.tools and tool not in turn.gold_tools for turn in turns),
        )


def _verdict_cells(turns: Sequence[TurnMeasures]) -> tuple[Cell, ...]:
    items = sum(turn.items for turn in turns)
    by_programs = sum(turn.decided_by_programs for turn in turns)
    share = percent(by_programs / items) if items else None
    return (items, share, *(sum(turn.undecided[g] for turn in turns) for g in GRADINGS))
