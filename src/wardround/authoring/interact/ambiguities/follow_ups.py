"""Follow-ups of a clear task's request: six types, made from the gold (Table 8)."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from sqlglot import exp

from wardround.authoring.interact.ambiguities.clear_tasks import ClearTask
from wardround.authoring.interact.ambiguities.column_values import DatabaseValues
from wardround.authoring.interact.ambiguities.spoken_values import name_in_words, other_numbers
from wardround.authoring.interact.ambiguities.statement_nodes import Statement
from wardround.benchmarks.interact.tasks import Category
from wardround.ehr.database.names import quote_text


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A possible follow-up.

    Attributes:
        kind: its type, from `kinds.tsv`.
        request: the follow-up in words.
        gold: the statement that carries it out.
        category: a question (BI) or a change (DM).
        first: the new gold of the first request, if the follow-up reads a table that it makes;
            otherwise "".
        made: the name of that table.
        held: what the table then holds, as `HELD` tells it.
    """

    kind: str
    request: str
    gold: str
    category: Category = "BI"
    first: str = ""
    made: str = ""
    held: str = ""


# The number of rows of a table and a digest of them, whatever their order and the server's locale.
HELD = """SELECT COUNT(*), MD5(STRING_AGG(held::text, ',' ORDER BY held::text COLLATE "C"))
FROM {source} AS held"""
FollowUps: TypeAlias = Iterator[FollowUp]


def after_question(
    task: ClearTask, statement: Statement, records: DatabaseValues
) -> tuple[FollowUp, ...]:
    """Makes follow-ups of a question by rules; some may have an empty result.

    Args:
        task: the clear task.
        statement: its only gold statement, a question.
        records: the database's values.
    """
    made = (follow_up for rule in _RULES for follow_up in rule(task, statement, records))
    return tuple(new for new in dict.fromkeys(made) if new.gold != statement.sql)


def after_change(statement: Statement) -> FollowUps:
    """Yields follow-ups about the state after a change.

    >>> from wardround.authoring.interact.ambiguities.statement_nodes import read_statements
    >>> [update] = read_statements(["UPDATE wards SET beds = 3 WHERE id = 7"])
    >>> [follow_up.gold for follow_up in after_change(update)]
    ['SELECT beds, COUNT(*) FROM wards GROUP BY beds']
    """
    tree, table = statement.tree, statement.tree.find(exp.Table)
    if table is None or not isinstance(tree, exp.Insert | exp.Delete | exp.Create | exp.Update):
        return
    name = table.name
    if not isinstance(tree, exp.Update):
        request = f"How many rows are there in {name} now?"
        yield FollowUp("state-dependent", request, f"SELECT COUNT(*) FROM {name}")  # noqa: S608
        return
    for change in tree.expressions:
        column = change.this.name
        request = f"How many rows of {name} are there now for each {name_in_words(column)}?"
        gold = f"SELECT {column}, COUNT(*) FROM {name} GROUP BY {column}"  # noqa: S608
        yield FollowUp("state-dependent", request, gold)


def _constraint_change(task: ClearTask, statement: Statement, records: DatabaseValues) -> FollowUps:
    """The same condition with another bound."""
    for node, text in statement.nodes(exp.GT, exp.GTE, exp.LT, exp.LTE):
        value = node.expression
        readings = other_numbers(text, value.name) if isinstance(value, exp.Literal) else ()
        for changed in readings[:2]:
            number = changed[len(statement.text(node.this)) :].strip(" <>='")
            request = f"And with {number} instead of {value.name}?"
            yield FollowUp("constraint change", request, statement.sql.replace(text, changed))


def _topic_pivot(task: ClearTask, statement: Statement, records: DatabaseValues) -> FollowUps:
    """The same condition with another value of the column."""
    for node, text in statement.nodes(exp.EQ):
        column, value = node.this, node.expression
        if isinstance(column, exp.Column) and isinstance(value, exp.Literal) and value.is_string:
            alternatives = [text for text in records.values(column.name) if text != value.name]
            for alternative in alternatives[:2]:
                request = f"What about {alternative} instead of {value.name}?"
                changed = text.replace(quote_text(value.name), quote_text(alternative))
                yield FollowUp("topic pivot", request, statement.sql.replace(text, changed))


_MEASURES = {
    exp.Avg: ("MAX", "the largest instead of the average"),
    exp.Sum: ("AVG", "the average instead of the sum"),
    exp.Max: ("MIN", "the smallest instead of the largest"),
    exp.Min: ("MAX", "the largest instead of the smallest"),
}


