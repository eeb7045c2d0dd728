"""Searches a clear task for ambiguities and follow-ups that make a difference on the database."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from sqlglot import exp

from wardround.authoring.interact.ambiguities.assembly import assembled
from wardround.authoring.interact.ambiguities.chains import asked_twice, through_knowledge
from wardround.authoring.interact.ambiguities.checks import gold_of, judge_of, judged_otherwise
from wardround.authoring.interact.ambiguities.clear_tasks import ClearTask
from wardround.authoring.interact.ambiguities.column_values import DatabaseValues
from wardround.authoring.interact.ambiguities.follow_ups import FollowUp, after_change, following
from wardround.authoring.interact.ambiguities.implementation import implementation
from wardround.authoring.interact.ambiguities.intent import intent
from wardround.authoring.interact.ambiguities.knowledge import linked, masks
from wardround.authoring.interact.ambiguities.mutation import misread
from wardround.authoring.interact.ambiguities.noise import noise
from wardround.authoring.interact.ambiguities.proposals import Proposal
from wardround.authoring.interact.ambiguities.statement_nodes import Statement, read_statements
from wardround.benchmarks.interact.grader import Grader
from wardround.ehr.database import Database, Workspace
from wardround.ehr.database.postgres.statements import (
    SECONDS,
    Start,
    read_submission,
    run_statements,
)
from wardround.ehr.knowledge import KnowledgeBase

# The most follow-ups of one type.
_OF_A_TYPE = 2


@dataclass(frozen=True, slots=True)
class Workshop:
    """The database, knowledge and grader that tasks are made with.

    Attributes:
        database: It is only read.
        workspace: A copy to try things on.
        base: Its knowledge, nothing masked.
        grader: Grades alternative readings.
    """

    database: Database
    workspace: Workspace
    base: KnowledgeBase
    grader: Grader


def ambiguities(task: ClearTask, workshop: Workshop) -> tuple[Proposal, ...]:
    """The ambiguities that a task could have, each with the readings that give a wrong result."""
    found = chain.from_iterable(
        _of_statement(task, statement, workshop) for statement in read_statements(task.gold)
    )
    kept = (_that_matter(one, task, workshop) for one in dict.fromkeys(found))
    return tuple(one for one in kept if one.otherwise)


def follow_ups(task: ClearTask, workshop: Workshop) -> tuple[FollowUp, ...]:
    """The follow-ups that, run after the task, find something and something else."""
    statements = read_statements(task.gold)
    if task.category == "DM":
        return tuple(_after_change(task, statements, workshop.workspace))[:_OF_A_TYPE]
    if len(statements) != 1 or not isinstance(statements[0].tree, exp.Select):
        return ()
    [statement] = statements
    first = _rows(workshop.workspace, statement.sql)
    counted: dict[str, int] = {}
    kept = []
    for one in following(task, statement, _values_of(statement, workshop)):
        if counted.get(one.kind, 0) < _OF_A_TYPE:
            rows = _rows(workshop.workspace, *filter(None, (one.first, one.gold)))
            if any(cell is not None for row in rows for cell in row) and rows != first:
                counted[one.kind] = counted.get(one.kind, 0) + 1
                kept.append(one)
    return tuple(kept)


def _after_change(
    task: ClearTask, statements: Sequence[Statement], workspace: Workspace
) -> Iterator[FollowUp]:
    """The follow-ups whose answer differs from that before the change."""
    for one in dict.fromkeys(chain.from_iterable(map(after_change, statements))):
        before = _rows(workspace, one.gold)
        after = _rows(workspace, *read_submission(";\n".join(task.gold)), one.gold)
        if after and after != before:
            yield one


def _of_statement(task: ClearTask, statement: Statement, workshop: Workshop) -> Iterator[Proposal]:
    records = _values_of(statement, workshop)
    meant = intent(task.request, statement, records)
    links = linked(task.request, task.knowledge, statement, workshop.base)
    gaps = masks(task.knowledge, statement, workshop.base)
    yield from meant
    yield from implementation(task.request, statement)
    yield from noise(statement, records)
    yield from links
    yield from gaps
    for pair in (*map(asked_twice, meant), *through_knowledge(links, gaps, workshop.base)):
        yield from pair or ()


def _values_of(statement: Statement, workshop: Workshop) -> DatabaseValues:
    tables = dict.fromkeys(one.name for one in statement.tree.find_all(exp.Table))
    return DatabaseValues(workshop.database, tuple(tables))


def _that_matter(one: Proposal, task: ClearTask, workshop: Workshop) -> Proposal:
    """Keeps the readings of a proposal that run and are wrong."""
    alone = assembled(task, [one], None)
    judge = judge_of(alone, workshop.grader, workshop.workspace, SECONDS)
    readings = tuple(
        reading
        for reading in one.otherwise
        if judged_otherwise(misread(gold_of(alone), one.fragment, reading), one.kind, judge)
        == "wrong"
    )
    return replace(one, otherwise=readings)


def _rows(workspace: Workspace, *statements: str) -> Sequence[tuple[object, ...]]:
    """The last result of statements run in sequence; none where one fails."""
    Start(workspace).restore()
    return run_statements(workspace, statements, SECONDS).rows
