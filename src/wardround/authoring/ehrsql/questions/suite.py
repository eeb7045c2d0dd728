"""Makes a set of questions, writes it in both published forms, and counts what is in it."""

import json
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from datetime import datetime
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from sqlglot import exp, parse_one

from wardround.authoring.ehrsql.questions.made_question import Made, answer_text, entry
from wardround.authoring.ehrsql.questions.maker import Maker, opened_maker
from wardround.authoring.ehrsql.questions.splits import SPLITS, Plan, Split, unanswerable_counts
from wardround.authoring.ehrsql.templates import all_question_templates, templates_for, why_not
from wardround.authoring.ehrsql.templates.records import Records
from wardround.authoring.findings import Finding
from wardround.benchmarks.ehrsql.published import ANSWER, DATA, LABEL
from wardround.benchmarks.ehrsql.tasks import NULL
from wardround.core.errors import UserError
from wardround.core.private_files import make_folder, write_whole
from wardround.core.work import Progress, silent
from wardround.ehr.records import record_kinds
from wardround.ehr.schema import load_schema

STATISTICS = "statistics.json"
# The reason for questions that could not be made for lack of records.
TOO_FEW_RECORDS = "too few records"

# The nodes of Spider's grammar: five aggregates of columns and their arithmetic, joins, nesting in
# conditions, set operations, ORDER BY and LIMIT. The paper says that it lacks functions of time
# and NULL (4.3). The rest is inferred: no named query in FROM, no other functions, CASE, windows,
# casts, OFFSET, rows of several columns, arithmetic or comparison of whole queries, or current
# time. With this, 107 published queries of `valid` fit, 57 of MIMIC-III and 50 of eICU, as in
# Table 6.
_SPIDER = (
    exp.Select, exp.From, exp.Join, exp.Where, exp.Group, exp.Having, exp.Order, exp.Ordered,
    exp.Limit, exp.Subquery, exp.Table, exp.TableAlias, exp.Alias, exp.Column, exp.Identifier,
    exp.Literal, exp.Star, exp.Distinct, exp.And, exp.Or, exp.Not, exp.EQ, exp.NEQ, exp.GT,
    exp.GTE, exp.LT, exp.LTE, exp.Between, exp.In, exp.Like, exp.Union,
    exp.Except, exp.Intersect, exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Add, exp.Sub,
    exp.Mul, exp.Div, exp.Paren, exp.Neg,
)  # fmt: skip
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div)
_COMPARISON = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.In)


class MadeSet(NamedTuple):
    """A generated set.

    Attributes:
        statistics: statistics by split.
        findings: questions that could not be made, by template.
        tied: the number of questions whose answer depends on the engine's order of rows.
        layout: the database's name in the questions.
        by_map: True if the queries read the records by their map, in no layout of EHRSQL's own.
    """

    statistics: Mapping[Split, Mapping[str, float]]
    findings: tuple[Finding, ...]
    tied: int
    layout: str
    by_map: bool


def make_ehrsql(
    location: str,
    to: Path,
    seed: int,
    size: float = 1.0,
    now: datetime | None = None,
    progress: Progress = silent,
    more: Mapping[str, Sequence[str]] = MappingProxyType({}),
    map_path: Path | None = None,
    splits: Sequence[Split] = SPLITS,
) -> MadeSet:
    """Makes questions about a database and writes them to a new folder.

    Args:
        location: a file or URL of a database.
        to: the folder, which must not exist.
        seed: the seed; the same seed gives the same files.
        size: the size of the set as a multiple of the paper's.
        now: the value of `current_time`; by default the end of the last admission's year.
        progress: called after each question, with the number made and the total.
        more: wordings in addition to the packaged ones, by template id.
        map_path: a record map of the database's own; that of its layout if left out.
        splits: the splits to make.

    Raises:
        UserError: the folder exists, or no record map fits the database.
    """
    if to.exists():
        raise UserError(f"{to} already exists; name a new folder, or remove it first.")
    unfinished = to.with_name(to.name + ".unfinished")
    with opened_maker(location, seed, now, map_path) as maker:
        shutil.rmtree(unfinished, ignore_errors=True)
        make_folder(unfinished)
        templates = templates_for(maker.pool.source.records)
        try:
            plans = [Plan(split, templates, seed, size, more) for split in splits]
            made = _write(maker, unfinished, plans, progress)
            unfinished.rename(to)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    return made


def _write(maker: Maker, folder: Path, plans: Sequence[Plan], progress: Progress) -> MadeSet:
    source, figures = maker.pool.source, dict[Split, Mapping[str, float]]()
    times = time_columns(source.records)
    wanted = {plan.split: plan.counts() for plan in plans}
    total = sum(sum(counts.values()) for counts in wanted.values())
    missing, tied, done = Counter[str](), 0, count(1)

    def advance() -> None:
        progress(next(done), total, "questions")

    for plan in plans:
        counts = wanted[plan.split]
        answerable = list(maker.answerable(counts, plan.wordings, plan.split, advance))
        shares = unanswerable_counts(plan.split, len(answerable), maker.unanswerable_templates)
        unanswerable = list(maker.unanswerable(shares, plan.wordings, plan.split))
        _write_split(folder, plan.split, [*answerable, *unanswerable], maker)
        figures[plan.split] = statistics([*answerable, *unanswerable], times, source.dialect)
        made_counts = Counter(made.template.id for made in answerable)
        missing += Counter({template.id: n for template, n in counts.items()}) - made_counts
        tied += sum(made.tied for made in answerable)
    write_json(folder / STATISTICS, {
        "seed": maker.seed,
        "database": source.schema,
        "splits": figures,
        "short": missing,
        "tied": tied,
    })  # fmt: skip
    findings = [
        Finding(id, TOO_FEW_RECORDS, count=number, kind="question")
        for id, number in missing.items()
    ]
    return MadeSet(
        figures,
        (*_unserved(source.records), *findings),
        tied,
        source.schema,
        source.records.are_views,
    )


