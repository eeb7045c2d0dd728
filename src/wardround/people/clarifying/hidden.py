"""Tokens of a task's gold and schema that a reply must not contain."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from sqlglot import exp

from wardround.people.clarifying.gold_parser import parse_statements
from wardround.people.clarifying.names import plain_words
from wardround.people.clarifying.secret import Secret

TOKEN = re.compile(r"[A-Za-z_][\w$]*|\d+(?:\.\d+)?|<=|>=|<>|!=|::|\|\||->>?|[=<>+*/%()-]")
_STRING = re.compile(r"'(?:[^']|'')*'")
_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.S)
_DEFINING = {"create", "primary", "foreign", "unique", "constraint", "check", "key", "references"}


@dataclass(frozen=True, slots=True)
class Hidden:
    """Hidden tokens of a task, all in lower case.

    Attributes:
        pairs: Adjacent tokens of the gold.
        calls: Names before a parenthesis in it.
        values: Words of its string literals, which the user may say.
        names: Tables and columns that have an underscore or are no plain word.
        created: Names of the objects that the gold creates, which the user may say.
    """

    pairs: frozenset[tuple[str, str]]
    calls: frozenset[str]
    values: frozenset[str]
    names: frozenset[str]
    created: frozenset[str]


@lru_cache(maxsize=256)
def hidden(secret: Secret) -> Hidden:
    """Returns the hidden tokens of a task, before exceptions for names that the agent has seen."""
    bare = [_COMMENT.sub(" ", statement) for statement in secret.gold]
    texts = [text for statement in bare for text in _STRING.findall(statement)]
    lines = [tokens(statement) for statement in bare]
    pairs = frozenset(pair for line in lines for pair in pairwise(line))
    calls = frozenset(left for left, right in pairs if right == "(" and left.isidentifier())
    values = frozenset(word for text in texts for word in tokens(text))
    return Hidden(
        pairs, calls, values, frozenset(_names(secret)), frozenset(_created_names(secret.gold))
    )


def tokens(text: str) -> list[str]:
    """Splits text into words, numbers and signs in lower case, without quotes and commas."""
    return [token.lower() for token in TOKEN.findall(text)]


def _names(secret: Secret) -> Iterator[str]:
    """Yields names of the schema that are neither plain words nor in the request."""
    request_words = {word.lower() for word in re.findall(r"\w+", secret.request)}
    request_words |= plain_words()
    schema = _schema_names(secret.schema)
    for name in {*_gold_names(secret.gold), *schema} - (_created_names(secret.gold) - schema):
        if "_" in name or (name not in request_words and len(name) > 2):
            yield name


def _gold_names(gold: Iterable[str]) -> set[str]:
    """Returns tables and columns, and any word with an underscore, parsable or not."""
    found, aliases = set(), set()
    for tree in parse_statements(gold):
        found |= {node.name.lower() for node in tree.find_all(exp.Table, exp.Column)}
        named = tree.find_all(exp.CTE, exp.Alias, exp.TableAlias)
        aliases |= {node.alias_or_name.lower() for node in named}
    bare = " ".join(_STRING.sub(" ", _COMMENT.sub(" ", statement)) for statement in gold)
    return (found - aliases) | {word for word in tokens(bare) if re.match(r"\w+_\w", word)}


def _schema_names(schema: str) -> set[str]:
    tables = re.findall(r'\bcreate table\s+(?:if not exists\s+)?"?(\w+)', schema, re.I)
    columns = re.findall(r'^\s*"?([a-z]\w*)"?\s+[a-z]', schema, re.I | re.M)
    return {name.lower() for name in (*tables, *columns)} - _DEFINING


def _created_names(gold: Iterable[str]) -> set[str]:
    """Returns the names of the objects that the gold creates."""
    found = [
        node for tree in parse_statements(gold) for node in tree.find_all(exp.Create, exp.ColumnDef)
    ]
    names = [node.find(exp.Table, exp.Identifier) for node in found]
    return {name.name.lower() for name in names if name is not None}
