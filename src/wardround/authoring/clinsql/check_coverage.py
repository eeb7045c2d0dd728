"""Compiles the checks of tasks for review; a language model reads what the grammar leaves open."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, get_args

import orjson
from pydantic import BaseModel, ConfigDict, Field

from wardround.authoring.clinsql.declaration import CheckOptions
from wardround.benchmarks.clinsql import prompts
from wardround.benchmarks.clinsql.checks.check_grounds import Ground
from wardround.benchmarks.clinsql.checks.compiler import (
    grammar_checks,
    leaves_below,
    rubric_header,
    task_checks,
)
from wardround.benchmarks.clinsql.items.checks import (
    AllOf,
    Cohort,
    LeafCheck,
    ResultsCheck,
    SqlCheck,
)
from wardround.benchmarks.clinsql.items.compiled_checks import READINGS, Reading, write_readings
from wardround.benchmarks.clinsql.items.item import TREES, ClinTask, Tree, leaf_item, leaf_items
from wardround.benchmarks.clinsql.items.item_folders import item_folders
from wardround.benchmarks.clinsql.rubric_judge import with_limit
from wardround.benchmarks.clinsql.tasks import load_tasks
from wardround.core.benchmark import Summary, Table
from wardround.core.errors import InfraError, MalformedAnswerError
from wardround.core.private_files import write_whole
from wardround.core.work import WorkContext, WorkResult
from wardround.models.client import LanguageModel
from wardround.models.messages import Message
from wardround.models.model import ConversationTooLongError, Model
from wardround.models.prompts import fill
from wardround.models.roles import Models
from wardround.scoring.rubrics.tree import RubricNode

_SUBJECTS: dict[Tree, str] = {"sql": "a BigQuery query", "results": "the result of a query"}
_UNIONS: dict[Tree, UnionType] = {"sql": SqlCheck, "results": ResultsCheck}
_MOST = 4
# Tokens of an answer: a small model may write names without end.
ANSWER_TOKENS = 1024
NO_CHECK = "none"
READ = " (by a model)"


def check(options: CheckOptions, context: WorkContext[Models]) -> WorkResult:
    """Compiles all tasks of a folder; writes the checks to a file if one is named.

    Raises:
        UserError: the folder cannot be read.
    """
    suite = load_tasks(options.tasks)
    asked: tuple[str, ...] = ()
    if (reader := context.models.find("reader")) is not None:
        asked = asyncio.run(_read_all(reader, suite.tasks, options.tasks, context))
        suite = load_tasks(options.tasks)
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
            compiled = sum(reading.check is not None for reading in readings.values())
            usable, refused = usable + compiled, refused + len(readings) - compiled
            unanswered += open_leaves - len(readings)
            context.progress(number, len(tasks), "items")
    finally:
        await context.models.close()
    note = f"The reader {model.name} compiled {usable} leaves; {refused} stay open"
    failed = f", {unanswered} had no answer and are asked about again" if unanswered else ""
    return (f"{note}{failed}. Review its checks in each item's {READINGS}.",)


class QueryReading(BaseModel):
    """The checks of a requirement on a query."""

    model_config = ConfigDict(defer_build=True)

    checks: list[Annotated[SqlCheck, Field(discriminator="kind")]] = Field(
        description="the checks; none if no kind fits", max_length=_MOST
    )


class ResultReading(BaseModel):
    """The checks of a requirement on a result."""

    model_config = ConfigDict(defer_build=True)

    checks: list[Annotated[ResultsCheck, Field(discriminator="kind")]] = Field(
        description="the checks; none if no kind fits", max_length=_MOST
    )


_SCHEMAS: dict[Tree, type[QueryReading | ResultReading]] = {
    "sql": QueryReading,
    "results": ResultReading,
}


async def read_task(model: Model, task: ClinTask) -> dict[str, Reading]:
    """The readings of a task's leaves that have no check, by verdict item.

    Readings that the task has for the same sentence are not made again. A leaf whose request
    fails has none, so that it is asked about the next time.
    """
    checked = grammar_checks(task)
    readings: dict[str, Reading] = {}
    for tree in TREES:
        for leaf, groups in leaves_below(task.hidden.rubric(tree)):
            item = leaf_item(tree, leaf.id)
            known = task.hidden.readings.get(item)
            if item in checked:
                continue
            if known is not None and known.requirement == leaf.requirement:
                readings[item] = known
            elif (reading := await _read(model, task, tree, leaf, groups)) is not None:
                readings[item] = reading
    return readings


async def _read(
    model: Model, task: ClinTask, tree: Tree, leaf: RubricNode, groups: Sequence[RubricNode]
) -> Reading | None:
    headings = [node.requirement for node in groups[1:]]
    request = [Message("user", reader_prompt(task, tree, leaf, headings))]
    schema: type[QueryReading | ResultReading] = _SCHEMAS[tree]
    try:
        answer = await model.structured(request, schema)
    except InfraError:
        return None
    except (MalformedAnswerError, ConversationTooLongError) as error:
        return Reading(requirement=leaf.requirement, by=model.name, problem=str(error))
    header = rubric_header(task.hidden.results_rubric, task.hidden.result.columns)
    text = " ".join((leaf.requirement, *headings))
    check, problem = grounded(answer.checks, Ground(text, task.hidden, header))
    return Reading(requirement=leaf.requirement, by=model.name, check=check, problem=problem)


def grounded(
    checks: Sequence[ResultsCheck | SqlCheck], ground: Ground
) -> tuple[LeafCheck | None, str]:
    """A reader's checks as a single check, or None and the reason why it is refused."""
    if not checks:
        return None, "no kind of check fits"
    if any(isinstance(check, Cohort) for check in checks):
        return None, "a leaf of another meaning is not a comparison of cohorts"
    check: LeafCheck = checks[0] if len(checks) == 1 else AllOf(checks=tuple(checks))
    problem = ground.refusal(check)
    return (None, problem) if problem else (check, "")


def reader_prompt(task: ClinTask, tree: Tree, leaf: RubricNode, headings: Sequence[str]) -> str:
    """The question to a reader about a leaf."""
    return fill(
        prompts.__name__,
        "reader.md",
        subject=_SUBJECTS[tree],
        question=task.public.question,
        gold=task.hidden.sql,
        columns=", ".join(task.hidden.result.columns),
        headings=" > ".join(headings) or "nothing",
        requirement=leaf.requirement,
        kinds="\n".join(_kinds(tree)),
    )


def _kinds(tree: Tree) -> Iterator[str]:
    """A line on each kind of check that a reader may choose."""
    for kind in get_args(_UNIONS[tree]):
        if kind is not Cohort:
            meaning = " ".join((kind.__doc__ or "").split())
            fields = ", ".join(name for name in kind.model_fields if name != "kind")
            yield f"- {kind.model_fields['kind'].default} ({fields or 'no field'}): {meaning}"


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
    totals = {
        tree: sum(n for (of_tree, _), n in counts.items() if of_tree == tree) for tree in TREES
    }
    rows = tuple(
        (tree, kind, count, round(100 * count / totals[tree], 1))
        for tree in TREES
        for (of_tree, kind), count in counts.most_common()
        if of_tree == tree
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
    return None if check is None else check.stored()


def _leaves(task: ClinTask) -> list[tuple[Tree, str, str]]:
    return [
        (tree, leaf_item(tree, leaf.id), leaf.requirement)
        for tree in TREES
        for leaf in task.hidden.rubric(tree).leaves()
    ]
