"""What of a task's gold and schema must not be told: neighbouring tokens, calls and names."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from sqlglot import exp

from wardround.people.clarifying.gold_parser import trees
from wardround.people.clarifying.model import Secret
from wardround.people.clarifying.names import plain_words

TOKEN = re.compile(r"[A-Za-z_][\w$]*|\d+(?:\.\d+)?|<=|>=|<>|!=|::|\|\||->>?|[=<>+*/%()-]")
_STRING = re.compile(r"'(?:[^']|'')*'")
_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.S)
_DEFINING = {"create", "primary", "foreign", "unique", "constraint", "check", "key", "references"}


@dataclass(frozen=True, slots=True)
class Hidden:
    """What must not be told of a task, all in lower case.

    Attributes:
        pairs: The neighbouring tokens of the gold.
        calls: What stands before a parenthesis in it.
        values: The words of its texts, which are the user's own.
        names: The tables and columns that have an underscore or are no plain word.
        made: The names of what the gold makes, which are the user's to give.
    """

    pairs: frozenset[tuple[str, str]]
    calls: frozenset[str]
    values: frozenset[str]
    names: frozenset[str]
    made: frozenset[str]


@lru_cache(maxsize=256)
def hidden(secret: Secret) -> Hidden:
    """What must not be told of a task, whatever the agent has seen."""
    bare = [_COMMENT.sub(" ", statement) for statement in secret.gold]
    texts = [text for statement in bare for text in _STRING.findall(statement)]
    lines = [tokens(statement) for statement in bare]
    pairs = frozenset(pair for line in lines for pair in pairwise(line))
    calls = frozenset(left for left, right in pairs if right == "(" and left.isidentifier())
    values = frozenset(word for text in texts for word in tokens(text))
    return Hidden(pairs, calls, values, frozenset(_names(secret)), frozenset(_made(secret.gold)))


def tokens(text: str) -> list[str]:
    """Words, numbers and signs in lower case, without quotes and commas."""
    return [token.lower() for token in TOKEN.findall(text)]


def _names(secret: Secret) -> Iterator[str]:
    """The names of the schema that are no plain words and none of the user's own."""
    own = {word.lower() for word in re.findall(r"\w+", secret.request)}
    own |= plain_words()
    schema = _schema_names(secret.schema)
    for name in {*_gold_names(secret.gold), *schema} - (_made(secret.gold) - schema):
        if "_" in name or (name not in own and len(name) > 2):
            yield name


def _gold_names(gold: Iterable[str]) -> set[str]:
    """Tables and columns, and all else with an underscore, also where no grammar reads it."""
    found, standing_for = set(), set()
    for tree in trees(gold):
        found |= {node.name.lower() for node in tree.find_all(exp.Table, exp.Column)}
        named = tree.find_all(exp.CTE, exp.Alias, exp.TableAlias)
        standing_for |= {node.alias_or_name.lower() for node in named}
    bare = " ".join(_STRING.sub(" ", _COMMENT.sub(" ", statement)) for statement in gold)
    return (found - standing_for) | {word for word in tokens(bare) if re.match(r"\w+_\w", word)}


def _schema_names(schema: str) -> set[str]:
    tables = re.findall(r'\bcreate table\s+(?:if not exists\s+)?"?(\w+)', schema, re.I)
    columns = re.findall(r'^\s*"?([a-z]\w*)"?\s+[a-z]', schema, re.I | re.M)
    return {name.lower() for name in (*tables, *columns)} - _DEFINING


def _made(gold: Iterable[str]) -> set[str]:
    """The names of what the gold makes, which are the user's to give."""
    found = [node for tree in trees(gold) for node in tree.find_all(exp.Create, exp.ColumnDef)]
    names = [node.find(exp.Table, exp.Identifier) for node in found]
    return {name.name.lower() for name in names if name is not None}
