"""The rubric judge: a language model that decides the items of a turn in one request.

Source: PhysAssistBench, 3.3. In `paper` it sees the gold history and the gold observations; in
`strict` the session's own history, its own observations and the gold ones. Neither shows the turn's
gold answer, which the published code passes off as data of the record. A turn that should write and
does not has no item, as published; that needs no request.
"""

from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel, Field

from wardround.benchmarks.assist import prompts
from wardround.benchmarks.assist.declaration import PAPER
from wardround.benchmarks.assist.scorer import JUDGE, PAPER_JUDGE
from wardround.benchmarks.assist.sessions import GoldTurn, Language, Session, item_name
from wardround.benchmarks.assist.turns import PlayedTurn, played_turns, settings_of
from wardround.benchmarks.kit.agent_texts import as_json
from wardround.core.benchmark import JudgeContext
from wardround.core.errors import InfraError, MalformedAnswerError
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import State, Verdict, state_of, verdict_key
from wardround.models.client import LanguageModel
from wardround.models.messages import Message
from wardround.models.model import ConversationTooLongError, Model
from wardround.models.prompts import fill

VERSION = 2
# The last messages of a history, and the letters of each (PhysAssistBench's code).
_HISTORY, _LETTERS = 6, 300


class ItemGrade(BaseModel):
    """The grade of one rubric item."""

    item: int = Field(description="The item's number.")
    reason: str = Field("", description="Why, in one sentence.")
    met: bool = Field(description="True if the answer meets the item.")


class TurnGrades(BaseModel):
    """The grades of a turn's rubric items."""

    grades: list[ItemGrade] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class Judge:
    """A judge's model, and the grading that decides what it sees."""

    model: LanguageModel
    grading: str

    @property
    def source(self) -> str:
        """The source of its verdicts."""
        return PAPER_JUDGE if self.grading == PAPER else JUDGE

    async def verdicts(
        self,
        task: Session,
        trajectory: Trajectory,
        decided: Collection[str],
        context: JudgeContext,
    ) -> AsyncIterator[Verdict]:
        """Yields a verdict on each item but the decided ones, a request a turn.

        A request that fails, or an answer that leaves items out, leaves them undecided.
        """
        language, played = settings_of(trajectory).language, played_turns(trajectory)
        model = self.model.bind("judge", context.record, context.seed)
        for number, gold in enumerate(task.hidden.turns):
            turn = played[number] if number < len(played) else PlayedTurn("")
            items = {
                item: text
                for item, text in enumerate(gold.rubric[language])
                if item_name(number, item) not in decided
            }
            before = played[:number]
            prompt = judge_prompt(task, language, number, before, turn, items, self.grading)
            empty = {item: self._undecided(number, item, prompt) for item in items}
            if all(context.has(verdict.key) for verdict in empty.values()):
                continue
            if gold.writes and not turn.written:
                for verdict in empty.values():
                    yield replace(verdict, state="failed", reason="nothing was written")
                continue
            async for verdict in _graded(model, prompt, empty, self.grading):
                yield verdict

    def _undecided(self, turn: int, item: int, prompt: str) -> Verdict:
        key = verdict_key(self.source, self.model.settings.name, VERSION, prompt, item)
        return Verdict(item_name(turn, item), self.source, "undecided", key=key)


def judge_prompt(
    task: Session,
    language: Language,
    number: int,
    before: Sequence[PlayedTurn],
    turn: PlayedTurn,
    items: dict[int, str],
    grading: str,
) -> str:
    """The judge's prompt about a turn.

    Args:
        task: the session.
        language: its language.
        number: the number of the turn.
        before: the turns before it.
        turn: the turn as it was played.
        items: the rubric items by number.
        grading: the grading that decides which history and observations are shown.
    """
    gold = task.hidden.turns[number]
    paper = grading == PAPER
    history = _gold_history(task, language, number) if paper else _history(before)
    evidence = _gold_evidence(gold, language)
    if not paper:
        evidence += "\n" + "\n".join(f"{c.tool}: {c.result}" for c in turn.calls)
    return fill(
        prompts.__name__,
        f"judge.{language}.md",
        history=history or "-",
        question=turn.question or task.public.questions[language][number],
        evidence=evidence.strip() or "-",
        answer=turn.answer or "-",
        writes=as_json([{n: w[n] for n in ("tool", "arguments")} for w in turn.written]),
        items="\n".join(f"{item}. {text}" for item, text in items.items()),
    )


async def _graded(
    model: Model, prompt: str, items: dict[int, Verdict], grading: str
) -> AsyncIterator[Verdict]:
    """The verdicts of one answer; in `paper` an item that it leaves out fails, as published."""
    try:
        answer = await model.structured([Message("user", prompt)], TurnGrades)
    except (InfraError, MalformedAnswerError, ConversationTooLongError) as error:
        for verdict in items.values():
            yield replace(verdict, reason=f"the judge gave no grades: {error}")
        return
    grades = {grade.item: grade for grade in answer.grades}
    for item, verdict in items.items():
        if item in grades:
            grade = grades[item]
            yield replace(verdict, state=state_of(grade.met), reason=grade.reason)
        else:
            state: State = "failed" if grading == PAPER else "undecided"
            yield replace(verdict, state=state, reason="the judge's answer leaves it out")


def _gold_evidence(gold: GoldTurn, language: Language) -> str:
    return "\n".join(f"{c.tool}: {_text(c.observations[language])}" for c in gold.calls)


def _text(observation: object) -> str:
    return observation if isinstance(observation, str) else as_json(observation)


def _gold_history(task: Session, language: Language, number: int) -> str:
    turns = zip(task.public.questions[language], task.hidden.turns, strict=True)
    pairs = [(question, turn.answers[language]) for question, turn in turns]
    return _shortened(text for pair in pairs[:number] for text in pair)


def _history(before: Sequence[PlayedTurn]) -> str:
    return _shortened(text for turn in before for text in (turn.question, turn.answer))


def _shortened(messages: Iterable[str]) -> str:
    return "\n".join(text[:_LETTERS] for text in list(messages)[-_HISTORY:])
