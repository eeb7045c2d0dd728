"""Follow-ups of a clear task's request: six types, made from the gold (Table 8)."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from sqlglot import exp

from wardround.authoring.interact.ambiguities.clear_tasks import ClearTask
from wardround.authoring.interact.ambiguities.column_values import DatabaseValues
from wardround.authoring.interact.ambiguities.intent import other_numbers
from wardround.authoring.interact.ambiguities.statement_nodes import Statement, text_of
from wardround.authoring.interact.ambiguities.wording_templates import in_words
from wardround.benchmarks.interact.tasks import Category
from wardround.ehr.database.names import quote_text


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A possible follow-up.

    Attributes:
        kind: Its type, as `kinds.tsv` names it.
        request: The follow-up in words.
        gold: The statement that carries it out.
        category: A question or a change.
        first: The first request's gold, if the second needs what it makes; then a
            change. "" where it stays.
        made: The name of what the first then makes.
    """

    kind: str
    request: str
    gold: str
    category: Category = "BI"
    first: str = ""
    made: str = ""


Found: TypeAlias = Iterator[FollowUp]


def following(
    task: ClearTask, statement: Statement, records: DatabaseValues
) -> tuple[FollowUp, ...]:
    """Every follow-up that rules can make; whether it finds anything is seen on the database.

    Args:
        task: The clear task, of one statement.
        statement: Its gold, a question.
        records: The database's values.
    """
    found = (one for rule in _RULES for one in rule(task, statement, records))
    return tuple(one for one in dict.fromkeys(found) if one.gold != statement.sql)


