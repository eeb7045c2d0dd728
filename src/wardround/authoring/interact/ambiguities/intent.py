"""Ambiguities of intent, by rules on the pair of clear request and gold (Table 6)."""

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import TypeAlias

from sqlglot import exp

from wardround.authoring.interact.ambiguities.column_values import DatabaseValues
from wardround.authoring.interact.ambiguities.proposals import Proposal
from wardround.authoring.interact.ambiguities.spoken_values import as_day, forms
from wardround.authoring.interact.ambiguities.statement_nodes import Statement, span_of, text_of
from wardround.authoring.interact.ambiguities.wording_templates import in_words, vague

Found: TypeAlias = Iterator[Proposal]

_COMPARISONS = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.EQ, exp.Between)


def intent(request: str, statement: Statement, records: DatabaseValues) -> tuple[Proposal, ...]:
    """Five of the six types; the sixth, of knowledge, needs a knowledge base (`knowledge.py`).

    What rules cannot word is left for a person or a model: those have no words in the request.

    Args:
        request: The clear request.
        statement: A statement of the gold.
        records: The database's values.
    """
    found = (one for rule in _RULES for one in rule(request, statement, records))
    return tuple(dict.fromkeys(one for one in found if one.fragment and one.otherwise))


def _semantic(request: str, statement: Statement, records: DatabaseValues) -> Found:
    """A number or a day of a condition becomes a vague word."""
    for condition in statement.tree.find_all(*_COMPARISONS, exp.Limit):
        literals = [one for one in condition.find_all(exp.Literal) if _within(one, condition)]
        for literal in literals:
            kind = "query intent" if isinstance(condition, exp.Limit) else "semantic"
            text = text_of(condition, statement)
            readings = other_numbers(text, literal.name)
            if said := _said_loosely(literal, request):
                yield Proposal(kind, text, _meaning(said[0]), readings, *said)
            elif column := condition.find(exp.Column):
                yield Proposal(kind, text, "", readings, term=in_words(column.name))


def _within(literal: exp.Literal, condition: exp.Expr) -> bool:
    """True if a literal is compared itself, not inside a subquery."""
    return literal.find_ancestor(exp.Select, exp.Limit, *_COMPARISONS) is condition


def _said_loosely(literal: exp.Literal, request: str) -> tuple[str, str] | None:
    rules = vague()["dates" if as_day(literal.name) else "numbers"]
    for form in forms(literal.name):
        for rule in rules:
            pattern = r"(?<!\w)" + rule["said"].replace("{n}", re.escape(form) + r"(?![\w])")
            if found := re.search(pattern, request, re.IGNORECASE):
                return found[0], rule["becomes"]
    return None


def _meaning(said: str) -> str:
    said = said.strip(" ,;")
    return f"I mean {said}."


def other_numbers(text: str, value: str) -> tuple[str, ...]:
    """A piece of SQL with other values in a value's place, near ones first.

    >>> other_numbers("age >= 65", "65")
    ('age >= 81', 'age >= 52', 'age >= 130')
    """
    if day := as_day(value):
        moved = [str(day + timedelta(days)) for days in (91, -91, 182, -365)]
        return tuple(_replaced(text, value, value.replace(str(day), one)) for one in moved)
    if not re.fullmatch(r"\d+(?:\.\d+)?", value):
        return ()
    number = float(value)
    whole = "." not in value
    near = [number * 1.25, number * 0.8, number * 2]
    if whole:
        near = [max(number + 1, near[0]), min(number - 1, near[1]), near[2]]
    shown = [f"{round(one) if whole else round(one, 3):g}" for one in near if one > 0]
    return tuple(_replaced(text, value, one) for one in dict.fromkeys(shown) if one != value)


def _replaced(text: str, value: str, other: str) -> str:
    return re.sub(rf"(?<![\w.]){re.escape(value)}(?!\w|\.\d)", lambda _: other, text)


def _lexical(request: str, statement: Statement, records: DatabaseValues) -> Found:
    """A value or a list of values becomes a wider word."""
    for node in statement.tree.find_all(exp.In, exp.EQ):
        column = node.this
        given = node.expressions if isinstance(node, exp.In) else [node.expression]
        texts = [one for one in given if isinstance(one, exp.Literal) and one.is_string]
        if not isinstance(column, exp.Column) or not texts or len(texts) < len(given):
            continue
        if isinstance(node.parent, exp.Update):
            continue
        if any(as_day(one.name) for one in texts):
            continue
        if stretch := _stretch(request, column.name, [one.name for one in texts]):
            becomes, others = _wider(column.name, [one.name for one in texts], records)
            fragment = text_of(node, statement)
            head = text_of(column, statement)
            readings = tuple(f"{head} IN ({_listed(one)})" for one in others)
            yield Proposal("lexical", fragment, _meaning(stretch), readings, stretch, becomes)


