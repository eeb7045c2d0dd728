"""Parses gold SQL, whole or in fragments, into trees; invalid SQL stays text."""

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
# Conditions and values within a routine's lines.
_ROUTINE_LINES = (
    re.compile(r"\b(?:if|elsif|elseif|while|when)\b(?P<inner>.+?)\b(?:then|loop)\b", re.I | re.S),
    re.compile(r"\breturn\b\s*(?!query\b|next\b)(?P<inner>[^;]+)", re.I),
    re.compile(r":=\s*(?P<inner>[^;]+)"),
    re.compile(r"\bexecute\s+(?:format\s*\(\s*)?'(?P<inner>(?:[^']|'')*)'", re.I),
)
# Placeholders of an executed format string.
_OPEN = re.compile(r"%(?:\d+\$)?[sIL]")
# The first words of a fragment, the statement to wrap it in, and the parts to extract from that.
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


def parse_statements(statements: Iterable[str]) -> Iterator[exp.Expr]:
    """Parses statements, and the statements and conditions within routines.

    >>> [tree.key for tree in parse_statements(["SELECT 1; BEGIN; SELECT 2"])]
    ['select', 'transaction', 'select']
    """
    for statement in statements:
        for single in split_statements(statement):
            yield from _statement(single)


def parse_fragment(text: str) -> list[exp.Expr]:
    """Parses an expression, a clause or a statement; returns no tree for other text.

    >>> [tree.key for tree in parse_fragment("ORDER BY age DESC LIMIT 3")]
    ['order', 'limit']
    >>> parse_fragment("hardly SQL ((")
    []
    """
    text = text.strip().rstrip(";,")
    for beginning, around, parts in _AROUND:
        if re.match(beginning, text, re.I):
            for tree in _parsed(around.format(text)):
                if pieces := _parts(tree, parts):
                    return pieces
    return []


def _statement(text: str) -> Iterator[exp.Expr]:
    parsed = _parsed(text)
    yield from parsed or _outline(text)
    for body in _bodies(text, parsed):
        yield from _body(body)


def _outline(text: str) -> Iterator[exp.Expr]:
    """Returns the object that an unparsable statement creates."""
    if made := _CREATES.match(text):
        yield exp.Create(this=exp.to_table(made["name"]), kind=made["kind"].upper())


def _bodies(text: str, statements: list[exp.Expr]) -> list[str]:
    """Returns dollar-quoted texts, or the statement itself if it did not parse."""
    quoted = [match[2] for match in re.finditer(r"(\$\w*\$)(.*?)\1", text, re.S)]
    return quoted or ([] if statements else [text])


def _body(body: str) -> Iterator[exp.Expr]:
    """Parses a routine as SQL, or else the SQL, conditions and values of its lines."""
    if parsed := _parsed(body):
        yield from parsed
        return
    for line in re.split(r";|\bbegin\b|(?<=\bthen)\b|(?<=\bloop)\b", body, flags=re.I):
        if re.match(r"\s*(select|with|insert|update|delete|create|alter)\b", line, re.I):
            yield from _parsed(line)
            continue
        for form in _ROUTINE_LINES:
            for match in form.finditer(line):
                yield from parse_fragment(_OPEN.sub("NULL", match["inner"]))


def _parsed(text: str) -> list[exp.Expr]:
    dialect = Postgres()
    try:
        statements = _Parser(dialect=dialect).parse(dialect.tokenize(text), text)
    except SqlglotError:
        return []
    return [tree for tree in statements if tree is not None and not isinstance(tree, exp.Command)]


class _Parser(Postgres.Parser):  # type: ignore[misc,valid-type]
    """Suppresses sqlglot's warning about commands: their bodies are parsed separately."""

    def _warn_unsupported(self) -> None:
        pass


def _parts(tree: exp.Expr, parts: tuple[str, ...]) -> list[exp.Expr]:
    if not parts:
        return [tree]
    values = [tree.args.get(part) for part in parts]
    flat = [node for value in values for node in (value if isinstance(value, list) else [value])]
    return [node for node in flat if isinstance(node, exp.Expr)]
