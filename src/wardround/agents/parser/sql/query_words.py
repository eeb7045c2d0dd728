"""The words of a learned query, from its syntax tree: nothing is left unsaid.

A part of the tree that has no words here is shown as SQL.
"""

from collections.abc import Iterator, Mapping, Sequence

from sqlglot import exp

from wardround.agents.parser.columns import is_id, noun, noun_of
from wardround.agents.parser.names.spell_checker import Correction
from wardround.agents.parser.names.value_index import Mention
from wardround.agents.parser.question_reader import Reading
from wardround.agents.parser.slot_filling import FilledForm, FilledSlot
from wardround.agents.parser.sql.generator import MARKER
from wardround.agents.parser.sql.skeletons import parse_sql
from wardround.ehr.query.condition_words import listed
from wardround.ehr.times import filter_text

_FUNCTIONS: Mapping[type[exp.Expr], str] = {
    exp.Avg: "average",
    exp.Max: "maximum",
    exp.Min: "minimum",
    exp.Sum: "total",
}
_COMPARED: Mapping[type[exp.Expr], str] = {
    exp.LT: "before",
    exp.LTE: "not after",
    exp.GT: "after",
    exp.GTE: "not before",
}


def read_query(filled: FilledForm) -> str:
    """The reading of a filled form in one sentence."""
    tree = parse_sql(filled.variant.form.sql, filled.variant.form.dialect)
    return _Reader(filled).read(tree)


class _Reader:
    def __init__(self, filled: FilledForm) -> None:
        self._filled = filled
        self._slots = filled.slots

    def read(self, tree: exp.Expr) -> str:
        select = tree if isinstance(tree, exp.Select) else tree.find(exp.Select)
        if select is None:
            return f"{self._sql(tree)}."
        wanted = " and ".join(self._expression(item) for item in select.expressions)
        tests = "; ".join(dict.fromkeys(self._tests(select)))
        return f"{wanted[:1].upper()}{wanted[1:]}{', where ' * bool(tests)}{tests}."

    def _tests(self, select: exp.Select) -> Iterator[str]:
        """The conditions, groups, order and limit of a query and of those within it."""
        for source in select.find_all(exp.From, exp.Join):
            inner = source.this
            is_own = source.find_ancestor(exp.Select) is select
            if is_own and isinstance(inner, exp.Subquery):
                yield from self._inner(inner)
        for key in ("where", "having"):
            if clause := select.args.get(key):
                yield from self._test(clause.this)
        if group := select.args.get("group"):
            yield f"for each {' and '.join(map(self._expression, group.expressions))}"
        if order := select.args.get("order"):
            limit = select.args.get("limit")
            count = f" {self._sql(limit.expression)}" if limit else ""
            yield from (self._ordered(item, count) for item in order.expressions)

    def _inner(self, query: exp.Expr) -> Iterator[str]:
        select = query.find(exp.Select)
        if select is not None:
            yield from (self._expression(item) for item in select.find_all(exp.Window))
            yield from self._tests(select)

    def _test(self, test: exp.Expr) -> Iterator[str]:
        if isinstance(test, exp.Paren):
            yield from self._test(test.this)
        elif isinstance(test, exp.And):
            for part in test.flatten():
                yield from self._test(part)
        elif isinstance(test, exp.In) and test.args.get("query"):
            yield from self._inner(test.args["query"])
        elif isinstance(test, exp.EQ) and isinstance(test.expression, exp.Subquery):
            yield from self._inner(test.expression)
        elif isinstance(test, exp.EQ) and _are_columns(test) and test.left.name == test.right.name:
            return
        elif isinstance(test, exp.EQ) and isinstance(test.this, exp.Column):
            yield f"{_noun(test.this)}: {self._expression(test.expression)}"
        elif (words := _word(test, _COMPARED)) and _are_columns(test):
            yield f"{self._event(test.this)} {words} {self._event(test.expression)}"
        else:
            yield self._expression(test)

    def _event(self, time: exp.Column) -> str:
        """The names in the subquery of a time, or the time's own name."""
        root = time.root()
        for subquery in root.find_all(exp.Subquery):
            if subquery.alias == time.table:
                events = [
                    self._expression(literal)
                    for literal in subquery.find_all(exp.Literal)
                    if MARKER.fullmatch(literal.sql()) and self._is_event(literal)
                ]
                return " ".join(events) or _column(time)
        return _column(time)

    def _is_event(self, literal: exp.Literal) -> bool:
        column = literal.parent.this if literal.parent else None
        return isinstance(column, exp.Column) and not is_id(column.name)

    def _ordered(self, item: exp.Expr, count: str) -> str:
        key = item.this if isinstance(item, exp.Ordered) else item
        if isinstance(key, exp.Anonymous):
            filter, columns = self._call(key)
            return f"the {filter} by {columns}"
        is_last = isinstance(item, exp.Ordered) and bool(item.args.get("desc"))
        return f"the {'last' if is_last else 'first'}{count} by {self._expression(key)}"

    def _ranked(self, item: exp.Expr) -> str:
        is_descending = isinstance(item, exp.Ordered) and bool(item.args.get("desc"))
        size = "largest" if is_descending else "smallest"
        return f"{self._expression(item.this)}, the {size} first"

    def _expression(self, item: exp.Expr) -> str:
        if isinstance(item, exp.Alias | exp.Paren):
            return self._expression(item.this)
        if isinstance(item, exp.Distinct):
            return f"different {' and '.join(map(self._expression, item.expressions))}"
        if isinstance(item, exp.Column):
            return _column(item)
        if isinstance(item, exp.Window) and (order := item.args.get("order")):
            return f"ranked by {', '.join(map(self._ranked, order.expressions))}"
        if isinstance(item, exp.Count):
            counted = "rows" if isinstance(item.this, exp.Star) else self._expression(item.this)
            return f"number of {counted}"
        if function := _word(item, _FUNCTIONS):
            return f"{function} of {self._expression(item.this)}"
        if isinstance(item, exp.Anonymous) and item.name.upper().startswith("TIME_"):
            return " ".join(reversed(self._call(item)))
        if isinstance(item, exp.GT) and item.expression.sql() == "0" and item.this.find(exp.Count):
            return "whether there are any rows"
        if isinstance(item, exp.Not):
            return f"not {self._expression(item.this)}"
        if isinstance(item, exp.Is):
            return f"{self._expression(item.this)} is {item.expression.sql().lower()}"
        return self._sql(item)

    def _call(self, call: exp.Anonymous) -> tuple[str, str]:
        """The words of a time, and the columns that it is of."""
        number, *columns = call.expressions
        filter = self._filled.times[int(number.sql())]
        words = filter_text(filter) if filter else "at any time"
        return words, " and ".join(map(self._expression, columns))

    def _sql(self, item: exp.Expr) -> str:
        """The SQL of a part, with the values of its slots."""
        sql = item.sql(self._filled.variant.form.dialect)
        return MARKER.sub(lambda at: f"{at['equals'] or ''}{self._values(int(at['slot']))}", sql)

    def _values(self, slot: int) -> str:
        return listed(self._slots[slot].values)


