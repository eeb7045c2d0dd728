"""Analyses the parser's errors on EHRSQL 2024's valid split: risk by coverage, error kinds.

Run as `python -m bench.ehrsql_parser_errors DATABASE PARSER`, with a file of `wardround train
parser`; prints two tables.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

from rich.console import Console
from rich.table import Table
from sqlglot import exp

from bench.ehrsql_parser import DATA, MODE
from wardround.agents.parser import Parsed, load
from wardround.agents.parser.sql.skeletons import parse_sql
from wardround.benchmarks.ehrsql.file_scoring.command import evaluate
from wardround.benchmarks.ehrsql.file_scoring.predictions import Predictions
from wardround.benchmarks.ehrsql.gold import run_golds
from wardround.benchmarks.ehrsql.result_cache import Results
from wardround.benchmarks.ehrsql.tasks import NULL, EhrsqlTask, load_tasks
from wardround.core.task import Suite
from wardround.ehr.database import Database, open_database
from wardround.ehr.times import extract_filters
from wardround.scoring.abstention import GradedQuestion, area_under_curve, risk_coverage_curve

POINTS = 10


def main(location: str, model: str) -> None:
    """Answers the valid split with a parser and prints both tables."""
    valid = load_tasks(DATA / "valid")
    with closing(open_database(location)) as database:
        parser = load(Path(model))
        parsed = {task.id: parser.answer(task.public.question, database) for task in valid.tasks}
        judged = _judged(valid, parsed, database)
    Console(width=100).print(_curve(judged, parsed), _errors(valid, judged, parsed))


def _judged(
    suite: Suite, parsed: Mapping[str, Parsed], database: Database
) -> dict[str, GradedQuestion]:
    """Grades each question as if the parser always answered with its best query."""
    guesses = Predictions({id: item.guess or NULL for id, item in parsed.items()})
    results = Results(database)
    run_golds(suite, results, [MODE])
    evaluation = evaluate(suite, results, [MODE], guesses)
    return {item.id: item.judged[MODE.name] for item in evaluation.scored}


def _curve(judged: Mapping[str, GradedQuestion], parsed: Mapping[str, Parsed]) -> Table:
    points = risk_coverage_curve(list(judged.values()), [parsed[id].confidence for id in judged])
    table = Table(
        "coverage %", "risk %", title=f"risk by coverage, mean {area_under_curve(points):.4f}"
    )
    for part in range(1, POINTS + 1):
        coverage, risk = min(points, key=lambda point: abs(point[0] - part / POINTS))
        table.add_row(f"{100 * coverage:.1f}", f"{100 * risk:.2f}")
    return table


def _errors(
    suite: Suite, judged: Mapping[str, GradedQuestion], parsed: Mapping[str, Parsed]
) -> Table:
    counts = Counter(
        kind
        for task in suite.tasks
        if (kind := _error(task, judged[task.id], parsed[task.id])) is not None
    )
    table = Table("error", "questions", title=f"errors among {len(suite.tasks)} questions")
    for kind, count in counts.most_common():
        table.add_row(kind, str(count))
    return table


def _error(task: EhrsqlTask, judged: GradedQuestion, parsed: Parsed) -> str | None:
    """The kind of the parser's error, if any."""
    if not judged.answerable:
        return "answered: cannot be answered" if parsed.sql else None
    if judged.correct:
        return None if parsed.sql else "refused: its best query was right"
    action = "answered" if parsed.sql else "refused"
    if parsed.guess is None:
        return f"{action}: no query found"
    return f"{action}: {_difference(parsed.guess, task.hidden.gold or NULL)}"


def _difference(guess: str, gold: str) -> str:
    """The first kind of difference between two queries."""
    guess_parts, gold_parts = _parts(guess), _parts(gold)
    return next(
        (name for name, item in guess_parts.items() if item != gold_parts[name]),
        "rows of another order or name",
    )


def _parts(sql: str) -> dict[str, object]:
    """The parts of a query by the name of a difference in them."""
    tree, times = extract_filters(parse_sql(sql, "sqlite"))
    named = {literal.name.lower() for literal in tree.find_all(exp.Literal) if literal.is_string}
    return {
        "other tables": {table.name.lower() for table in tree.find_all(exp.Table)},
        "other columns": {column.name.lower() for column in tree.find_all(exp.Column)},
        "other times": {(time.template.id, *sorted(time.values.items())) for time in times},
        "other values": named,
        "other numbers": sorted(
            literal.name for literal in tree.find_all(exp.Literal) if literal.is_number
        ),
        "other operations": sorted(_operations(tree)),
    }


def _operations(tree: exp.Expression) -> Iterator[str]:
    for node in tree.find_all(exp.AggFunc, exp.GT, exp.LT, exp.GTE, exp.LTE, exp.Between):
        yield node.key
    for key in tree.find_all(exp.Ordered):
        yield "descending" if key.args.get("desc") else "ascending"


if __name__ == "__main__":
    main(*sys.argv[1:])
