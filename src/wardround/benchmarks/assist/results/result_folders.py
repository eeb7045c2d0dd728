"""Published result folders: read into measures, and written from measures in the same form."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson
from pydantic import Field

from wardround.benchmarks.assist.checks.sentences import refuses
from wardround.benchmarks.assist.declaration import PAPER
from wardround.benchmarks.assist.scorer import GRADINGS, AssistMeasures, TurnMeasures
from wardround.benchmarks.assist.sessions import PREPARE, TASK_TYPES, TURNS, WRITES, Source
from wardround.benchmarks.assist.turns import SessionSettings
from wardround.benchmarks.kit.groups import grouped_by
from wardround.benchmarks.kit.published_files import (
    FileRecord,
    first_defect,
    parse_records,
    read_file,
    validated,
)
from wardround.benchmarks.kit.published_results import published_trial
from wardround.benchmarks.kit.record_fields import Many, Named, Record
from wardround.core.errors import UserError
from wardround.core.private_files import make_folder, write_whole
from wardround.core.record import Outcome, TrialRecord
from wardround.core.task import Defect

RESULTS = "turn_results_final.json"
_TYPES = {name: short for short, name in TASK_TYPES.items()}
# Further published figures of a turn, which are shown as they are.
SHOWN = (
    "iirs_turn", "iirs_aid", "iirs_er", "iirs_ac", "iirs_aa",
    "paq", "paq_faithfulness", "paq_coverage", "paq_relevance",
    "fptr", "mtr", "ap_rate", "op_rate",
)  # fmt: skip


class PublishedTurn(Record):
    """A turn of a published run; a turn without a score has no judge's verdict."""

    test_entry_id: Named
    task_idx: int
    task_type: str
    turn_subtype: str | None = None
    scenario: str = ""
    clinical_task_domain: str = ""
    difficulty_level: int | str = ""
    language: str = "en"
    health_literacy: str | None = None
    user_question: str | None = None
    llm_answer: str | None = None
    llm_executed_actions: Many[dict[str, Any]] = Field(default_factory=list)
    gold_actions: Many[dict[str, Any]] = Field(default_factory=list)
    rubric_score: float | None = None
    rubric_items_passed: int | None = None
    rubric_items_total: int | None = None
    rubric_scores: Many[Any] = Field(default_factory=list)
    iirs_turn: float | None = None
    iirs_aid: float | None = Field(None, validation_alias="iirs_AID")
    iirs_er: float | None = Field(None, validation_alias="iirs_ER")
    iirs_ac: float | None = Field(None, validation_alias="iirs_AC")
    iirs_aa: float | None = Field(None, validation_alias="iirs_AA")
    paq: float | None = None
    paq_faithfulness: float | None = None
    paq_coverage: float | None = None
    paq_relevance: float | None = None
    fptr: float | None = None
    mtr: float | None = None
    ap_rate: float | None = None
    op_rate: float | None = None


@dataclass(frozen=True, slots=True)
class PublishedRun:
    """A published run: its sessions as records, its turns, and the faults of its file."""

    name: str
    records: tuple[TrialRecord, ...]
    turns: tuple[PublishedTurn, ...]
    defects: tuple[Defect, ...] = ()


def load_run(folder: Path, threshold: float) -> PublishedRun:
    """Reads a folder of results, or its file of turns.

    Raises:
        UserError: there is no such file, or it holds no turn.
    """
    path = folder / RESULTS if folder.is_dir() else folder
    read = [_turn(each) for each in parse_records(read_file(path), str(path))]
    turns = [each for each in read if isinstance(each, PublishedTurn)]
    defects = [each for each in read if isinstance(each, Defect)]
    if not turns:
        first = first_defect(defects)
        raise UserError(f"{path} holds no turn that can be read{first}; name a run's {RESULTS}.")
    sessions = grouped_by(turns, lambda turn: turn.test_entry_id)
    short = [
        Defect(id, f"it has {len(group)} turns of {TURNS}")
        for id, group in sessions.items()
        if len(group) != TURNS
    ]
    whole = {id: group for id, group in sessions.items() if len(group) == TURNS}
    records = tuple(_record(id, group, threshold) for id, group in whole.items())
    return PublishedRun(path.parent.name, records, tuple(turns), (*defects, *short))


def published_means(run: PublishedRun) -> tuple[float | None, int]:
    """MRS as published, which leaves out turns without a score, and their number."""
    scores = [turn.rubric_score for turn in run.turns if turn.rubric_score is not None]
    missing = len(run.turns) - len(scores)
    return (round(100 * sum(scores) / len(scores), 1) if scores else None), missing


