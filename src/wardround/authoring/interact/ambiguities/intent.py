"""Intent ambiguities, found by rules on a clear request and its gold (Table 6)."""

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from sqlglot import exp

from wardround.authoring.interact.ambiguities.column_values import DatabaseValues
from wardround.authoring.interact.ambiguities.proposals import Proposal
from wardround.authoring.interact.ambiguities.spoken_values import (
    as_day,
    forms,
    name_in_words,
    other_numbers,
)
from wardround.authoring.interact.ambiguities.statement_nodes import Statement
from wardround.core.packaged_data import read_toml
from wardround.ehr.database.names import quote_text

Proposals: TypeAlias = Iterator[Proposal]

_COMPARISONS = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.EQ, exp.Between)


def intent(request: str, statement: Statement, records: DatabaseValues) -> tuple[Proposal, ...]:
    """Proposes ambiguities of five of the six types; module `knowledge` has the sixth.

    A proposal that rules cannot word has no meaning; a person or a model adds it.

    Args:
        request: the clear request.
        statement: a statement of the gold.
        records: the database's values.
    """
    proposals = (each for rule in _RULES for each in rule(request, statement, records))
    return tuple(dict.fromkeys(each for each in proposals if each.fragment and each.otherwise))


def vague_words() -> dict[str, Any]:
    """Reads the rules of `vague_words.toml`: for numbers, dates and measures."""
    return read_toml(__package__, "vague_words.toml")


def _semantic(request: str, statement: Statement, records: DatabaseValues) -> Proposals:
    """Replaces a number or day of a condition by a vague word."""
    for condition in statement.tree.find_all(*_COMPARISONS, exp.Limit):
        kind = "query intent" if isinstance(condition, exp.Limit) else "semantic"
        for literal in condition.find_all(exp.Literal):
            if literal.find_ancestor(exp.Select, exp.Limit, *_COMPARISONS) is not condition:
                continue  # compared in a subquery
            text = statement.text(condition)
            readings = other_numbers(text, literal.name)
            if replacement := _vague_form(literal, request):
                yield Proposal(kind, text, _meaning(replacement[0]), readings, *replacement)
            elif column := condition.find(exp.Column):
                yield Proposal(kind, text, "", readings, term=name_in_words(column.name))


def _vague_form(literal: exp.Literal, request: str) -> tuple[str, str] | None:
    """The words of a request for a value, and the vague words to replace them; None if absent."""
    rules = vague_words()["dates" if as_day(literal.name) else "numbers"]
    for form in forms(literal.name):
        for rule in rules:
            pattern = r"(?<!\w)" + rule["said"].replace("{n}", re.escape(form) + r"(?![\w])")
            if match := re.search(pattern, request, re.IGNORECASE):
                return match[0], rule["becomes"]
    return None


def _meaning(words: str) -> str:
    return f"I mean {words.strip(' ,;')}."


def _lexical(request: str, statement: Statement, records: DatabaseValues) -> Proposals:
    """Replaces a value or a list of values by a wider word."""
    for node in statement.tree.find_all(exp.In, exp.EQ):
        column, values = node.this, _texts(node)
        if not values or not isinstance(column, exp.Column) or isinstance(node.parent, exp.Update):
            continue
        if stretch := _stretch(request, column.name, values):
            becomes, choices = _wider(column.name, values, records)
            head = statement.text(column)
            readings = tuple(f"{head} IN ({', '.join(map(quote_text, each))})" for each in choices)
            meaning = _meaning(stretch)
            yield Proposal("lexical", statement.text(node), meaning, readings, stretch, becomes)


def _texts(node: exp.Predicate) -> list[str]:
    """The texts that a column is compared with; none if any is a day or not a text."""
    literals = node.expressions if isinstance(node, exp.In) else [node.expression]
    texts = [each.name for each in literals if isinstance(each, exp.Literal) and each.is_string]
    return [] if len(texts) < len(literals) or any(map(as_day, texts)) else texts


def _stretch(request: str, column: str, values: list[str]) -> str:
    """The words of a request from the first value to the last; "" unless it has all values.

    The column's name is included if it precedes the values.
    """
    before = rf"(?:(?<!\w){re.escape(name_in_words(column))}\s+)?"
    patterns = [rf"{before}'?(?<!\w){re.escape(each)}(?!\w)'?" for each in values]
    matches = [match for each in patterns if (match := re.search(each, request, re.IGNORECASE))]
    if len(matches) < len(values):
        return ""
    return request[min(each.start() for each in matches) : max(each.end() for each in matches)]


def _wider(column: str, values: list[str], records: DatabaseValues) -> tuple[str, list[list[str]]]:
    """A wider word for values, and other lists of values that it may mean."""
    further = [value for value in records.values(column) if value not in values]
    words = [set(re.findall(r"[a-z]{4,}", value.lower())) for value in values]
    shared = sorted(set.intersection(*words), key=lambda word: (-len(word), word))
    for word in shared:
        if alike := [value for value in further if word in value.lower()]:
            return word, [[*values, *alike], alike]
    narrower = [values[:1]] if len(values) > 1 else []
    wider = [[*values, further[0]]] if further else []
    return f"certain {name_in_words(column)}s", [*narrower, *wider]


def _schema_linking(request: str, statement: Statement, records: DatabaseValues) -> Proposals:
    """Names a column by a word that it shares with similar columns."""
    columns = {column.name: column for column in statement.tree.find_all(exp.Column)}
    for name, column in columns.items():
        words = name_in_words(name)
        match = re.search(rf"(?<!\w){re.escape(name)}(?!\w)|(?<!\w){words}(?!\w)", request, re.I)
        shared, similar = records.similar_columns(name)
        if match and similar:
            text = statement.text(column)
            readings = tuple(text[: -len(name)] + each for each in similar)
            meaning = f"I mean the {words}."
            yield Proposal("schema linking", text, meaning, readings, match[0], shared)


def _query_intent(request: str, statement: Statement, records: DatabaseValues) -> Proposals:
    """Replaces an aggregate's word by a vaguer one."""
    for rule in vague_words()["measures"]:
        match = re.search(rule["said"], request, re.I)
        for node in statement.tree.find_all(exp.AggFunc):
            if match and node.key == rule["aggregate"]:
                text = statement.text(node)
                readings = _other_measures(node, text, rule["otherwise"])
                replacement = (match[0], rule["becomes"])
                yield Proposal("query intent", text, rule["meaning"], readings, *replacement)


def _other_measures(node: exp.AggFunc, text: str, names: list[str]) -> tuple[str, ...]:
    if isinstance(node, exp.Count):
        is_distinct = bool(node.find(exp.Distinct))
        return ("COUNT(*)",) if is_distinct else ("COUNT(DISTINCT subject_id)", "AVG(age)")
    return tuple(name + text[text.find("(") :] for name in names)


def _syntactic(request: str, statement: Statement, records: DatabaseValues) -> Proposals:
    """Removes the word that says whether an "and" applies to all parts of an "or"."""
    match = re.search(r"\b(?:either|both|in either case)\s+", request, re.I)
    for node, inner in statement.nodes(exp.Paren):
        if isinstance(node.this, exp.Or) and isinstance(node.parent, exp.And):
            text = statement.text(node.parent)
            yield Proposal(
                "syntactic",
                text,
                "The first condition holds for all of them.",
                (text.replace(inner, inner[1:-1]),),
                match[0] if match else "",
                term="what belongs together",
            )


_RULES: tuple[Callable[[str, Statement, DatabaseValues], Proposals], ...] = (
    _semantic,
    _lexical,
    _schema_linking,
    _query_intent,
    _syntactic,
)