def _unserved(records: Records) -> Iterator[Finding]:
    """Findings for templates that the records cannot answer."""
    for template in all_question_templates():
        if reason := why_not(template, records):
            yield Finding(template.id, reason, kind="template")


def _write_split(folder: Path, split: Split, made: Sequence[Made], maker: Maker) -> None:
    now, schema = maker.now, maker.pool.source.schema
    entries = [entry(question, schema, split, now) for question in made]
    of_1_5, of_2024 = folder / "ehrsql-1.5", folder / "ehrsql-2024" / split
    make_folder(of_1_5)
    make_folder(of_2024)
    write_json(of_1_5 / f"{split}.json", entries)
    write_json(of_2024 / DATA, {
        "version": f"{schema}_{split}",
        "current_time": now,
        "database": schema,
        "data": [{"id": item["id"], "question": item["question"]} for item in entries],
    })  # fmt: skip
    write_json(of_2024 / LABEL, {item["id"]: item["query"] for item in entries})
    answers = {
        item["id"]: answer_text(question.rows) if question.sql else NULL
        for item, question in zip(entries, made, strict=True)
    }
    write_json(of_2024 / ANSWER, answers)


def write_json(path: Path, content: Any) -> None:
    """Writes a published file."""
    text = json.dumps(content, ensure_ascii=False, indent=1)
    write_whole(path, f"{text}\n".encode())


class Likeness(NamedTuple):
    """The statistics of a query; `in_spider` is True if Spider's grammar can parse it."""

    tables: int
    nesting: int
    uses_time: bool
    in_spider: bool


def statistics(made: Sequence[Made], times: Set[str], dialect: str) -> Mapping[str, float]:
    """Computes the statistics of a set: counts, averages and percentages over its queries.

    A query without nesting has one level.

    Args:
        made: the questions.
        times: the names of the database's time columns.
        dialect: the dialect of the queries.
    """
    queries = [likeness(each.sql, times, dialect) for each in made if each.sql]
    count = max(1, len(queries))
    return {
        "questions": len(made),
        "answerable": len(queries),
        "templates": len({each.template.id for each in made if each.sql}),
        "tables": round(sum(query.tables for query in queries) / count, 2),
        "nesting": round(sum(query.nesting for query in queries) / count, 2),
        "time_used": round(100 * sum(query.uses_time for query in queries) / count, 1),
        "in_spider": round(100 * sum(query.in_spider for query in queries) / count, 1),
    }


def likeness(sql: str, times: Set[str], dialect: str) -> Likeness:
    """Computes the statistics of a query.

    >>> likeness("SELECT COUNT(*) FROM a WHERE x IN (SELECT y FROM b)", {"at"}, "sqlite")
    Likeness(tables=2, nesting=2, uses_time=False, in_spider=True)
    """
    tree = parse_one(sql, dialect=dialect)
    columns = {column.name.lower() for column in tree.find_all(exp.Column)}
    return Likeness(
        len({table.name.lower() for table in tree.find_all(exp.Table)}),
        max(_depth(select) for select in tree.find_all(exp.Select)),
        bool(columns & times),
        all(_in_spider(node) for node in tree.walk()),
    )


def time_columns(records: Records) -> frozenset[str]:
    """Returns the names of the records' time columns in lower case."""
    if records.are_views:
        kinds = record_kinds().values()
        typed = [(name, type) for kind in kinds for name, type in kind.columns.items()]
        return frozenset(name for name, type in typed if type == "time")
    layout = records.renaming.name if records.renaming else records.map.layout
    return frozenset(
        column.name.lower()
        for table in load_schema(layout).tables
        for column in table.columns
        if column.type in ("TIMESTAMP", "DATE")
    )


def _depth(select: exp.Expr | None) -> int:
    return 1 + _depth(select.find_ancestor(exp.Select)) if select else 0


def _in_spider(node: exp.Expr) -> bool:
    if not isinstance(node, _SPIDER):
        return False
    if isinstance(node, exp.Subquery):
        return not isinstance(node.parent, exp.From | exp.Join)
    if isinstance(node, _ARITHMETIC):
        sides = (node.this.unnest(), node.expression.unnest())
        return not any(isinstance(side, exp.Query | exp.Literal) for side in sides)
    if isinstance(node, _COMPARISON):
        in_condition = node.find_ancestor(exp.Where, exp.Having, exp.Join, exp.Select)
        return not isinstance(in_condition, exp.Select)
    return True
