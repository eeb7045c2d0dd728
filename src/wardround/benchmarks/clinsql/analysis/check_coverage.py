"""Compiles the checks of tasks for review: how many leaves have one, by kind of check."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from wardround.benchmarks.clinsql.checks.compiled_checks import READINGS, write_readings
from wardround.benchmarks.clinsql.checks.compiler import grammar_checks, task_checks
from wardround.benchmarks.clinsql.checks.model import LeafCheck, stored_check
from wardround.benchmarks.clinsql.checks.reader import ANSWER_TOKENS, read_task
from wardround.benchmarks.clinsql.declaration import CheckOptions
from wardround.benchmarks.clinsql.grading.rubric_judge import with_limit
from wardround.benchmarks.clinsql.published.item_folders import item_folders, load_items
from wardround.benchmarks.clinsql.tasks import TREES, ClinTask, Tree, leaf_item, leaf_items
from wardround.core.benchmark import Summary, Table
from wardround.core.private_files import write_whole
from wardround.core.work import WorkContext, WorkResult
from wardround.models.client import LanguageModel
from wardround.models.roles import Models

NO_CHECK = "none"
READ = " (by a model)"


def check(options: CheckOptions, context: WorkContext[Models]) -> WorkResult:
    """Compiles all tasks of a folder; writes the checks to a file if one is named.

    Raises:
        UserError: The folder cannot be read.
    """
    suite = load_items(options.tasks)
    asked: tuple[str, ...] = ()
    if (reader := context.models.find("reader")) is not None:
        asked = asyncio.run(_read_all(reader, suite.tasks, options.tasks, context))
        suite = load_items(options.tasks)
    compiled = {task.id: task_checks(task) for task in suite.tasks}
    if options.to is not None:
        write_whole(options.to, checks_file(suite.tasks, compiled))
    table = coverage_table(suite.tasks, compiled)
    problems = tuple(f"{defect.where}: {defect.reason}" for defect in suite.defects)
    notes = () if options.to is None else (f"The checks are in {options.to}.",)
    return WorkResult(Summary({"coverage": table}), (*asked, *notes), problems)


async def _read_all(
    reader: LanguageModel, tasks: Sequence[ClinTask], source: Path, context: WorkContext[Models]
) -> tuple[str, ...]:
    """Has the reader compile the open leaves, and stores its checks beside each item."""
    model = with_limit(reader, ANSWER_TOKENS).bind("reader", lambda requested: None, seed=0)
    folders = {folder.id: folder.path for folder in item_folders(source)}
    usable = refused = unanswered = 0
    try:
        for number, task in enumerate(tasks, start=1):
            open_leaves = len(leaf_items(task.hidden)) - len(grammar_checks(task))
            readings = await read_task(model, task)
            if readings:
                write_readings(folders[task.id], readings)
            found = sum(reading.check is not None for reading in readings.values())
            usable, refused = usable + found, refused + len(readings) - found
            unanswered += open_leaves - len(readings)
            context.progress(number, len(tasks), "items")
    finally:
        await context.models.close()
    note = f"The reader {model.name} compiled {usable} leaves; {refused} stay open"
    failed = f", {unanswered} had no answer and are asked about again" if unanswered else ""
    return (f"{note}{failed}. Review its checks in each item's {READINGS}.",)


def coverage_table(
    tasks: Sequence[ClinTask], compiled: Mapping[str, Mapping[str, LeafCheck]]
) -> Table:
    """The number of leaves by tree and kind of their check, the most frequent first."""
    counts: Counter[tuple[Tree, str]] = Counter()
    for task in tasks:
        checks = compiled[task.id]
        for tree, item, _ in _leaves(task):
            kind = checks[item].kind if item in checks else NO_CHECK
            counts[tree, f"{kind}{READ}" if _compiler(task, item) else kind] += 1
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
            item: {
                "requirement": requirement,
                "check": _stored(compiled[task.id].get(item)),
                **_compiler(task, item),
            }
            for _, item, requirement in _leaves(task)
        }
        for task in tasks
    }
    return orjson.dumps(content, option=orjson.OPT_INDENT_2) + b"\n"


def _compiler(task: ClinTask, item: str) -> dict[str, str]:
    """The model that compiled a leaf's check, if a model did."""
    reading = task.hidden.readings.get(item)
    return {"by": reading.by} if reading is not None and reading.check is not None else {}


def _stored(check: LeafCheck | None) -> dict[str, Any] | None:
    return None if check is None else stored_check(check)


def _leaves(task: ClinTask) -> list[tuple[Tree, str, str]]:
    return [
        (tree, leaf_item(tree, leaf.id), leaf.requirement)
        for tree in TREES
        for leaf in task.hidden.rubric(tree).leaves()
    ]
