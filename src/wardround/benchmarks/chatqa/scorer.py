"""Grading an EHR-ChatQA trial: IncreQA by the queries that were run, AdaptQA by what was said."""

from collections.abc import Sequence

from wardround.benchmarks.chatqa.tasks import ChatTask
from wardround.core.benchmark import Score
from wardround.core.limits import Limits
from wardround.core.trajectory import Trajectory
from wardround.ehr.database import Database, QueryError
from wardround.scoring.answers import passes_published, passes_strict, tagged_answers
from wardround.scoring.results import Rows, column_matches, same_table


def grade(
    task: ChatTask,
    trajectory: Trajectory,
    database: Database,
    limits: Limits,
    grading: str = "paper",
) -> Score:
    """Grades a trial against the task's gold answer, in both modes (paper, A.6).

    Every query of the trial is run again, without the agent's own row limit; one that the
    database refuses, that takes too long or whose result is too large matches nothing. A trial
    counts as passed when it passes by the grading of the run.
    """
    gold = task.hidden.gold_answer
    if task.public.flow == "adapt":
        said = trajectory.said_by("agent")
        rewards = score_adapt(gold, said)
        return Score(bool(rewards[grading]), rewards, _adapt_note(rewards, said))
    queries = queries_of(trajectory)
    results = run_again(queries, database, limits.statement_seconds)
    rewards = score_incre(gold, results)
    return Score(bool(rewards[grading]), rewards, _incre_note(rewards, len(queries), len(results)))


def score_incre(gold: Rows, results: Sequence[Rows]) -> dict[str, float]:
    """Rewards of an IncreQA trial for the results of its queries, in the order they were run.

    `paper`: any query may match the gold's first column. `strict`: the last query that gave a
    result must give the gold table whole.
    """
    return {
        "paper": float(any(column_matches(gold, rows) for rows in results)),
        "strict": float(bool(results) and same_table(gold, results[-1])),
    }


def score_adapt(gold: Rows, said: Sequence[str]) -> dict[str, float]:
    """Rewards of an AdaptQA trial for what the agent said to the user, in order.

    `paper`: any response may hold the right answer. `strict`: the last answer must be right.
    """
    return {
        "paper": float(passes_published(gold, said)),
        "strict": float(passes_strict(gold, said)),
    }


def queries_of(trajectory: Trajectory) -> list[str]:
    """The SQL that the agent ran, in order."""
    sent = [call.arguments.get("query") for call in trajectory.calls("sql_execute")]
    return [query.strip() for query in sent if isinstance(query, str)]


def run_again(queries: Sequence[str], database: Database, seconds: float) -> list[Rows]:
    """The rows of each query that gives a result, all of them: sorting comes before cutting."""
    results: list[Rows] = []
    for query in queries:
        try:
            results.append(database.execute(query, rows=None, seconds=seconds).rows)
        except QueryError:
            continue
    return results


def gold_rows(gold_sql: str, database: Database, limits: Limits) -> Rows:
    """What the gold query gives on a database.

    Raises:
        QueryError: it gives no result.
    """
    return database.execute(gold_sql, rows=None, seconds=limits.statement_seconds).rows


def _incre_note(rewards: dict[str, float], queries: int, results: int) -> str:
    """Why an IncreQA trial did not pass in both modes, without any value."""
    if not queries:
        return "no query was run"
    match rewards["paper"], rewards["strict"]:
        case 1.0, 1.0:
            return ""
        case 1.0, _:
            return "a column matches, but the whole table of the last query does not"
        case _, 1.0:
            return "the last table is the gold table, but the published grader cannot match it"
    return f"none of {queries} queries matches the gold ({queries - results} gave no result)"


def _adapt_note(rewards: dict[str, float], said: Sequence[str]) -> str:
    """Why an AdaptQA trial did not pass in both modes, without any value."""
    match rewards["paper"], rewards["strict"]:
        case 1.0, 1.0:
            return ""
        case 1.0, _:
            return "an answer passes as published, but the last one is not exactly the gold"
        case _, 1.0:
            return "the last answer is the gold, but not in a form that the published grader takes"
    answers = sum(len(tagged_answers(text)) for text in said)
    return f"none of {answers} answers is the gold" if answers else "no tagged answer was given"
