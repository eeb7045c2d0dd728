"""The reader: a language model that compiles the leaves that the grammar leaves open."""

from collections.abc import Iterator, Sequence
from types import UnionType
from typing import Annotated, get_args

from pydantic import BaseModel, ConfigDict, Field

from wardround.benchmarks.clinsql import prompts
from wardround.benchmarks.clinsql.checks.check_grounds import Ground
from wardround.benchmarks.clinsql.checks.compiled_checks import Reading
from wardround.benchmarks.clinsql.checks.compiler import grammar_checks, leaves_below, rubric_header
from wardround.benchmarks.clinsql.checks.model import AllOf, LeafCheck
from wardround.benchmarks.clinsql.checks.results_checks import ResultsCheck
from wardround.benchmarks.clinsql.checks.sql_checks import Cohort, SqlCheck
from wardround.benchmarks.clinsql.tasks import TREES, ClinTask, Tree, leaf_item
from wardround.core.errors import InfraError, MalformedAnswerError
from wardround.models.messages import Message
from wardround.models.model import ConversationTooLongError, Model
from wardround.models.prompts import fill
from wardround.scoring.rubrics.tree import RubricNode

_SUBJECTS: dict[Tree, str] = {"sql": "a BigQuery query", "results": "the result of a query"}
_UNIONS: dict[Tree, UnionType] = {"sql": SqlCheck, "results": ResultsCheck}
_MOST = 4
# Tokens of an answer: a small model may write names without end.
ANSWER_TOKENS = 1024


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
            elif (found := await _read(model, task, tree, leaf, groups)) is not None:
                readings[item] = found
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
        return None, "a leaf of another meaning is no comparison of cohorts"
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
