"""Counts of a suite that show whether it is balanced: cells, arcs, implicit forms, tools.

Source: PhysAssistBench, appendix G (counts), H.3 (each resource type in at most two turns), and
Table D5 (tools by scenario).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import get_args

from wardround.authoring.assist.scenario_tools import scenario_tools
from wardround.benchmarks.assist.sessions import SCENARIOS, Session, Subtype, TaskType
from wardround.core.benchmark import Table

_TURNS_OF_A_RESOURCE = 2
TYPES: tuple[TaskType, ...] = get_args(TaskType)
FORMS: tuple[Subtype, ...] = get_args(Subtype)


def cells(sessions: Sequence[Session]) -> Counter[tuple[str, str]]:
    """The number of sessions by scenario and tier."""
    return Counter((each.labels["scenario"], each.labels["tier"]) for each in sessions)


def arcs(sessions: Sequence[Session]) -> Counter[tuple[str, str]]:
    """The number of sessions by scenario and sequence of task types."""
    return Counter((each.labels["scenario"], each.labels["arc"]) for each in sessions)


def forms(sessions: Sequence[Session]) -> Counter[tuple[str, str]]:
    """The number of turns by task type and implicit form; "" is the first turn's."""
    turns = (turn for each in sessions for turn in each.hidden.turns)
    return Counter((turn.type, turn.subtype or "") for turn in turns)


def patient_turns(sessions: Sequence[Session]) -> Counter[int]:
    """The number of sessions by the number of their turns that ask the patient."""
    return Counter(sum(turn.asks_patient for turn in each.hidden.turns) for each in sessions)


def gold_tools(sessions: Sequence[Session]) -> Counter[tuple[str, str]]:
    """The number of gold calls by scenario and tool."""
    return Counter(
        (each.labels["scenario"], call.tool)
        for each in sessions
        for turn in each.hidden.turns
        for call in turn.calls
    )


def crossed_tools(sessions: Sequence[Session]) -> list[tuple[str, str]]:
    """The scenarios and tools that the suite uses though Table D5 crosses them."""
    return sorted(cell for cell in gold_tools(sessions) if not _is_ticked(*cell))


def unused_tools(sessions: Sequence[Session]) -> list[tuple[str, str]]:
    """The scenarios and tools that Table D5 ticks and the suite does not use."""
    used = gold_tools(sessions)
    listed = ((scenario, tool) for scenario in SCENARIOS for tool in scenario_tools(scenario))
    return sorted(cell for cell in listed if cell not in used)


def read_shares(sessions: Sequence[Session]) -> dict[str, float]:
    """The share of each tool among the gold calls that read the record, the largest first."""
    reads = Counter(
        call.tool
        for each in sessions
        for turn in each.hidden.turns
        for call in turn.calls
        if call.reads
    )
    return {tool: count / reads.total() for tool, count in reads.most_common()}


def repeated_resources(session: Session) -> list[str]:
    """The types of resource that gold reads in more than two turns of a session."""
    turns = Counter(
        resource
        for turn in session.hidden.turns
        for resource in {call.tool.partition(".")[0] for call in turn.calls if call.reads}
    )
    return sorted(resource for resource, count in turns.items() if count > _TURNS_OF_A_RESOURCE)


def count_tables(sessions: Sequence[Session]) -> Mapping[str, Table]:
    """The counts as tables, by name."""
    counts = forms(sessions)
    rows: list[tuple[str | int, ...]] = [
        (form, *(counts[type, form] for type in TYPES)) for form in FORMS
    ]
    rows.append(("all", *(sum(counts[type, form] for form in ("", *FORMS)) for type in TYPES)))
    used = gold_tools(sessions)
    tools = sorted({tool for _, tool in used})
    by_tool: tuple[tuple[str | int, ...], ...] = tuple(
        (tool, *(used[scenario, tool] for scenario in SCENARIOS)) for tool in tools
    )
    return {
        "forms": Table("Turns by implicit form", ("form", *TYPES), tuple(rows)),
        "tools": Table("Gold calls by tool", ("tool", *SCENARIOS), by_tool),
    }


def _is_ticked(scenario: str, tool: str) -> bool:
    return any(scenario == each and tool in scenario_tools(each) for each in SCENARIOS)
