"""The three gates that a session passes: its form, its calls, and its answers.

Source: PhysAssistBench, appendix H (gates of a session). Each is a program; the first fault of a
gate turns a session back.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from wardround.authoring.assist.facts.sources import is_grounded
from wardround.authoring.assist.gates.chinese_twins import chinese_faults
from wardround.authoring.assist.gates.gold_answers import (
    rule_faults,
    unanswered,
    unseen_drugs,
    unsourced_durations,
)
from wardround.authoring.assist.gates.implicitness import implicit_faults, topic_faults, twin_faults
from wardround.authoring.assist.gates.rehearsal import Rehearsals, rehearsed
from wardround.authoring.assist.planning.drafts import Draft
from wardround.authoring.assist.session_lines import Session
from wardround.authoring.assist.wording.questions import is_short
from wardround.authoring.assist.wording.turn_texts import TurnTexts
from wardround.benchmarks.assist.gold_review import differing_record, untraced_facts
from wardround.benchmarks.assist.judge import program_verdicts
from wardround.benchmarks.assist.sessions import WRITES, Language, TaskType, items_of
from wardround.benchmarks.assist.sessions import Session as PlayableSession
from wardround.benchmarks.assist.tasks import read_session
from wardround.benchmarks.kit.published_files import FileRecord
from wardround.core.task import Defect
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import Verdict
from wardround.ehr.fhir.charts import Chart
from wardround.ehr.text.segments import sentences

# The gates of a session; the checks of a model's choice and wording, which drop no session; and the
# sessions that were filled again for a tool.
Gate: TypeAlias = Literal[
    "plan", "form", "calls", "answers", "choice", "rewording", "patient", "coverage"
]
# The gold calls of a turn, and the rubric items of a turn, at least and at most (appendix H).
_CALLS: Mapping[TaskType, tuple[int, int]] = {
    "IL": (1, 1),
    "DG": (2, 4),
    "CR": (1, 4),
    "WU": (1, 1),
}
_ITEMS: Mapping[TaskType, tuple[int, int]] = {
    "IL": (3, 3),
    "DG": (4, 5),
    "CR": (5, 6),
    "WU": (5, 6),
}
_MIXED_ITEMS = (5, 6)
_TOLD_ITEMS = (2, 3)  # of a lookup that asks the patient, who may tell two things of a drug


@dataclass(frozen=True, slots=True)
class Fault:
    """A reason to turn a session back.

    Attributes:
        gate: the gate that found it.
        reason: the reason, without values of the patient.
        turn: the number of the turn; None if it is about the session.
    """

    gate: Gate
    reason: str
    turn: int | None = None


def form_faults(session: Session) -> Iterator[Fault]:
    """The first gate: calls, items, words, what questions leave out, and both languages."""
    drafts = session.drafts
    for reason in topic_faults(drafts):
        yield Fault("form", reason)
    for turn, (draft, texts) in enumerate(zip(drafts, session.texts, strict=True)):
        reasons = (
            *_call_faults(draft), *_item_faults(draft, texts), *_word_faults(texts),
            *implicit_faults(drafts, turn, texts), *twin_faults(draft, texts),
            *unanswered(draft, texts), *unseen_drugs(drafts, turn), *_language_faults(texts),
        )  # fmt: skip
        for reason in dict.fromkeys(reasons):
            yield Fault("form", reason, turn)


def call_faults(session: Session, played: PlayableSession, chart: Chart) -> Iterator[Fault]:
    """The second gate: every gold call finds what it should, and the same again.

    One that looks for a drug level before that is ordered finds nothing.
    """
    for turn, draft in enumerate(session.drafts):
        for call in draft.calls:
            reads = call.tool not in WRITES and not call.tool.startswith("patient.")
            is_empty = reads and session.survey.result(call) is None
            if is_empty and call not in draft.searches:
                yield Fault("calls", "a gold call finds nothing", turn)
        if draft.seeks_level and session.survey.result(draft.searches[0]):
            yield Fault("calls", "a level is ordered that the record has", turn)
    for _ in differing_record(played, chart, "strict"):
        yield Fault("calls", "a gold call finds other values when it is made again")


def answer_faults(
    session: Session, played: PlayableSession, rehearsals: Rehearsals
) -> Iterator[Fault]:
    """The third gate: sources give their values, and gold passes each grading in each language."""
    transcript = session.transcript
    for turn, (draft, texts) in enumerate(zip(session.drafts, session.texts, strict=True)):
        for reason in rule_faults(draft.rule, session.survey) if draft.rule else ():
            yield Fault("answers", reason, turn)
        if any(unsourced_durations(session, turn)):
            yield Fault("answers", "nothing says a duration of the gold answer", turn)
        for item in texts.items:
            if not all(is_grounded(source, transcript) for source in item.sources):
                yield Fault("answers", "a graded value has no source", turn)
    yield from _untraced(played, rehearsed(rehearsals.paper, played))
    for benchmark in rehearsals.graded.values():
        trajectory = rehearsed(benchmark, played)
        yield from _failed_items(played, list(program_verdicts(played, trajectory)))
        yield from _untraced(played, trajectory)


def playable(line: Mapping[str, Any]) -> PlayableSession:
    """A line as the session that is played.

    Raises:
        ValueError: the line is not a session.
    """
    read = read_session(FileRecord("the made session", line))
    if isinstance(read, Defect):
        raise ValueError(f"{read.where}: {read.reason}")
    return read


def _untraced(played: PlayableSession, trajectory: Trajectory) -> Iterator[Fault]:
    for turn, _ in untraced_facts(played, trajectory):
        yield Fault("answers", "a fact of the gold answer is in no result", turn)


def _failed_items(played: PlayableSession, verdicts: Sequence[Verdict]) -> Iterator[Fault]:
    """The items that the gold answer fails, or that no program decides for it."""
    for (turn, _), verdict in zip(items_of(played), verdicts, strict=True):
        if verdict.state == "failed":
            yield Fault("answers", "the gold answer fails an item", turn)
        elif verdict.state == "undecided":
            yield Fault("answers", "no program decides an item of the gold answer", turn)


def _call_faults(draft: Draft) -> Iterator[str]:
    least, most = _CALLS[draft.type]
    if not least <= len(draft.calls) <= most:
        yield "too few or too many gold calls"
    writes = sum(call.tool in WRITES for call in draft.calls)
    if writes != (draft.type == "WU"):
        yield "a write in the wrong turn"
    asks = any(call.tool.startswith("patient.") for call in draft.calls)
    if asks != (draft.source in ("patient", "mixed")):
        yield "the patient is not asked"


def _item_faults(draft: Draft, texts: TurnTexts) -> Iterator[str]:
    is_asked = draft.source == "mixed" or (draft.source == "patient" and draft.type == "DG")
    is_told = draft.source == "patient" and draft.type == "IL"
    least, most = _MIXED_ITEMS if is_asked else _TOLD_ITEMS if is_told else _ITEMS[draft.type]
    if not least <= len(texts.items) <= most:
        yield "too few or too many items"
    for language in ("en", "zh"):
        items = [item.texts[language] for item in texts.items]
        if len(set(items)) < len(items):
            yield "an item twice"
            return


def _language_faults(texts: TurnTexts) -> Iterator[str]:
    items = (item.texts for item in texts.items)
    for each in (texts.question, texts.explicit, texts.answer, *items):
        yield from chinese_faults(each)


def _word_faults(texts: TurnTexts) -> Iterator[str]:
    for question in (texts.question, texts.explicit):
        for language in ("en", "zh"):
            yield from _length_faults(question[language], language)


def _length_faults(question: str, language: Language) -> Iterator[str]:
    if not is_short(question, language):
        yield "a question of too many words"
    if len(sentences(question, language)) > 2:
        yield "a question of more than two sentences"