def write_results(folder: Path, sessions: Iterable[tuple[str, Mapping[str, str], Any]]) -> None:
    """Writes sessions' measures as published turns.

    Args:
        folder: the folder of the results.
        sessions: the id, labels and `AssistMeasures` of each.
    """
    make_folder(folder)
    turns = [
        _published(id, labels, measures, number)
        for id, labels, measures in sessions
        for number in range(len(measures.turns))
    ]
    write_whole(folder / RESULTS, orjson.dumps(turns, option=orjson.OPT_INDENT_2))


def _turn(record: FileRecord | Defect) -> PublishedTurn | Defect:
    if isinstance(record, Defect):
        return record
    turn = validated(record, PublishedTurn)
    if isinstance(turn, PublishedTurn) and turn.task_type not in _TYPES:
        return Defect(record.where, f"task_type: {turn.task_type!r} is none of {', '.join(_TYPES)}")
    return turn


def _record(id: str, turns: Sequence[PublishedTurn], threshold: float) -> TrialRecord:
    ordered = sorted(turns, key=lambda turn: turn.task_idx)
    first = ordered[0]
    settings = SessionSettings(
        "zh" if first.language == "zh" else "en", threshold=str(threshold), recorded=True
    )
    measures = AssistMeasures(settings, [_measures(turn) for turn in ordered])
    lows = [float(turn.low(PAPER)) for turn in measures.turns]
    highs = [float(turn.high(PAPER)) for turn in measures.turns]
    outcome = Outcome.PASSED if min(lows) >= threshold else Outcome.UNSCORED
    return published_trial(
        id,
        Outcome.FAILED if min(highs) < threshold else outcome,
        dict.fromkeys(GRADINGS, sum(lows) / len(lows)),
        labels={
            "scenario": first.scenario,
            "tier": str(first.difficulty_level),
            "arc": "-".join(turn.type for turn in measures.turns),
            "domain": first.clinical_task_domain,
        },
        counts={"actions": sum(turn.calls for turn in measures.turns)},
        measures=asdict(measures),
        ending="finished",
    )


def _measures(turn: PublishedTurn) -> TurnMeasures:
    """The measures of a published turn; one without a score leaves all of its items open."""
    items = turn.rubric_items_total or len(turn.rubric_scores) or 1
    scored = turn.rubric_score is not None
    passed = turn.rubric_items_passed or 0
    called = list(_tools(turn.llm_executed_actions))
    gold = list(_tools(turn.gold_actions))
    tools = [tool for tool in called if tool != PREPARE]
    type = _TYPES[turn.task_type]
    written = [tool for tool in tools if tool in WRITES]
    subtype: Any = turn.turn_subtype if turn.turn_subtype in ("NA", "PE", "AE") else None
    return TurnMeasures(
        type=type,
        subtype=subtype,
        source=_source(gold),
        items=items,
        passed=dict.fromkeys(GRADINGS, passed if scored else 0),
        undecided=dict.fromkeys(GRADINGS, 0 if scored else items),
        decided_by_programs=0,
        prepared=PREPARE in called,
        answered=bool((turn.llm_answer or "").strip()),
        calls=len(tools),
        refused=0,
        gold_tools=[tool for tool in gold if tool != PREPARE],
        tools=tools,
        words_only=type == "WU" and not written,
        unasked_writes=0 if type == "WU" else len(written),
        declined=not tools and refuses(turn.llm_answer or ""),
    )


def _tools(actions: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for each in actions:
        action = each.get("action", each)
        if isinstance(action, Mapping) and action.get("name"):
            yield str(action["name"]).replace("__", ".")


def _source(tools: Sequence[str]) -> Source:
    asks = [tool.startswith("patient.") for tool in tools if tool != PREPARE]
    if any(tool in WRITES for tool in tools):
        return "write"
    if not any(asks):
        return "ehr"
    return "patient" if all(asks) else "mixed"


def _published(
    id: str, labels: Mapping[str, str], measures: AssistMeasures, number: int
) -> dict[str, Any]:
    turn, settings = measures.turns[number], measures.settings
    decided = turn.undecided[PAPER] == 0
    return {
        "test_entry_id": id,
        "task_idx": number,
        "task_type": TASK_TYPES[turn.type],
        "turn_subtype": turn.subtype,
        "scenario": labels.get("scenario", ""),
        "clinical_task_domain": labels.get("domain", ""),
        "difficulty_level": int(labels.get("tier", "0") or 0),
        "language": settings.language,
        "health_literacy": settings.literacy,
        "llm_answer": None,
        "llm_executed_actions": [
            {"action": {"name": tool}, "idx": index}
            for index, tool in enumerate([*turn.tools, *([PREPARE] if turn.prepared else [])])
        ],
        "gold_actions": [{"action": {"name": tool}} for tool in turn.gold_tools],
        "rubric_score": float(turn.low(PAPER)) if decided else None,
        "rubric_items_passed": turn.passed[PAPER] if decided else None,
        "rubric_items_total": turn.items,
    }
