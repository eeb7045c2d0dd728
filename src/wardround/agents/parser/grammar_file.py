"""Reads and writes the grammar of a database: alone, and as part of a parser's file."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wardround.agents.declarations import PARSER
from wardround.agents.parser.grammar.grammar import Grammar
from wardround.core.errors import UserError
from wardround.core.private_files import write_whole
from wardround.ehr.records import Role, Views

FORMAT = PARSER.trained_format


@dataclass(frozen=True)
class StoredGrammar:
    """The grammar of a database for which there are no questions to learn from.

    Attributes:
        words: SQL for the words that queries leave open, such as `current_time`.
    """

    grammar: Grammar
    words: Mapping[str, str]


def save_grammar(stored: StoredGrammar, path: Path) -> None:
    """Write a grammar to a file that only its owner can read, as it holds values of the records."""
    header = {"format": FORMAT, "words": dict(stored.words)}
    content = {**header, "grammar": grammar_to_json(stored.grammar)}
    write_whole(path, json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode())


def holds_grammar(path: Path) -> bool:
    """True if a file holds a grammar alone."""
    with path.open("rb") as file:
        return file.read(1) == b"{"


def load_grammar(path: Path) -> StoredGrammar:
    """Read a grammar.

    Raises:
        UserError: The file is of another format.
    """
    content = json.loads(path.read_bytes())
    if content["format"] != FORMAT:
        raise UserError(f"{path} is of format {content['format']}, not {FORMAT}; remove it.")
    return StoredGrammar(grammar_from_json(content["grammar"]), content["words"])


def grammar_to_json(grammar: Grammar) -> dict[str, Any]:
    """The views and values of a grammar as JSON."""
    views = grammar.views
    return {
        "views": {"dialect": views.dialect, "sql": views.sql, "columns": views.columns},
        "written": [(*role, dict(texts)) for role, texts in views.written.items()],
        "dated": sorted(views.dated),
        "texts": list(grammar.texts.items()),
        "synonyms": dict(grammar.synonyms),
        "classes": dict(grammar.classes),
    }


def grammar_from_json(entry: dict[str, Any]) -> Grammar:
    """The grammar of `grammar_to_json`."""
    views = Views(
        entry["views"]["dialect"],
        entry["views"]["sql"],
        {kind: tuple(columns) for kind, columns in entry["views"]["columns"].items()},
        {
            Role(kind, column): {meaning: tuple(each) for meaning, each in texts.items()}
            for kind, column, texts in entry["written"]
        },
        frozenset(entry["dated"]),
    )
    texts = {Role(*role): tuple(each) for role, each in entry["texts"]}
    return Grammar(views, texts, entry["synonyms"], entry["classes"])
