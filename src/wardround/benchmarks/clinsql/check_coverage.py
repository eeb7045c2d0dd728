"""Compiles the checks of tasks for review: how many leaves have one, by kind of check."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from wardround.benchmarks.clinsql.checks.compiler import task_checks
from wardround.benchmarks.clinsql.checks.model import LeafCheck, stored_check
from wardround.benchmarks.clinsql.declaration import CheckOptions
from wardround.benchmarks.clinsql.item_folders import load_items
from wardround.benchmarks.clinsql.tasks import TREES, ClinTask, Tree, leaf_item
from wardround.core.benchmark import Summary, Table
from wardround.core.private_files import write_whole
from wardround.core.work import WorkContext, WorkResult

NO_CHECK = "none"


def check(options: CheckOptions, context: WorkContext) -> WorkResult:
    """Compiles all tasks of a folder; writes the checks to a file if one is named.

    Raises:
        UserError: The folder cannot be read.
    """
    suite = load_items(options.tasks)
    compiled = {task.id: task_checks(task) for task in suite.tasks}
    if options.to is not None:
        write_whole(options.to, checks_file(suite.tasks, compiled))
    table = coverage_table(suite.tasks, compiled)
    problems = tuple(f"{defect.where}: {defect.reason}" for defect in suite.defects)
    notes = () if options.to is None else (f"The checks are in {options.to}.",)
    return WorkResult(Summary({"coverage": table}), notes, problems)


def coverage_table(
    tasks: Sequence[ClinTask], compiled: Mapping[str, Mapping[str, LeafCheck]]
) -> Table:
    """The number of leaves by tree and kind of their check, the most frequent first."""
    counts: Counter[tuple[Tree, str]] = Counter()
    for task in tasks:
        checks = compiled[task.id]
        for tree, item, _ in _leaves(task):
            counts[tree, checks[item].kind if item in checks else NO_CHECK] += 1
    totals = {tree: sum(n for (of, _), n in counts.items() if of == tree) for tree in TREES}
    rows = tuple(
        (tree, kind, count, round(100 * count / totals[tree], 1))
        for tree in TREES
        for (of, kind), count in counts.most_common()
        if of == tree
    )
    note = "Percent of the tree's leaves. A leaf without a check is a judge's."
    return Table("Leaves by kind of check", ("Tree", "Check", "Leaves", "Percent"), rows, note)


def checks_file(
    tasks: Sequence[ClinTask], compiled: Mapping[str, Mapping[str, LeafCheck]]
) -> bytes:
    """The leaves of each task with their sentence and check, as JSON; null for no check."""
    content = {
        task.id: {
            item: {"requirement": requirement, "check": _stored(compiled[task.id].get(item))}
            for _, item, requirement in _leaves(task)
        }
        for task in tasks
    }
    return orjson.dumps(content, option=orjson.OPT_INDENT_2) + b"\n"


def _stored(check: LeafCheck | None) -> dict[str, Any] | None:
    return None if check is None else stored_check(check)


def _leaves(task: ClinTask) -> list[tuple[Tree, str, str]]:
    return [
        (tree, leaf_item(tree, leaf.id), leaf.requirement)
        for tree in TREES
        for leaf in task.hidden.rubric(tree).leaves()
    ]
