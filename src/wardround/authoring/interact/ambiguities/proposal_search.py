"""Searches a clear task for ambiguities and follow-ups that change the result."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from sqlglot import exp

from wardround.authoring.interact.ambiguities.assembly import assembled
from wardround.authoring.interact.ambiguities.chains import asked_twice, through_knowledge
from wardround.authoring.interact.ambiguities.checks import gold_of, judged_otherwise
from wardround.authoring.interact.ambiguities.clear_tasks import ClearTask
from wardround.authoring.interact.ambiguities.column_values import DatabaseValues
from wardround.authoring.interact.ambiguities.follow_ups import (
    FollowUp,
    after_change,
    after_question,
)
from wardround.authoring.interact.ambiguities.implementation import implementation
from wardround.authoring.interact.ambiguities.intent import intent
from wardround.authoring.interact.ambiguities.knowledge import linked, masks
from wardround.authoring.interact.ambiguities.mutation import misread
from wardround.authoring.interact.ambiguities.proposals import Proposal
from wardround.authoring.interact.ambiguities.spoken_values import name_in_words
from wardround.authoring.interact.ambiguities.statement_nodes import (
    Statement,
    is_negated,
    read_statements,
)
from wardround.authoring.interact.ambiguities.workshop import Workshop
from wardround.ehr.database import Workspace
from wardround.ehr.database.postgres.statements import (
    SECONDS,
    Start,
    read_submission,
    run_statements,
)

_UNKNOWN = ("?", "", "-", "n/a", "na", "none", "unknown", "not available", "___")

# The largest number of follow-ups of each type.
_MOST_OF_A_TYPE = 2


def ambiguities(task: ClearTask, workshop: Workshop) -> tuple[Proposal, ...]:
    """Returns the possible ambiguities of a task, with the readings that give a wrong result."""
    proposals = chain.from_iterable(
        _of_statement(task, statement, workshop) for statement in read_statements(task.first.gold)
    )
    checked = (_with_wrong_readings(each, task, workshop) for each in dict.fromkeys(proposals))
    return tuple(each for each in checked if each.otherwise)


def follow_ups(task: ClearTask, workshop: Workshop) -> tuple[FollowUp, ...]:
    """Returns the follow-ups with values in their result and a result other than the task's."""
    statements = read_statements(task.first.gold)
    if task.first.category == "DM":
        return tuple(_after_change(task, statements, workshop.workspace))[:_MOST_OF_A_TYPE]
    if len(statements) != 1 or not isinstance(statements[0].tree, exp.Select):
        return ()
    [statement] = statements
    first = _rows(workshop.workspace, statement.sql)
    counts: Counter[str] = Counter()
    chosen = []
    for each in after_question(task, statement, _values_of(statement, workshop)):
        if counts[each.kind] < _MOST_OF_A_TYPE:
            rows = _rows(workshop.workspace, *filter(None, (each.first, each.gold)))
            if any(cell is not None for row in rows for cell in row) and rows != first:
                counts[each.kind] += 1
                chosen.append(each)
    return tuple(chosen)


def _after_change(
    task: ClearTask, statements: Sequence[Statement], workspace: Workspace
) -> Iterator[FollowUp]:
    """Yields the follow-ups whose result the change alters."""
    for each in dict.fromkeys(chain.from_iterable(map(after_change, statements))):
        before = _rows(workspace, each.gold)
        after = _rows(workspace, *read_submission(";\n".join(task.first.gold)), each.gold)
        if after and after != before:
            yield each


def _of_statement(task: ClearTask, statement: Statement, workshop: Workshop) -> Iterator[Proposal]:
    request, ids, base = task.first.request, task.first.knowledge, workshop.base
    values = _values_of(statement, workshop)
    intents = intent(request, statement, values)
    links, gaps = linked(request, ids, statement, base), masks(ids, statement, base)
    yield from intents
    yield from implementation(request, statement)
    yield from column_noise(statement, values)
    yield from links
    yield from gaps
    yield from chain(*map(asked_twice, intents), *through_knowledge(links, gaps, base))


def _values_of(statement: Statement, workshop: Workshop) -> DatabaseValues:
    return DatabaseValues(workshop.database, statement.tables())


def _with_wrong_readings(proposal: Proposal, task: ClearTask, workshop: Workshop) -> Proposal:
    """Keeps only the readings of a proposal that run and are wrong."""
    alone = assembled(task, [proposal])
    gold, judge = gold_of(alone), workshop.judge(alone)
    readings = tuple(
        reading
        for reading in proposal.otherwise
        if judged_otherwise(misread(gold, proposal.fragment, reading), proposal.kind, judge)
        == "wrong"
    )
    return replace(proposal, otherwise=readings)


def _rows(workspace: Workspace, *statements: str) -> Sequence[tuple[object, ...]]:
    """The last result of statements run in sequence; () if one fails."""
    Start(workspace).restore()
    return run_statements(workspace, statements, SECONDS).rows


def column_noise(statement: Statement, records: DatabaseValues) -> tuple[Proposal, ...]:
    """Proposes ambiguities for conditions of the gold on irregular values.

    Irregular values are NULL, marks for "unknown", and numbers mixed with other texts. Only
    values that occur in the database count.
    """
    proposals = []
    for node in statement.tree.find_all(exp.Is, exp.RegexpLike, exp.NEQ, exp.EQ):
        column = node.find(exp.Column)
        meaning = _meaning(node, column.name, records) if column else ""
        text = statement.text(node.parent if isinstance(node.parent, exp.Not) else node)
        if column and meaning and text:
            words = name_in_words(column.name)
            meaning, readings = meaning.format(what=words), _other_readings(node, statement)
            proposals.append(
                Proposal("environmental", text, meaning, readings, term=words, critical=False)
            )
    return tuple(proposals)


def _other_readings(node: exp.Expr, statement: Statement) -> tuple[str, ...]:
    """Readings without the condition; for numbers, whole numbers only, as texts would fail."""
    if isinstance(node, exp.RegexpLike):
        left = statement.text(node.this)
        return (f"{left} ~ '^[0-9]+$'", f"{left} ~ '^[0-9]$'")
    return ("FALSE", "TRUE") if isinstance(node, exp.EQ) else ("TRUE",)


def _meaning(node: exp.Expr, column: str, records: DatabaseValues) -> str:
    """The irregularity of a column in the user's words; "" if it has none."""
    value = node.args.get("expression")
    if isinstance(node, exp.Is) and isinstance(value, exp.Null) and records.has_null(column):
        what_to_do = "leave those out" if is_negated(node) else "take those"
        return f"The {{what}} is not always recorded; {what_to_do}."
    if isinstance(node, exp.RegexpLike) and _is_mixed(column, records):
        return "The {what} is not always a plain number; take those that are."
    sign = value.name if isinstance(value, exp.Literal) and value.is_string else None
    if sign is not None and sign.lower() in _UNKNOWN and sign in records.values(column):
        what_to_do = "take" if isinstance(node, exp.EQ) else "leave out"
        return f"Where the {{what}} is not known, {sign!r} stands; {what_to_do} those."
    return ""


def _is_mixed(column: str, records: DatabaseValues) -> bool:
    """True if a column has both numbers and other texts."""
    return (
        len({bool(re.fullmatch(r"-?\d+(?:\.\d+)?", each)) for each in records.values(column)}) == 2
    )
