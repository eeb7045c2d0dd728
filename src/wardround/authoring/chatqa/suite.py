"""Makes a suite of conversations about a database: drawn, checked by execution, and worded."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from math import ceil
from random import Random
from typing import Any, NamedTuple, TypeAlias

from wardround.authoring.chatqa.asked_records import AskedRecords, Rows
from wardround.authoring.chatqa.increments import GOALS, Increment, fault_of_words, increments
from wardround.authoring.chatqa.increments import reason_to_drop as fault_of_increment
from wardround.authoring.chatqa.instructions import (
    Sentence,
    fault_of_withheld,
    increment_sentences,
    instruction,
    names_to_withhold,
    turn_sentences,
    withheld_sentences,
)
from wardround.authoring.chatqa.turns import CATEGORIES
from wardround.authoring.chatqa.turns.turn import Category, Turn, fault_of_answer
from wardround.authoring.chatqa.turns.turn import reason_to_drop as fault_of_turn
from wardround.authoring.chatqa.wishes import SORTS
from wardround.benchmarks.chatqa.gold import check_gold
from wardround.benchmarks.chatqa.oracle import as_text
from wardround.benchmarks.chatqa.scorer import score_adapt
from wardround.benchmarks.chatqa.tasks import PublishedTask
from wardround.core.benchmark import Table
from wardround.core.limits import Limits
from wardround.ehr.text.numerals import LARGEST, in_words

Gold: TypeAlias = tuple[tuple[Any, ...], ...]

_TRIED = 60  # drafts for each task that is wanted
_SHARED = 20  # of this many tasks, one may have a given answer, so that no constant passes


@dataclass(frozen=True, slots=True)
class Forms:
    """The forms of tasks that are drawn; those that are named twice are drawn more often.

    Attributes:
        goals: the goals of IncreQA tasks.
        sorts: the sorts of conditions of IncreQA tasks.
        withholding: the share of turns, of those that have such names, whose user does not
            suggest a name before the agent.
    """

    goals: tuple[str, ...] = GOALS
    sorts: tuple[str, ...] = SORTS
    withholding: float = 0.5


FORMS = Forms()


class MadeTask(NamedTuple):
    """A task, and the sentences of its instruction."""

    task: PublishedTask
    sentences: tuple[Sentence, ...]


@dataclass
class Checked:
    """Counts of drafts: kept, or dropped by reason.

    Attributes:
        dropped: drafts by flow or category, and reason; "" for those that were kept.
    """

    dropped: Counter[tuple[str, str]] = field(default_factory=Counter)

    def table(self) -> Table:
        """Kept and dropped drafts, the most frequent reasons first."""
        rows = [
            (group, reason or "kept", count)
            for (group, reason), count in sorted(
                self.dropped.items(), key=lambda item: (item[0][0], bool(item[0][1]), -item[1])
            )
        ]
        return Table("Drafts by check", ("tasks", "outcome", "drafts"), tuple(rows))


class Answers:
    """The answers of a flow's tasks, of which no value may be that of too many.

    Args:
        tasks: the number of tasks that are wanted.
    """

    def __init__(self, tasks: int) -> None:
        self._most = max(1, tasks // _SHARED)
        self._tasks = Counter[tuple[str, ...]]()

    def fault(self, task: PublishedTask) -> str:
        """Counts a task's answer; the reason to drop the task if too many have that answer."""
        answer = tuple(sorted(str(row[0]) for row in task.gold_answer))
        if self._tasks[answer] == self._most:
            return "an answer that enough tasks have"
        self._tasks[answer] += 1
        return ""


@dataclass(eq=False)
class _Drawn:
    """The turns that became tasks, by what makes them different, and their answers.

    Attributes:
        withholding: the share of turns that withhold names.
        discretion: draws these turns; apart, so that the other draws are the same without them.
    """

    keys: set[object]
    answers: Answers
    withholding: float
    discretion: Random


def made_tasks(
    records: AskedRecords,
    name: str,
    counts: tuple[int, int],
    depth: int,
    seed: int,
    progress: Callable[[int], None],
    forms: Forms = FORMS,
) -> tuple[list[MadeTask], Checked]:
    """Tasks of both flows about a database, in the published form.

    Args:
        records: the records.
        name: the database's name in the tasks.
        counts: the numbers of IncreQA and AdaptQA tasks.
        depth: the number of conditions of an IncreQA task.
        seed: the seed.
        progress: called with the number of tasks that are made.
        forms: the forms of tasks that are drawn.

    Returns:
        The tasks, fewer than wanted where the records do not serve more, and the checks.
    """
    checked, tasks = Checked(), list[MadeTask]()
    for task in (
        *islice(incre_tasks(records, name, counts[0], depth, seed, checked, forms), counts[0]),
        *islice(adapt_tasks(records, name, counts[1], seed, checked, forms), counts[1]),
    ):
        tasks.append(task)
        progress(len(tasks))
    return tasks, checked


