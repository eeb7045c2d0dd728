"""Compiles the leaves of an item into checks, each once."""

from collections.abc import Iterator, Mapping
from functools import lru_cache

from wardround.benchmarks.clinsql.checks.columns import Header
from wardround.benchmarks.clinsql.checks.leaf_tokens import tokens
from wardround.benchmarks.clinsql.checks.results_grammar import ResultsLeaf, results_check
from wardround.benchmarks.clinsql.checks.sql_grammar import sql_check
from wardround.benchmarks.clinsql.items.checks import LeafCheck, read_check
from wardround.benchmarks.clinsql.items.item import TREES, ClinTask, Tree, leaf_item, leaf_items
from wardround.scoring.rubrics.tree import RubricNode

_KEPT = 2048  # tasks; published folders have 633


def task_checks(task: ClinTask) -> Mapping[str, LeafCheck]:
    """The checks of a task by verdict item: its own, compiled ones, then those that a model read.

    Raises:
        UserError: a check that the task brings has no known form.
    """
    read = {
        i: reading.check for i, reading in task.hidden.readings.items() if reading.check is not None
    }
    return {**read, **grammar_checks(task)}


def grammar_checks(task: ClinTask) -> Mapping[str, LeafCheck]:
    """The checks of a task that need no model: its own, and those of the grammar.

    Raises:
        UserError: a check that the task brings has no known form.
    """
    gold = task.hidden
    stored = {item: read_check(check, f"{task.id}, {item}") for item, check in gold.checks.items()}
    if stored.keys() >= set(leaf_items(gold)):
        return stored
    compiled = _compiled(gold.sql_rubric, gold.results_rubric, gold.result.columns)
    return {**compiled, **stored}


def compile_leaf(
    tree: Tree, leaf: RubricNode, groups: tuple[RubricNode, ...], header: Header
) -> LeafCheck | None:
    """The check of a leaf; None if the grammar has none for its sentence.

    Args:
        tree: the rubric that it belongs to.
        leaf: the leaf.
        groups: the nodes above it, the root first.
        header: the columns that it may mean.
    """
    if tree == "sql":
        return sql_check(tokens(leaf.requirement))
    nearest = tuple(groups[:0:-1])  # without the root: its title names the whole
    headings = (*(text for node in nearest for text in (node.requirement, node.id)), leaf.id)
    return results_check(ResultsLeaf(tokens(leaf.requirement), headings, header))


@lru_cache(_KEPT)
def _compiled(
    sql: RubricNode, results: RubricNode, columns: tuple[str, ...]
) -> Mapping[str, LeafCheck]:
    roots: dict[Tree, RubricNode] = {"sql": sql, "results": results}
    header = rubric_header(results, columns)
    compiled = {
        leaf_item(tree, leaf.id): compile_leaf(tree, leaf, groups, header)
        for tree in TREES
        for leaf, groups in leaves_below(roots[tree])
    }
    return {item: check for item, check in compiled.items() if check is not None}


def rubric_header(results: RubricNode, columns: tuple[str, ...]) -> Header:
    """The gold's columns with the names that the rubric's leaves offer for them.

    Leaves that each offer names are the columns' in order if there are as many as columns;
    otherwise a name belongs to the column that it is or means.
    """
    leaves = [leaf for leaf, _ in leaves_below(results)]
    quoted = [[t.text for t in tokens(leaf.requirement) if t.kind == "name"] for leaf in leaves]
    bare = Header(columns)
    offers = [
        names
        for names, leaf in zip(quoted, leaves, strict=True)
        if names and _is_column(leaf, bare)
    ]
    aliases: list[list[str]] = [[] for _ in columns]
    in_order = len(offers) == len(columns)
    for number, names in enumerate(offers):
        at = bare.find(tokens(" ".join(f"`{name}`" for name in names)))
        at = at if at is not None else (number if in_order else bare.find(tokens(names[0])))
        if at is not None:
            aliases[at] += names
    return Header(columns, tuple(map(tuple, aliases)))


def _is_column(leaf: RubricNode, header: Header) -> bool:
    check = results_check(ResultsLeaf(tokens(leaf.requirement), (), header))
    return check is not None and check.kind == "column"


def leaves_below(root: RubricNode) -> Iterator[tuple[RubricNode, tuple[RubricNode, ...]]]:
    """The leaves with the nodes above each, the root first."""

    def below(
        node: RubricNode, groups: tuple[RubricNode, ...]
    ) -> Iterator[tuple[RubricNode, tuple[RubricNode, ...]]]:
        if node.is_leaf:
            yield node, groups
        for child in node.children:
            yield from below(child, (*groups, node))

    return below(root, ())
