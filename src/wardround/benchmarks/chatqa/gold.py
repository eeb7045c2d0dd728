"""Checks before a run that a task's gold can be graded on the database."""

from collections import Counter
from collections.abc import Sequence

from wardround.benchmarks.chatqa.answers import published_values, value_text
from wardround.benchmarks.chatqa.oracle import as_text
from wardround.benchmarks.chatqa.scorer import score_adapt, score_incre
from wardround.benchmarks.chatqa.tasks import ChatTask
from wardround.core.limits import Limits
from wardround.ehr.database import Database, QueryError
from wardround.ehr.text.numerals import from_words
from wardround.scoring.results import Rows, column_matches, same_table


def check_gold(task: ChatTask, database: Database, limits: Limits) -> str:
    """Returns the reason why a task's gold cannot be graded on a database; "" if it can.

    The gold query must run and return rows. For IncreQA its result must pass both graders
    against the gold answer. For AdaptQA its first column must hold the gold answer's values, and
    the gold answer, given in answer tags, must pass both graders.
    """
    try:
        seconds = limits.statement_seconds
        rows = database.execute(task.hidden.gold_sql, rows=None, seconds=seconds).rows
    except QueryError as error:
        return f"its gold query fails: {error}"
    if not rows:
        return "its gold query returns no row, and an empty result cannot pass; mend gold_sql."
    check = _check_incre if task.public.flow == "incre" else _check_adapt
    return check(task.hidden.gold_answer, rows)


def _check_incre(gold: Rows, rows: Rows) -> str:
    rewards = score_incre([column_matches(gold, rows)], [same_table(gold, rows)])
    detail = difference(_whole_rows(gold), _whole_rows(rows))
    return _rejection(rewards, detail or "a first column with NULL is never matched")


def _check_adapt(gold: Rows, rows: Rows) -> str:
    answer, result = _first_values(gold), _first_values(rows)
    if set(answer) != set(result):
        return f"its gold answer is not its gold query's result: {difference(answer, result)}"
    rewards = score_adapt(gold, [f"<answer>{as_text(gold)}</answer>"])
    return _rejection(rewards, "mend gold_answer")


def _rejection(rewards: dict[str, float], detail: str) -> str:
    failed = [grading for grading, reward in rewards.items() if reward < 1]
    if not failed:
        return ""
    return f"its gold does not pass the {' and '.join(failed)} grader on this database: {detail}"


def difference(gold: Sequence[str], result: Sequence[str]) -> str:
    """Names the first missing and first surplus value, counting duplicates; "" if none.

    >>> difference(["1", "5"], ["2", "5"]), difference(["1"], ["1", "1"])
    ('want 1, got 2', 'want nothing more, got 1')
    """
    missing, surplus = Counter(gold) - Counter(result), Counter(result) - Counter(gold)
    if not missing and not surplus:
        return ""
    wanted = next(iter(missing), "nothing more")
    return f"want {wanted}, got {next(iter(surplus), 'nothing more')}"


def _whole_rows(rows: Rows) -> list[str]:
    return [", ".join(map(value_text, row)) for row in rows]


def _first_values(rows: Rows) -> list[str]:
    """The first column in lower case, with all numbers in words as digits."""
    return [_as_number(value.strip().lower()) for value in published_values(rows)]


def _as_number(text: str) -> str:
    number = from_words(text)
    return text if number is None else str(number)
