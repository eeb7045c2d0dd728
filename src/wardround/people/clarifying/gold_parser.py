"""Reads gold SQL, whole or in pieces, as trees; what no grammar reads stays text."""

import re
from collections.abc import Iterable, Iterator

from sqlglot import exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.errors import SqlglotError

from wardround.ehr.database.postgres.statement_splitter import split_statements

DIALECT = "postgres"
_CREATES = re.compile(
    r"\s*create\s+(?:or\s+replace\s+)?(?P<kind>function|procedure|trigger)\s+(?P<name>[\w.]+)", re.I
)
# What surrounds the conditions and values of a routine's lines.
_ROUTINE_LINES = (
    re.compile(r"\b(?:if|elsif|elseif|while|when)\b(?P<inner>.+?)\b(?:then|loop)\b", re.I | re.S),
    re.compile(r"\breturn\b\s*(?!query\b|next\b)(?P<inner>[^;]+)", re.I),
    re.compile(r":=\s*(?P<inner>[^;]+)"),
    re.compile(r"\bexecute\s+(?:format\s*\(\s*)?'(?P<inner>(?:[^']|'')*)'", re.I),
)
# What a text that is carried out leaves open.
_OPEN = re.compile(r"%(?:\d+\$)?[sIL]")
# What a piece may begin with, what it is then a piece of, and which part of that it is.
_CLAUSES = (
    r"(from|natural|left|right|full|inner|cross|join|where|group|having|order|limit|offset)\b"
)
_AROUND = (
    (r"(select|with|insert|update|delete|create|alter|drop|merge)\b", "{}", ()),
    (
        _CLAUSES,
        "SELECT 1 FROM t {}",
        ("joins", "where", "group", "having", "order", "limit", "offset"),
    ),
    (r"set\b", "UPDATE t {}", ("expressions",)),
    (r"case\b", "SELECT {} END", ("expressions",)),
    ("", "SELECT {}", ("expressions",)),
    ("", "SELECT 1 WHERE {}", ("where",)),
    ("", "WITH {} SELECT 1", ("with_",)),
)


def trees(statements: Iterable[str]) -> Iterator[exp.Expr]:
    """The trees of statements, and of the statements and conditions within routines.

    >>> [tree.key for tree in trees(["SELECT 1; BEGIN; SELECT 2"])]
    ['select', 'transaction', 'select']
    """
    for statement in statements:
        for one in split_statements(statement):
            yield from _statement(one)


def piece(text: str) -> list[exp.Expr]:
    """The trees of a piece of SQL: an expression, a clause or a statement; none for other text.

    >>> [tree.key for tree in piece("ORDER BY age DESC LIMIT 3")]
    ['order', 'limit']
    >>> piece("hardly SQL ((")
    []
    """
    text = text.strip().rstrip(";,")
    for beginning, around, parts in _AROUND:
        if re.match(beginning, text, re.I):
            for tree in _parsed(around.format(text)):
                if found := _parts(tree, parts):
                    return found
    return []


def _statement(text: str) -> Iterator[exp.Expr]:
    found = _parsed(text)
    yield from found or _outline(text)
    for body in _bodies(text, found):
        yield from _body(body)


def _outline(text: str) -> Iterator[exp.Expr]:
    """What a statement makes that no grammar reads as a whole."""
    if made := _CREATES.match(text):
        yield exp.Create(this=exp.to_table(made["name"]), kind=made["kind"].upper())


def _bodies(text: str, found: list[exp.Expr]) -> list[str]:
    """The texts between dollar quotes; the statement itself where it could not be read."""
    quoted = [match[2] for match in re.finditer(r"(\$\w*\$)(.*?)\1", text, re.S)]
    return quoted or ([] if found else [text])


def _body(body: str) -> Iterator[exp.Expr]:
    """The trees of a routine: of its SQL, or of the SQL, conditions and values of its lines."""
    if found := _parsed(body):
        yield from found
        return
    for line in re.split(r";|\bbegin\b|(?<=\bthen)\b|(?<=\bloop)\b", body, flags=re.I):
        if re.match(r"\s*(select|with|insert|update|delete|create|alter)\b", line, re.I):
            yield from _parsed(line)
            continue
        for form in _ROUTINE_LINES:
            for match in form.finditer(line):
                yield from piece(_OPEN.sub("NULL", match["inner"]))


def _parsed(text: str) -> list[exp.Expr]:
    dialect = Postgres()
    try:
        found = _Parser(dialect=dialect).parse(dialect.tokenize(text), text)
    except SqlglotError:
        return []
    return [tree for tree in found if tree is not None and not isinstance(tree, exp.Command)]


class _Parser(Postgres.Parser):  # type: ignore[misc,valid-type]
    """Says nothing of statements that it takes as mere text: they are read otherwise."""

    def _warn_unsupported(self) -> None:
        pass


def _parts(tree: exp.Expr, parts: tuple[str, ...]) -> list[exp.Expr]:
    if not parts:
        return [tree]
    given = [tree.args.get(part) for part in parts]
    flat = [one for each in given for one in (each if isinstance(each, list) else [each])]
    return [one for one in flat if isinstance(one, exp.Expr)]
