"""Runs and checks golds on a database, and lists golds with known defects."""

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import zip_longest
from pathlib import Path

from wardround.benchmarks.ehrsql.graders import Grader, same_sorted_rows, sorted_texts
from wardround.benchmarks.ehrsql.result_cache import Ran, Results
from wardround.benchmarks.ehrsql.tasks import NULL, EhrsqlTask, is_refusal
from wardround.core.errors import UserError
from wardround.core.packaged_data import read_rows
from wardround.core.task import Defect, Suite

# A few golds of any release fail; above this share the labels belong to another database.
MOST_DEAD = 0.5


@cache
def known_defects() -> dict[str, str]:
    """Returns the reasons, by question id, why golds do not give their published answers.

    The reasons hold for the databases that are available without credentials.
    """
    rows = read_rows("wardround.benchmarks.ehrsql", "known_defects.tsv")
    return {row[0]: row[1] for row in rows}


def known_among(ids: Iterable[str]) -> tuple[Defect, ...]:
    """Returns the known defects among question ids."""
    known = known_defects()
    return tuple(Defect(id, known[id]) for id in ids if id in known)


def answerable(tasks: Iterable[EhrsqlTask]) -> list[EhrsqlTask]:
    """Returns the tasks that have a gold query."""
    return [task for task in tasks if task.hidden.gold not in (None, NULL)]


def run_golds(
    suite: Suite, results: Results, graders: Sequence[Grader], folder: Path | None = None
) -> None:
    """Runs a suite's golds in the spelling of each grader, or reads their results from disk.

    Args:
        suite: the questions with their labels.
        results: receives the results.
        graders: the graders, each of which preprocesses queries in its own way.
        folder: the cache of gold results; the user's cache folder by default.

    Raises:
        UserError: most of the golds do not fit this database.
    """
    tasks = answerable(suite.tasks)
    results.run_golds(
        [_preprocessed(t, t.hidden.gold, grader) for grader in graders for t in tasks], folder
    )
    pairs = [
        (task, results.of(_preprocessed(task, task.hidden.gold, graders[0]))) for task in tasks
    ]
    check_belonging(pairs, suite.source, results.database.name)


def run_gold(task: EhrsqlTask, results: Results, grader: Grader) -> Ran | None:
    """Returns the result of a task's gold; None if the question cannot be answered."""
    return run_answer(task, task.hidden.gold or NULL, results, grader)


def run_answer(task: EhrsqlTask, sql: str, results: Results, grader: Grader) -> Ran | None:
    """Returns the result of an answer to a task; None for a refusal."""
    return None if is_refusal(sql) else results.of(_preprocessed(task, sql, grader))


def check_gold(task: EhrsqlTask, gold: Ran) -> str:
    """Returns the reason why a task's gold cannot be graded on the database; "" if it can.

    The gold must give a result, which must equal the published answer if there is one.
    """
    if gold.rows is None:
        return f"its gold query fails: {gold.reason}"
    if task.hidden.answer is None or same_sorted_rows(task.hidden.answer, gold.rows):
        return ""
    return f"its gold query gives another answer than the published one: {_difference(task, gold)}"


def check_belonging(golds: Sequence[tuple[EhrsqlTask, Ran]], source: str, database: str) -> None:
    """Checks that labels belong to a database.

    Scores would mean nothing if most golds fail, differ from the published answer, or return no
    values, since all golds were published with a result.

    Args:
        golds: the answerable tasks with the results of their golds.
        source: the labels' file or folder.
        database: the database's name.

    Raises:
        UserError: most golds do not fit the database.
    """
    failing = [ran for _, ran in golds if ran.rows is None]
    unexpected = [ran for task, ran in golds if ran.rows is not None and _is_unexpected(task, ran)]
    if len(failing) + len(unexpected) <= MOST_DEAD * len(golds):
        return
    first = f" (the first: {failing[0].reason.rstrip('.')})" if failing else ""
    raise UserError(
        f"Of {len(golds)} gold queries of {source}, {len(failing)} fail{first} and "
        f"{len(unexpected)} find nothing or not what was published on database {database}; the "
        "labels belong to another database, so name theirs with --database."
    )


def _difference(task: EhrsqlTask, gold: Ran) -> str:
    """The first compared row in which the published answer and the gold's result differ."""
    published, result = (sorted_texts(rows) for rows in (task.hidden.answer or (), gold.rows or ()))
    pairs = zip_longest(published, result, fillvalue=["nothing more"])
    want, got = next(pair for pair in pairs if pair[0] != pair[1])
    return f"want {', '.join(want)}, got {', '.join(got)}"


def _is_unexpected(task: EhrsqlTask, gold: Ran) -> bool:
    if task.hidden.answer is None:
        return not gold.has_value
    return bool(check_gold(task, gold))


def _preprocessed(task: EhrsqlTask, sql: str | None, grader: Grader) -> str:
    return grader.preprocess(sql or NULL, task.public.now)