def after_change(statement: Statement) -> Found:
    """Follow-ups about the state that a change leaves.

    >>> from wardround.authoring.interact.ambiguities.statement_nodes import read_statements
    >>> [one] = read_statements(["UPDATE wards SET beds = 3 WHERE id = 7"])
    >>> [one.gold for one in after_change(one)]
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
        request = f"How many rows of {name} are there now for each {in_words(column)}?"
        gold = f"SELECT {column}, COUNT(*) FROM {name} GROUP BY {column}"  # noqa: S608
        yield FollowUp("state-dependent", request, gold)


def _constraint_change(task: ClearTask, statement: Statement, records: DatabaseValues) -> Found:
    """Another bound of the same condition."""
    for node in statement.tree.find_all(exp.GT, exp.GTE, exp.LT, exp.LTE):
        value, text = node.expression, text_of(node, statement)
        if isinstance(value, exp.Literal) and text:
            for other in other_numbers(text, value.name)[:2]:
                number = other[len(text_of(node.this, statement)) :].strip(" <>='")
                request = f"And with {number} instead of {value.name}?"
                gold = statement.sql.replace(text, other)
                yield FollowUp("constraint change", request, gold)


def _topic_pivot(task: ClearTask, statement: Statement, records: DatabaseValues) -> Found:
    """Another value of the same column that occurs."""
    for node in statement.tree.find_all(exp.EQ):
        value, text = node.expression, text_of(node, statement)
        if isinstance(node.this, exp.Column) and _is_text(value) and text:
            others = [one for one in records.values(node.this.name) if one != value.name]
            for other in others[:2]:
                request = f"What about {other} instead of {value.name}?"
                changed = text.replace(quote_text(value.name), quote_text(other))
                yield FollowUp("topic pivot", request, statement.sql.replace(text, changed))


_MEASURES = {
    exp.Avg: ("MAX", "the largest instead of the average"),
    exp.Sum: ("AVG", "the average instead of the sum"),
    exp.Max: ("MIN", "the smallest instead of the largest"),
    exp.Min: ("MAX", "the largest instead of the smallest"),
}


def _attribute_change(task: ClearTask, statement: Statement, records: DatabaseValues) -> Found:
    """Another measure, or another column of the same table."""
    for kind, (name, words) in _MEASURES.items():
        for node in statement.tree.find_all(kind):
            if text := text_of(node, statement):
                gold = statement.sql.replace(text, name + text[text.index("(") :])
                yield FollowUp("attribute change", f"Show {words}.", gold)
    for node in statement.tree.find_all(exp.Count):
        text = text_of(node, statement)
        if text.upper() == "COUNT(*)" and records.table_of("subject_id") == _only(statement):
            gold = statement.sql.replace(text, "COUNT(DISTINCT subject_id)")
            request = "Show the number of different patients instead."
            yield FollowUp("attribute change", request, gold)
    yield from _other_columns(statement, records)


def _other_columns(statement: Statement, records: DatabaseValues) -> Found:
    tree = statement.tree
    plain = isinstance(tree, exp.Select) and not tree.args.get("group")
    for column in tree.expressions if plain else ():
        if isinstance(column, exp.Column):
            for other in records.relatives(column.name)[1][:1]:
                text = text_of(column, statement)
                changed = text[: -len(column.name)] + other
                request = f"Show the {in_words(other)} instead of the {in_words(column.name)}."
                yield FollowUp("attribute change", request, statement.sql.replace(text, changed, 1))


def _result_based(task: ClearTask, statement: Statement, records: DatabaseValues) -> Found:
    """The group of the first row, drilled into."""
    tree, table = statement.tree, _only(statement)
    group = tree.args.get("group")
    keys = [one for one in (group.expressions if group else ()) if isinstance(one, exp.Column)]
    rows = records.rows(statement.sql)
    if not table or len(keys) != 1 or not rows:
        return
    names = [one.alias_or_name for one in tree.expressions]
    key = keys[0].name
    number = next((one for one in records.columns(table) if re.search("(?<!row)_id$", one)), "")
    first = rows[0][names.index(key)] if key in names else None
    if isinstance(first, str) and number:
        where = tree.args.get("where")
        also = f" AND ({text_of(where.this, statement)})" if where else ""
        gold = (
            f"SELECT DISTINCT {number} FROM {table} "  # noqa: S608
            f"WHERE {key} = {quote_text(first)}{also}"
        )
        request = f"For {first}: which ones are these? List the {in_words(number)} of each once."
        yield FollowUp("result-based", request, gold)


def _aggregation(task: ClearTask, statement: Statement, records: DatabaseValues) -> Found:
    """The number of rows, and the mean of a numeric column."""
    rows = records.rows(statement.sql)
    if len(rows) < 2:
        return
    inner = f"FROM ({statement.sql.rstrip(';')}) AS found"
    request = "How many lines are that in all? Just the number."
    yield FollowUp("aggregation", request, f"SELECT COUNT(*) {inner}")
    for place, column in enumerate(statement.tree.expressions):
        name = column.alias_or_name
        is_number = all(isinstance(row[place], int | float) for row in rows)
        if name and is_number and not re.search(r"(^|_)id$", name):
            request = f"What is the average of the {in_words(name)} over all lines?"
            yield FollowUp("aggregation", request, f"SELECT AVG({name}) {inner}")


def _state_dependent(task: ClearTask, statement: Statement, records: DatabaseValues) -> Found:
    """The first request's result is kept as a table, and the second works on that."""
    names = [one.alias_or_name for one in statement.tree.expressions]
    made = re.sub(r"\W+", "_", task.id.lower()).strip("_")[:40] + "_kept"
    if task.category == "BI" and all(names) and len(set(names)) == len(names):
        first = f"CREATE TABLE {made} AS\n{statement.sql}"
        what = in_words(names[0])
        request = f"How many rows has {made}, and how many different values of {what}?"
        gold = f"SELECT COUNT(*), COUNT(DISTINCT {names[0]}) FROM {made}"  # noqa: S608
        yield FollowUp("state-dependent", request, gold, first=first, made=made)


def state_test(one: FollowUp, query: str) -> str:
    """A program that checks that what the first request makes holds what it should.

    Args:
        one: A state-dependent follow-up.
        query: The first request's question as it was.
    """
    return "\n".join(
        (
            "def test_case(pred_sqls, sol_sqls, db_name, conn):",
            f"    wanted = execute_queries({query!r}, db_name, conn)[0]",
            "    execute_queries(pred_sqls, db_name, conn)",
            f'    found = execute_queries("SELECT * FROM {one.made}", db_name, conn)[0]',  # noqa: S608
            "    assert found is not None",
            "    assert sorted(map(repr, found)) == sorted(map(repr, wanted))",
            "    return True",
        )
    )


def _is_text(value: exp.Expr) -> bool:
    return isinstance(value, exp.Literal) and value.is_string


def _only(statement: Statement) -> str:
    """The table of a question of one table; "" of others."""
    tables = [one.name for one in statement.tree.find_all(exp.Table)]
    return tables[0] if len(tables) == 1 else ""


_RULES: tuple[Callable[[ClearTask, Statement, DatabaseValues], Found], ...] = (
    _constraint_change,
    _topic_pivot,
    _attribute_change,
    _result_based,
    _aggregation,
    _state_dependent,
)