def incre_tasks(
    records: AskedRecords,
    name: str,
    count: int,
    depth: int,
    seed: int,
    checked: Checked,
    forms: Forms = FORMS,
) -> Iterator[MadeTask]:
    """Tasks of questions whose conditions are told one by one."""
    random = Random(f"{seed} increments")
    seen: set[object] = set()
    answers = Answers(count)
    drafts = increments(records, depth, random, forms.sorts, forms.goals)
    for draft in islice(drafts, _TRIED * count):
        reason = "a repetition" if _key(draft) in seen else fault_of_increment(draft, records)
        if not reason:
            rows = records.rows(draft.query)
            sentences = increment_sentences(draft, random)
            task = PublishedTask(
                task_id=str(len(seen) + 1),
                task_type="incre",
                db_id=name,
                instruction=instruction(sentences),
                gold_sql=records.sql(draft.query),
                gold_answer=[list(row) for row in rows],
            )
            reason = _fault(task, records, rows) or answers.fault(task)
        if not reason:
            seen.add(_key(draft))
            reason = fault_of_words(draft, records)
        checked.dropped["IncreQA", reason] += 1
        if not reason:
            yield MadeTask(task, sentences)


def adapt_tasks(
    records: AskedRecords,
    name: str,
    count: int,
    seed: int,
    checked: Checked,
    forms: Forms = FORMS,
) -> Iterator[MadeTask]:
    """Tasks of each category in turns, equally many first, until all have run out."""
    random = Random(f"{seed} turns")
    streams = {
        category: islice(category(records, random), max(_TRIED * count // len(CATEGORIES), _TRIED))
        for category in CATEGORIES
    }
    share, per_category = ceil(count / len(CATEGORIES)), Counter[Category]()
    discretion = Random(f"{seed} discretion")
    drawn = _Drawn(set(), Answers(count), forms.withholding, discretion)
    while streams:
        is_short = any(per_category[category] < share for category in streams)
        for category in list(streams):
            if is_short and per_category[category] >= share:
                continue
            worded = _next_turn(streams[category], records, name, random, checked, drawn)
            if worded is None:
                del streams[category]
                continue
            turn, task = worded
            reason = fault_of_answer(turn, records)
            checked.dropped[turn.category, reason] += 1
            if not reason:
                per_category[category] += 1
                yield task


def _next_turn(
    stream: Iterator[Turn],
    records: AskedRecords,
    name: str,
    random: Random,
    checked: Checked,
    drawn: "_Drawn",
) -> tuple[Turn, MadeTask] | None:
    """The next turn of a category with its task; None if it has no more."""
    for turn in stream:
        key = (turn.frame, *(v for name, v in sorted(turn.slots.items()) if name != "patient"))
        reason = "a repetition" if key in drawn.keys else fault_of_turn(turn, records)
        if not reason:
            rows = records.rows(turn.final)
            gold, sentences = answer_of(turn, rows), turn_sentences(turn, random)
            discretion = drawn.discretion
            withheld = names_to_withhold(turn, sentences, drawn.withholding, discretion)
            sentences += withheld_sentences(withheld, discretion)
            task = PublishedTask(
                task_id=str(len(drawn.keys) + 1),
                task_type="adapt",
                db_id=name,
                instruction=instruction(sentences),
                gold_sql=records.sql(turn.final),
                gold_answer=[list(row) for row in gold],
                category=turn.category,
                withheld=list(withheld),
            )
            reason = (
                _fault(task, records, rows)
                or fault_of_withheld(task)
                or passing_mutant(gold, turn, records)
                or drawn.answers.fault(task)
            )
        if not reason:
            drawn.keys.add(key)
            return turn, MadeTask(task, sentences)
        checked.dropped[turn.category, reason] += 1
    return None


def answer_of(turn: Turn, rows: Rows) -> Gold:
    """The answer to a request of a turn, in the turn's form."""
    if turn.form == "stored":
        return tuple((row[0],) for row in rows)
    return tuple((in_words(int(str(row[0]))),) for row in rows if int(str(row[0])) <= LARGEST)


def passing_mutant(gold: Gold, turn: Turn, records: AskedRecords) -> str:
    """The reason to drop a turn of which the answer to another request passes; "" if none does."""
    for query in turn.wrong:
        answer = as_text(answer_of(turn, records.rows(query)))
        if any(score_adapt(gold, [f"<answer>{answer}</answer>"]).values()):
            return "another request whose answer passes"
    return ""


def _key(draft: Increment) -> object:
    return frozenset((wish.frame, *sorted(wish.slots.items())) for wish in draft.wishes)


def _fault(task: PublishedTask, records: AskedRecords, rows: Rows) -> str:
    """The reason why a worded task cannot be used; "" if it can."""
    if problem := check_gold(task.as_task(), records.database, Limits()):
        return f"gold that its grader refuses: {problem}"
    instruction_text = task.instruction.lower()
    texts = [str(row[0]).lower() for row in rows if not isinstance(row[0], int | float)]
    return "an answer that the user says" if any(text in instruction_text for text in texts) else ""