def _attribute_change(task: ClearTask, statement: Statement, records: DatabaseValues) -> FollowUps:
    """Another aggregate, or another column of the same table."""
    for kind, (function, words) in _MEASURES.items():
        for _, text in statement.nodes(kind):
            gold = statement.sql.replace(text, function + text[text.index("(") :])
            yield FollowUp("attribute change", f"Show {words}.", gold)
    for _, text in statement.nodes(exp.Count):
        if text.upper() == "COUNT(*)" and records.table_of("subject_id") == _only_table(statement):
            gold = statement.sql.replace(text, "COUNT(DISTINCT subject_id)")
            request = "Show the number of different patients instead."
            yield FollowUp("attribute change", request, gold)
    yield from _other_columns(statement, records)


def _other_columns(statement: Statement, records: DatabaseValues) -> FollowUps:
    tree = statement.tree
    is_plain = isinstance(tree, exp.Select) and not tree.args.get("group")
    for column in tree.expressions if is_plain else ():
        if isinstance(column, exp.Column):
            name = column.name
            for similar in records.similar_columns(name)[1][:1]:
                text = statement.text(column)
                gold = statement.sql.replace(text, text[: -len(name)] + similar, 1)
                request = f"Show the {name_in_words(similar)} instead of the {name_in_words(name)}."
                yield FollowUp("attribute change", request, gold)


def _result_based(task: ClearTask, statement: Statement, records: DatabaseValues) -> FollowUps:
    """The rows in the group of the result's first row."""
    tree, table = statement.tree, _only_table(statement)
    group = tree.args.get("group")
    keys = [each for each in (group.expressions if group else ()) if isinstance(each, exp.Column)]
    names = [each.alias_or_name for each in tree.expressions]
    if not table or len(keys) != 1 or keys[0].name not in names:
        return
    key = keys[0].name
    rows = records.rows(statement.sql)
    number = next((each for each in records.columns(table) if re.search("(?<!row)_id$", each)), "")
    first = rows[0][names.index(key)] if rows else None
    if isinstance(first, str) and number:
        where = tree.args.get("where")
        also = f" AND ({statement.text(where.this)})" if where else ""
        gold = (
            f"SELECT DISTINCT {number} FROM {table} "  # noqa: S608
            f"WHERE {key} = {quote_text(first)}{also}"
        )
        name = name_in_words(number)
        request = f"For {first}: which ones are these? List the {name} of each once."
        yield FollowUp("result-based", request, gold)


def _aggregation(task: ClearTask, statement: Statement, records: DatabaseValues) -> FollowUps:
    """The number of rows, and the mean of a numeric column."""
    rows = records.rows(statement.sql)
    if len(rows) < 2:
        return
    inner = f"FROM ({statement.sql.rstrip(';')}) AS found"
    request = "How many lines are that in all? Just the number."
    yield FollowUp("aggregation", request, f"SELECT COUNT(*) {inner}")
    for index, column in enumerate(statement.tree.expressions):
        name = column.alias_or_name
        is_number = all(isinstance(row[index], int | float) for row in rows)
        if name and is_number and not re.search(r"(^|_)id$", name):
            request = f"What is the average of the {name_in_words(name)} over all lines?"
            yield FollowUp("aggregation", request, f"SELECT AVG({name}) {inner}")


def _state_dependent(task: ClearTask, statement: Statement, records: DatabaseValues) -> FollowUps:
    """A question about a table in which the first request stores its result."""
    names = [each.alias_or_name for each in statement.tree.expressions]
    made = re.sub(r"\W+", "_", task.id.lower()).strip("_")[:40] + "_kept"
    if task.first.category == "BI" and all(names) and len(set(names)) == len(names):
        first = f"CREATE TABLE {made} AS\n{statement.sql}"
        name = name_in_words(names[0])
        request = f"How many rows has {made}, and how many different values of {name}?"
        gold = f"SELECT COUNT(*), COUNT(DISTINCT {names[0]}) FROM {made}"  # noqa: S608
        rows = records.rows(HELD.format(source=f"({statement.sql.rstrip(';')})"))
        digest = repr(rows[0]) if rows else ""
        yield FollowUp("state-dependent", request, gold, first=first, made=made, held=digest)


def _only_table(statement: Statement) -> str:
    """The table of a question with a single table; "" for others."""
    tables = [table.name for table in statement.tree.find_all(exp.Table)]
    return tables[0] if len(tables) == 1 else ""


_RULES: tuple[Callable[[ClearTask, Statement, DatabaseValues], FollowUps], ...] = (
    _constraint_change,
    _topic_pivot,
    _attribute_change,
    _result_based,
    _aggregation,
    _state_dependent,
)
