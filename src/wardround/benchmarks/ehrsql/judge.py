"""The answer of an EHRSQL trial, and a verdict on it by each grader."""

from asyncio import to_thread
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass

from wardround.benchmarks.ehrsql.declaration import PUBLISHED
from wardround.benchmarks.ehrsql.gold import run_answer, run_gold
from wardround.benchmarks.ehrsql.graders import GRADERS, Grader
from wardround.benchmarks.ehrsql.result_cache import Ran, Results
from wardround.benchmarks.ehrsql.tasks import NULL, EhrsqlTask
from wardround.benchmarks.ehrsql.tools import ABSTAIN, SUBMIT
from wardround.benchmarks.kit.constant_queries import founded_state, rests_on_records
from wardround.benchmarks.kit.evidence import difference
from wardround.core.benchmark import JudgeContext
from wardround.core.capabilities import Prediction
from wardround.core.tools import is_error
from wardround.core.trajectory import Called, Returned, Trajectory
from wardround.core.verdict import State, Verdict, state_of, verdict_key
from wardround.scoring.abstention import GradedQuestion
from wardround.scoring.results import Rows

ITEM = "answer"
ABSENT = Ran(None, "absent", "There is no prediction.")
STRICT = GRADERS["strict"]


@dataclass(frozen=True, slots=True)
class Graders:
    """The run's grading, and the results of queries, each of which is run once."""

    grading: str
    results: Results


async def verdicts(
    task: EhrsqlTask, trajectory: Trajectory, graders: Graders, context: JudgeContext
) -> AsyncIterator[Verdict]:
    """Compares the results of answer and gold by the published grading, the run's and strictly."""
    answer = answer_of(trajectory)
    for grader in graders_of([task], graders.grading):
        if _key(task, answer, grader) not in context.known:
            yield await to_thread(answer_verdict, task, answer, grader, graders.results)


def answer_of(trajectory: Trajectory) -> Prediction | None:
    """Returns the submitted SQL, "null" for a refusal, None if the trial ended without either.

    The last accepted call counts; calls with invalid arguments are ignored.
    """
    call: Called | None = None
    answer: Prediction | None = None
    for event in trajectory.events:
        if isinstance(event, Called):
            call = event
        elif isinstance(event, Returned) and call and not is_error(event.text):
            answer = _answer(call) or answer
    return answer


def graders_of(tasks: Iterable[EhrsqlTask], grading: str) -> list[Grader]:
    """Graders for the tasks' published formats, the run's grading, and strict."""
    forms = dict.fromkeys(task.hidden.form for task in tasks)
    chosen = () if grading in (PUBLISHED, STRICT.name) else (grading,)
    return [*(GRADERS[name] for name in dict.fromkeys([*forms, *chosen])), STRICT]


def answer_verdict(
    task: EhrsqlTask, answer: Prediction | None, grader: Grader, results: Results
) -> Verdict:
    """Grades an answer by comparing its result with the gold's.

    In strict grading, a right result that does not come from the records earns nothing, and the
    result of a query that is not understood is undecided. The verdict's reason is the cause of a
    missing result: a kind of `QueryError`, or "absent".
    """
    gold = run_gold(task, results, grader)
    ran = run_answer(task, answer.answer, results, grader) if answer else ABSENT
    graded = graded_question(gold, ran, grader)
    state, reason = state_of(graded.credited), ran.problem if ran else ""
    if grader is STRICT and answer and graded.correct:
        state, reason = _founded(task, answer.answer, results)
    return Verdict(
        ITEM,
        source_of(grader.name),
        state,
        reason=reason,
        key=_key(task, answer, grader),
        evidence="" if state == "passed" else evidence(gold, ran),
    )


def evidence(gold: Ran | None, answer: Ran | None) -> str:
    """Summarizes both results, or the refusal of either side."""
    rows = answer.rows if answer else None
    if gold is None:
        return "want a refusal" if rows is None else f"want a refusal\n{_lines([], rows)[1]}"
    if answer is None:
        return f"{_lines(gold.rows or [], None)[0]}\ngot a refusal"
    return difference(gold.rows or [], rows)


def _founded(task: EhrsqlTask, answer: str, results: Results) -> tuple[State, str]:
    """The state of an answer whose result is the gold's, with the reason if it has not passed."""
    submitted, gold = (
        STRICT.preprocess(sql, task.public.now) for sql in (answer, task.hidden.gold or NULL)
    )
    rests = rests_on_records(
        submitted, gold, results.database.dialect, lambda sql: results.of(sql).rows
    )
    return founded_state(rests)


def _lines(gold: Rows, rows: Rows | None) -> list[str]:
    return difference(gold, rows).splitlines()


def graded_question(gold: Ran | None, answer: Ran | None, grader: Grader) -> GradedQuestion:
    """Grades a question.

    Failing and missing answers count as answered and wrong.

    Args:
        gold: the gold's result; None if the question is unanswerable.
        answer: the answer's result; None for a refusal.
        grader: compares the results.
    """
    if gold is None or answer is None:
        return GradedQuestion(gold is not None, answer is not None, False)
    if gold.rows is None or answer.rows is None:
        return GradedQuestion(True, True, False)
    # Equal queries share one result, and comparing a long one takes time.
    return GradedQuestion(True, True, answer is gold or grader.same(gold.rows, answer.rows))


def source_of(grading: str) -> str:
    """Returns the source of a grader's verdicts."""
    return f"program:{grading}"


def _answer(call: Called) -> Prediction | None:
    confidence = call.arguments.get("confidence")
    sure = None if confidence is None else float(confidence)
    if call.tool == ABSTAIN:
        return Prediction(NULL, sure)
    return Prediction(str(call.arguments["query"]), sure) if call.tool == SUBMIT else None


def _key(task: EhrsqlTask, answer: Prediction | None, grader: Grader) -> str:
    return verdict_key(grader.name, task.hidden.gold, task.public.now, answer and answer.answer)