def _word(item: exp.Expr, words: Mapping[type[exp.Expr], str]) -> str:
    return next((word for kind, word in words.items() if isinstance(item, kind)), "")


def _are_columns(test: exp.Expr) -> bool:
    return isinstance(test.this, exp.Column) and isinstance(test.expression, exp.Column)


def _column(column: exp.Column) -> str:
    """A column of a table, or of the events in a subquery."""
    is_table = any(table.name == column.table for table in column.root().find_all(exp.Table))
    return f"{column.name} of {column.table}" if is_table else column.name


def _noun(column: exp.Column) -> str:
    return noun_of(f"{column.table}.{column.name}".lower())


def explain(
    filled: FilledForm | None, reading: Reading, corrections: Sequence[Correction] = ()
) -> tuple[str, ...]:
    """Sentences on the kind of question, its values, numbers and times.

    Args:
        filled: The form of the query; None where there is no query.
        reading: The question.
        corrections: What was corrected in it.
    """
    if filled is None:
        return ("No kind of question that is known fits what is asked.",)
    return tuple(_sentences(filled, reading, corrections))


def _sentences(
    filled: FilledForm, reading: Reading, corrections: Sequence[Correction]
) -> Iterator[str]:
    yield read_query(filled)
    for correction in corrections:
        yield f'"{correction.written}" was read as "{correction.meant}".'
    for slot in filled.slots:
        yield _slot_sentence(slot, reading)
    times = dict.fromkeys(filter_text(time) for time in filled.times if time)
    if times:
        yield f"Time: {', '.join(times)}."
    if filled.cost:
        yield "Not all that the question says is in the query, or the query has more."


def _slot_sentence(slot: FilledSlot, reading: Reading) -> str:
    domain = slot.slot.domain
    if domain is None or not isinstance(slot.filler, Mention):
        return f"Number: {slot.values[0]}."
    name, resolved = reading.written(slot.filler.first, slot.filler.last), ""
    if slot.alias:
        is_part = slot.alias.meaning == name.lower()
        resolved = (
            f'"{name}", understood as {"part of a name" if is_part else slot.alias.meaning}: '
        )
    column = f"{domain.table}.{domain.column}"
    return f"{noun(domain).capitalize()}: {resolved}{listed(slot.values)} ({column})."
