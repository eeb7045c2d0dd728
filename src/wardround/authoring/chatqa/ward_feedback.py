"""Tasks from what people said of a served agent's answers, for a person to review.

A judged conversation becomes a candidate: the person's messages are the instruction, and the query
that was right is the gold. The gold's result is read from the database, not from the agent.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from wardround.authoring.chatqa.declaration import FeedbackOptions, SignedOptions
from wardround.authoring.chatqa.review import TaskDetail, unsigned
from wardround.authoring.review_file import Candidate, begin_review, merged, write_review
from wardround.benchmarks.chatqa.gold import check_gold
from wardround.benchmarks.chatqa.judge import query_of
from wardround.benchmarks.chatqa.tasks import PublishedTask
from wardround.benchmarks.kit.published_files import json_lines
from wardround.core.benchmark import Summary, Table
from wardround.core.errors import UserError
from wardround.core.limits import Limits
from wardround.core.private_files import write_whole
from wardround.core.record import TrialRecord
from wardround.core.run_reader import read_trajectory, read_trials, read_verdicts
from wardround.core.trajectory import WITHHELD, Called, Returned, Trajectory
from wardround.core.verdict import Verdict
from wardround.core.work import WorkContext, WorkResult
from wardround.ehr.database import Database, QueryError, open_database
from wardround.ehr.records import records_of

MOST_ROWS = 100
_SECONDS = 10.0
_TABLE = '{"columns":'  # the beginning of a result; an error begins otherwise
_PROGRAM = "program:gold"  # recorded as the reviewer of the candidates that it rejects


class FeedbackDetail(TaskDetail):
    """The details of a task from the ward.

    Attributes:
        database: the database's name in the tasks.
        person: the person who judged the answer.
        comment: their remark on it.
    """

    database: str
    person: str = ""
    comment: str = ""


WardTask = Candidate[FeedbackDetail]


@dataclass(frozen=True, slots=True)
class _Question:
    """A question of a conversation, with what its person said of the answer.

    Attributes:
        messages: the person's messages in it.
        query: the last query of the agent that had a result; "" if there is none.
        judgment: the latest verdict on the answer; None if there is none.
        correction: the person's own query; "" if there is none.
    """

    messages: tuple[str, ...]
    query: str
    judgment: Verdict | None
    correction: str

    @property
    def gold_sql(self) -> str:
        """The query that was right; "" if the person gave none."""
        if self.judgment and self.judgment.passed:
            return self.query
        return self.correction


def collect(options: FeedbackOptions, context: WorkContext[object]) -> WorkResult:
    """Adds the judged conversations of a record to a review file.

    Raises:
        UserError: the record or the review file cannot be read, the database cannot be opened,
            or the record has no judged conversation with words.
    """
    conversations = _conversations(options.served)
    if not conversations:
        raise UserError(
            f"{options.served} has no judged answer with its words; name a folder of a record in "
            "which people called answers right or wrong, with record_values = true."
        )
    with closing(open_database(options.database)) as database:
        name = records_of(database, options.map).layout
        drafts = [
            _candidate(id, sentence, name, database) for id, sentence in conversations.items()
        ]
    old = begin_review(options.review, WardTask, unsigned)
    candidates = merged(old, drafts)
    write_review(options.review, candidates)
    return WorkResult(
        Summary({"review": _decisions(candidates)}),
        (
            f"Review file: {options.review}. It holds words and values of patients; only its owner "
            "may read it.",
        ),
    )


def write_signed(options: SignedOptions, context: WorkContext[object]) -> WorkResult:
    """Writes the accepted tasks of a review file, with the results of their golds as they are now.

    Raises:
        UserError: the review file cannot be read, a decision has no name, an accepted task has no
            gold that can be graded, or no task is accepted.
    """
    candidates = begin_review(options.review, WardTask, unsigned)
    accepted = [candidate for candidate in candidates if candidate.decision == "accept"]
    if not accepted:
        raise UserError(f"{options.review} has no accepted task; write accept under decision.")
    with closing(open_database(options.database)) as database:
        tasks = [_signed(candidate, database, options.review) for candidate in accepted]
    write_whole(options.to, json_lines(task.model_dump(exclude_defaults=True) for task in tasks))
    return WorkResult(
        Summary({"review": _decisions(candidates)}),
        (f"{len(tasks)} signed tasks written to {options.to}; only its owner may read it.",),
    )


def instruction_of(questions: Sequence[_Question]) -> str:
    """The instruction to a simulated user who says what the person said.

    A message after an answer becomes a further wish. A message after the agent's question is said
    only when asked.
    """
    first, *rest = [(text, each) for each in questions for text in each.messages]
    sentences = [f"Your goal is to ask {_quoted(first[0])}."]
    for (_, before), (text, _) in pairwise([first, *rest]):
        wish = "You want to know {}." if before.query else "Say {} only when asked."
        sentences.append(wish.format(_quoted(text)))
    return " ".join(sentences)


def _quoted(text: str) -> str:
    """A message as a quotation, in one line and without quotation marks of its own."""
    return f'"{" ".join(text.replace(chr(34), chr(39)).split())}"'


def _conversations(folder: Path) -> dict[str, list[_Question]]:
    """The questions of each conversation up to its last judged answer, by the conversation's id."""
    verdicts = defaultdict[tuple[str, int], list[Verdict]](list)
    for record in read_verdicts(folder):
        verdicts[record.task, record.trial].append(record.verdict)
    trials = defaultdict[str, list[TrialRecord]](list)
    for trial in sorted(read_trials(folder), key=lambda trial: trial.key):
        trials[trial.task].append(trial)
    read = {
        id: [
            _question(read_trajectory(folder, trial.trajectory), verdicts[trial.key])
            for trial in task_trials
        ]
        for id, task_trials in trials.items()
    }
    judged = {id: _until_judged(questions) for id, questions in read.items()}
    return {id: sentence for id, sentence in judged.items() if sentence and _has_words(sentence)}


