"""A session as a conversation for readers: two languages, calls, the patient, rubric, verdicts."""

from collections.abc import Iterator, Sequence

import orjson

from wardround.benchmarks.assist.declaration import PAPER, STRICT
from wardround.benchmarks.assist.rubric_judge import judge_prompt
from wardround.benchmarks.assist.scorer import JUDGE, PAPER_JUDGE, chosen
from wardround.benchmarks.assist.sessions import (
    LANGUAGES,
    PREPARE,
    TASK_TYPES,
    Language,
    Session,
    item_name,
)
from wardround.benchmarks.assist.tools.results import SPOKEN
from wardround.benchmarks.assist.turns import PlayedCall, PlayedTurn, played_turns, settings_of
from wardround.benchmarks.kit.agent_texts import as_json
from wardround.core.conversation import Conversation, Exchange, GradedItem, Line, Wording
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import Verdict

_PATIENT = "patient."


def conversation(
    task: Session, trajectory: Trajectory, verdicts: Sequence[Verdict]
) -> Conversation:
    """The four turns of a session, as they were played and graded."""
    played, language = played_turns(trajectory), settings_of(trajectory).language
    turns = [*played, *[PlayedTurn("")] * (len(task.hidden.turns) - len(played))]
    exchanges = (
        Exchange(
            _title(task, number),
            tuple(_wordings(task, number)),
            tuple(_lines(turns[number])),
            tuple(_items(task, number, verdicts)),
            _judged_on(task, language, turns, number, verdicts),
        )
        for number in range(len(task.hidden.turns))
    )
    return Conversation(LANGUAGES, tuple(exchanges))


def _title(task: Session, number: int) -> str:
    gold = task.hidden.turns[number]
    parts = (TASK_TYPES[gold.type], gold.subtype, "with the patient" if gold.asks_patient else "")
    return f"Turn {number}: {', '.join(filter(None, parts))}"


def _wordings(task: Session, number: int) -> Iterator[Wording]:
    public = task.public
    for label, asked in (("implicit", public.questions), ("explicit", public.explicit)):
        texts = tuple(_at(asked[language], number) for language in LANGUAGES)
        if any(texts):
            yield Wording(f"{label} question", texts)
    gold = task.hidden.turns[number].answers
    yield Wording("gold answer", tuple(gold[language] for language in LANGUAGES))


def _at(texts: Sequence[str], number: int) -> str:
    return texts[number] if number < len(texts) else ""


def _lines(turn: PlayedTurn) -> Iterator[Line]:
    yield Line("said", "physician", turn.question or "(not asked)")
    for call in turn.calls:
        yield Line("called", call.tool, as_json(call.arguments))
        yield _answered(call)
    if turn.refused:
        yield Line("returned", "environment", f"{turn.refused} calls after the limit were refused")
    if turn.prepared:
        yield Line("called", PREPARE, "")
    yield Line("said", "agent", turn.answer or "(no answer)")


def _answered(call: PlayedCall) -> Line:
    """The result of a call; the patient speaks."""
    words = _spoken(call.result) if call.tool.startswith(_PATIENT) else ""
    return Line("said", "patient", words) if words else Line("returned", call.tool, call.result)


def _spoken(result: str) -> str:
    """The patient's words in a result; "" in one without, such as an error."""
    try:
        return str(orjson.loads(result).get(SPOKEN, ""))
    except orjson.JSONDecodeError:
        return ""


def _items(task: Session, number: int, verdicts: Sequence[Verdict]) -> Iterator[GradedItem]:
    """The items, each with its verdicts; the one that counts in `strict` is first."""
    counting = chosen(verdicts, STRICT)
    rubric = task.hidden.turns[number].rubric
    for index in range(len(rubric["en"])):
        name = item_name(number, index)
        others = (v for v in verdicts if v.item == name and v is not counting[name])
        rows = (counting[name], *others) if name in counting else ()
        yield GradedItem(tuple(rubric[language][index] for language in LANGUAGES), rows)


def _judged_on(
    task: Session,
    language: Language,
    turns: Sequence[PlayedTurn],
    number: int,
    verdicts: Sequence[Verdict],
) -> str:
    """The prompt by which the judge decided items of a turn; "" if it decided none."""
    rubric = task.hidden.turns[number].rubric[language]
    names = {item_name(number, index): index for index in range(len(rubric))}
    for source, grading in ((JUDGE, STRICT), (PAPER_JUDGE, PAPER)):
        judged = sorted({names[v.item] for v in verdicts if v.source == source and v.item in names})
        if judged:
            items = {index: rubric[index] for index in judged}
            before, turn = turns[:number], turns[number]
            return judge_prompt(task, language, number, before, turn, items, grading)
    return ""
