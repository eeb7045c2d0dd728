"""Drafts of both rubrics: from the structure of the gold query, and from its result."""

import json
import re
from collections.abc import Iterator

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from wardround.annotation.views import RubricPreview
from wardround.benchmarks.clinsql.declaration import ALGORITHM, BENCHMARK, PAPER_17, STRICT
from wardround.benchmarks.clinsql.items.result_files import CsvTable, read_csv
from wardround.benchmarks.clinsql.scorer import FILE_LEAF
from wardround.core.errors import UserError
from wardround.scoring.rubrics.folds import fold
from wardround.scoring.rubrics.reader import rubric_json
from wardround.scoring.rubrics.tree import RubricNode

_COHORT_COLUMNS = ("gender", "anchor_age", "anchor_year", "age")
_CODE_COLUMNS = ("icd_code", "icd_version", "itemid", "drug", "label", "long_title")


def drafted_rubric(field: str, sql: str, result: str) -> str:
    """The JSON text of a draft.

    Raises:
        UserError: The query or the result that it is drafted from is missing or unreadable.
    """
    if field == "sql_rubric":
        root = _sql_root(_parsed(sql))
    elif result.strip():
        root = _results_root(read_csv(result, "The stored result"))
    else:
        raise UserError("Store the query's result first; the rubric is drafted from it.")
    return json.dumps(rubric_json(root), indent=2, ensure_ascii=False)


def _parsed(sql: str) -> exp.Expr:
    if not sql.strip():
        raise UserError("Write the gold query first; the rubric is drafted from it.")
    try:
        return parse_one(sql, read="bigquery")
    except SqlglotError:
        raise UserError("The query cannot be parsed; run it to see why.") from None


def _sql_root(tree: exp.Expr) -> RubricNode:
    sections = (
        _section("patient-cohort-construction", "Patient Cohort Construction", 3, _cohort(tree)),
        _section("medical-concept-implementation", "Medical Concepts", 2, _concepts(tree)),
        _section("database-integration", "Database Integration", 3, _joins(tree)),
        _section("clinical-analytics", "Clinical Analytics", 2, _measures(tree)),
    )
    return RubricNode(
        "sql-query-evaluation-root",
        "SQL Query Evaluation",
        children=tuple(section for section in sections if section.children),
    )


def _section(id: str, title: str, weight: int, sentences: Iterator[str]) -> RubricNode:
    leaves = dict.fromkeys(sentences)
    children = tuple(_leaf(f"{id.split('-')[0]}-{n}", s) for n, s in enumerate(leaves, start=1))
    return RubricNode(id, title, weight, children=children)


def _leaf(id: str, sentence: str) -> RubricNode:
    return RubricNode(id, sentence, scoring="1/0")


def _conditions(tree: exp.Expr, columns: tuple[str, ...]) -> Iterator[exp.Expr]:
    """The outermost conditions on one of the columns that a query filters by."""
    for clause in tree.find_all(exp.Where, exp.Having, exp.Qualify):
        for condition in _flat(clause.this):
            if any(column.name.lower() in columns for column in condition.find_all(exp.Column)):
                yield condition


def _flat(condition: exp.Expr) -> list[exp.Expr]:
    inner = condition.unnest()
    return list(inner.flatten()) if isinstance(inner, exp.And) else [inner]


def _cohort(tree: exp.Expr) -> Iterator[str]:
    for condition in _conditions(tree, _COHORT_COLUMNS):
        yield f"The query keeps only patients with {_text(condition)}."


def _concepts(tree: exp.Expr) -> Iterator[str]:
    for condition in _conditions(tree, _CODE_COLUMNS):
        yield f"The query selects the records with {_text(condition)}."


def _joins(tree: exp.Expr) -> Iterator[str]:
    ctes = {cte.alias for cte in tree.find_all(exp.CTE)}
    tables = sorted({t.name for t in tree.find_all(exp.Table) if t.name not in ctes})
    if tables:
        yield f"The query reads the tables {', '.join(tables)}."
    for join in tree.find_all(exp.Join):
        keys = join.args.get("on") or join.args.get("using")
        if isinstance(keys, exp.Expr):
            yield f"The query joins {join.this.alias_or_name} on {_text(keys)}."


def _measures(tree: exp.Expr) -> Iterator[str]:
    outer = tree if isinstance(tree, exp.Select) else tree.find(exp.Select)
    if outer is None:
        return
    for projection in outer.expressions:
        measured = _text(projection.unalias())
        yield f"The query computes {projection.alias_or_name or measured} as {measured}."
    if group := outer.args.get("group"):
        yield f"The result is grouped by {', '.join(_text(each) for each in group.expressions)}."


def _text(node: exp.Expr) -> str:
    return node.sql("bigquery")


def _results_root(table: CsvTable) -> RubricNode:
    names = [(column, _slug(column)) for column in table.columns]
    exists = tuple(
        _leaf(f"column-{slug}-exists", f"There is a column of this meaning (e.g. `{column}`).")
        for column, slug in names
    )
    gate = (
        _leaf("csv-file-exists", "A result file with rows exists."),
        RubricNode("column-name-exists", "Columns", sequential=True, children=exists),
        _leaf("no-null-empty-values", "No cell is NULL or empty."),
    )
    form = RubricNode(
        "output-format-validation", "Output Format", 1, sequential=True, children=gate
    )
    values = tuple(leaf for column, slug in names for leaf in _ranges(table, column, slug))
    features = RubricNode(
        "output-feature-validation", "Clinical Values", 2, sequential=True, children=values
    )
    children = (form, features) if values else (form,)
    return RubricNode("results-validation-root", "Results Validation", children=children)


def _ranges(table: CsvTable, column: str, slug: str) -> Iterator[RubricNode]:
    """Wide and narrow bounds of a numeric column, for the annotator to mend."""
    cells = [row[table.columns.index(column)] for row in table.rows]
    try:
        numbers = [float(cell) for cell in cells if cell is not None]
    except ValueError:
        return
    if not numbers:
        return
    for name, title, share in (("plausible", "plausible", 0.5), ("acceptable", "acceptable", 0.05)):
        low = min(n - abs(n) * share for n in numbers)
        high = max(n + abs(n) * share for n in numbers)
        sentence = f"`{column}` lies in the {title} range {low:.4g}-{high:.4g}."
        yield _leaf(f"{slug}-{name}", sentence)


def _slug(column: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", column.lower()).strip("-") or "column"


def previews(root: RubricNode, passed: frozenset[str], *, ran: bool) -> Iterator[RubricPreview]:
    """The root's score in each grading.

    Args:
        root: The rubric.
        passed: Ids of the leaves that are met.
        ran: True if the query gave rows; `strict` scores 0 otherwise.
    """
    for grading in BENCHMARK.gradings:
        leaves = {leaf.id: float(leaf.id in passed) for leaf in root.leaves()}
        if grading.name == PAPER_17 and FILE_LEAF in leaves:
            leaves[FILE_LEAF] = 1.0
        scores = fold(root, leaves, "algorithm" if grading.name == ALGORITHM else "published")
        score = 0.0 if grading.name == STRICT and not ran else scores[root.id]
        yield RubricPreview(grading.name, score, grading.summary)