def _until_judged(questions: Sequence[_Question]) -> list[_Question]:
    last = max((n for n, each in enumerate(questions) if each.judgment), default=-1)
    return list(questions[: last + 1])


def _has_words(questions: Sequence[_Question]) -> bool:
    texts = [text for each in questions for text in each.messages]
    return bool(texts) and WITHHELD not in texts


def _question(trajectory: Trajectory, verdicts: Sequence[Verdict]) -> _Question:
    by_item = {verdict.item: verdict for verdict in verdicts}  # the latest of each
    correction = by_item.get("correction")
    return _Question(
        tuple(trajectory.said_by("user")),
        next(reversed(list(_queries(trajectory))), ""),
        by_item.get("answer"),
        correction.evidence if correction else "",
    )


def _queries(trajectory: Trajectory) -> Iterator[str]:
    """The queries of the agent that had a result."""
    acts = [event for event in trajectory.events if isinstance(event, Called | Returned)]
    for call, result in pairwise(acts):
        sql = query_of(call) if isinstance(call, Called) else None
        if sql and isinstance(result, Returned) and result.text.startswith(_TABLE):
            yield sql


def _candidate(id: str, questions: Sequence[_Question], name: str, database: Database) -> WardTask:
    last = questions[-1]
    rows, fault = _result(last.gold_sql, database)
    detail = FeedbackDetail(
        gold_sql=last.gold_sql,
        gold_answer=rows,
        database=name,
        person=last.judgment.source.removeprefix("person:") if last.judgment else "",
        comment=last.judgment.reason if last.judgment else "",
    )
    return WardTask(
        decision="strike" if fault else "open",
        id=id,
        kind="feedback",
        changes=id,
        text=instruction_of(questions),
        checks={"gold": fault},
        by=_PROGRAM if fault else "",
        detail=detail,
    )


def _result(sql: str, database: Database) -> tuple[tuple[tuple[object, ...], ...], str]:
    """The rows of a gold query, and why they cannot be gold; without a query, neither."""
    if not sql:
        return (), ""
    try:
        result = database.execute(sql, rows=MOST_ROWS, seconds=_SECONDS)
    except QueryError as error:
        return (), f"the query fails: {error}"
    rows = tuple(map(tuple, result.rows))
    if result.truncated:
        return (), f"the result has more than {MOST_ROWS} rows"
    if not rows:
        return (), "the result is empty"
    if any(cell is None for row in rows for cell in row):
        return rows, "the result has NULL"
    return rows, ""


def _signed(candidate: WardTask, database: Database, review: Path) -> PublishedTask:
    """The task of an accepted candidate.

    Raises:
        UserError: its gold is missing or cannot be graded.
    """
    rows, fault = _result(candidate.detail.gold_sql, database)
    if not candidate.detail.gold_sql.strip():
        fault = "it has no gold_sql"
    task = PublishedTask(
        task_id=candidate.id,
        task_type="incre",
        db_id=candidate.detail.database,
        instruction=candidate.text,
        gold_sql=candidate.detail.gold_sql,
        gold_answer=[list(row) for row in rows],
    )
    if fault := fault or check_gold(task.as_task(), database, Limits(statement_seconds=_SECONDS)):
        raise UserError(
            f"{review}: the accepted task {candidate.id} has no gold that can be graded ({fault}); "
            "mend its gold_sql, or strike it."
        )
    return task


def _decisions(candidates: Sequence[WardTask]) -> Table:
    counts: Mapping[str, int] = Counter(candidate.decision for candidate in candidates)
    return Table("Review", ("decision", "tasks"), tuple(sorted(counts.items())))