def _stretch(request: str, column: str, values: list[str]) -> str:
    """The words from the first of some values to the last; "" unless all are said.

    The column's words are with them where they stand before the values.
    """
    before = rf"(?:(?<!\w){re.escape(in_words(column))}\s+)?"
    values_said = [rf"{before}'?(?<!\w){re.escape(one)}(?!\w)'?" for one in values]
    places = [re.search(one, request, re.IGNORECASE) for one in values_said]
    found = [place for place in places if place]
    if len(found) < len(values):
        return ""
    return request[min(one.start() for one in found) : max(one.end() for one in found)]


def _wider(column: str, values: list[str], records: DatabaseValues) -> tuple[str, list[list[str]]]:
    """A word for values and others like them, and other choices among these."""
    others = [one for one in records.values(column) if one not in values]
    words = [set(re.findall(r"[a-z]{4,}", one.lower())) for one in values]
    shared = sorted(set.intersection(*words), key=lambda word: (-len(word), word))
    for word in shared:
        if alike := [one for one in others if word in one.lower()]:
            return word, [[*values, *alike], alike]
    narrower = [values[:1]] if len(values) > 1 else []
    wider = [[*values, others[0]]] if others else []
    return f"certain {in_words(column)}s", [*narrower, *wider]


def _listed(values: list[str]) -> str:
    return ", ".join("'" + one.replace("'", "''") + "'" for one in values)


def _schema_linking(request: str, statement: Statement, records: DatabaseValues) -> Found:
    """A column with near relatives is named by the word that they share."""
    columns = {one.name: one for one in statement.tree.find_all(exp.Column)}
    for name, column in columns.items():
        words = in_words(name)
        said = re.search(rf"(?<!\w){re.escape(name)}(?!\w)|(?<!\w){words}(?!\w)", request, re.I)
        shared, relatives = records.relatives(name)
        text = text_of(column, statement)
        if said and relatives and text:
            prefix = text[: -len(name)]
            readings = tuple(prefix + one for one in relatives)
            meaning = f"I mean the {words}."
            yield Proposal("schema linking", text, meaning, readings, said[0], shared)


def _query_intent(request: str, statement: Statement, records: DatabaseValues) -> Found:
    """A vaguer word for the measure."""
    for rule in vague()["measures"]:
        said = re.search(rule["said"], request, re.I)
        for node in statement.tree.find_all(exp.AggFunc):
            text = text_of(node, statement)
            if said and node.key == rule["aggregate"] and text:
                readings = _other_measures(node, text, rule["otherwise"], records)
                hidden = (said[0], rule["becomes"])
                yield Proposal("query intent", text, rule["meaning"], readings, *hidden)


def _other_measures(
    node: exp.AggFunc, text: str, others: list[str], records: DatabaseValues
) -> tuple[str, ...]:
    inner = text[text.index("(") :]
    if isinstance(node, exp.Count):
        distinct = bool(node.find(exp.Distinct))
        return ("COUNT(*)",) if distinct else ("COUNT(DISTINCT subject_id)", "AVG(age)")
    return tuple(f"{name}{inner}" for name in others)


def _syntactic(request: str, statement: Statement, records: DatabaseValues) -> Found:
    """An "and" that could belong to every part of an "or"."""
    for node in statement.tree.find_all(exp.Paren):
        whole = node.parent
        if isinstance(node.this, exp.Or) and isinstance(whole, exp.And):
            place, inner = span_of(whole, statement), text_of(node, statement)
            text = statement.between(*place) if place else ""
            if text and inner:
                open_scope = text.replace(inner, inner[1:-1])
                either = re.search(r"\b(?:either|both|in either case)\s+", request, re.I)
                said = either[0] if either else ""
                yield Proposal(
                    "syntactic",
                    text,
                    "The first condition holds for all of them.",
                    (open_scope,),
                    said,
                    term="what belongs together",
                )


_RULES: tuple[Callable[[str, Statement, DatabaseValues], Found], ...] = (
    _semantic,
    _lexical,
    _schema_linking,
    _query_intent,
    _syntactic,
)
