"""Tokens of a leaf's sentence: names, numbers, ICD codes and versions, operators, words."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias

from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.text.cues import negation_words

Kind: TypeAlias = Literal["name", "number", "icd", "code", "operator", "word"]
_TOKEN = re.compile(
    r"""
      `(?P<tick>[^`]+)` | "(?P<double>[^"]+)" | '(?P<single>[^']+)'
    | (?P<icd>\bICD-?(?:9|10)\b(?:-(?:CM|PCS)\b)?)
    | (?P<code>\b(?:[A-Z]\d[\dA-Z]*(?:\.[\dA-Z]+)?|\d+[A-Z][\dA-Z]+)\b)
    | (?P<name>\b(?:[a-z]\w*\.[a-z]\w*|\w*_\w+)\b)
    | (?P<number>(?<![\w.%)])[-+\u2212](?=\d)(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?
        |(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?)(?P<ordinal>st|nd|rd|th)?
    | (?P<operator>!=|<>|<=|>=|[<>=\u2264\u2265\[\](),:;%\u2013\u2014-])
    | (?P<word>[A-Za-z]+\d*)
    """,
    re.VERBOSE,
)
_QUOTES = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")
_OPERATORS = {"\u2264": "<=", "\u2265": ">=", "\u2013": "-", "\u2014": "-"}
_NUMBER_WORDS = {"zero": 0, "two": 2, "three": 3, "four": 4, "five": 5}
_QUALIFIER = re.compile(r"^(?:[\w-]+\.)+(?=[a-z_])")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e)\b\.?,?", re.IGNORECASE)
# A comparison, a call or a keyword, which no name has.
_SQL = re.compile(r"[=<>()]|\b(?:and|or|in|on|like|between|where|is|not|join)\b", re.IGNORECASE)
_POSSESSIVE = re.compile(r"(?<=\w)'s\b")
# Tokens that negate; a contraction is two tokens, and neither is a word.
NEGATIONS = frozenset(filter(str.isalpha, negation_words("en")))


@dataclass(frozen=True, slots=True)
class Token:
    """A token: its kind, its text (lower case for words), and its number if it is one."""

    kind: Kind
    text: str
    number: float | None = None

    @property
    def is_number(self) -> bool:
        """True for a number that is not an ordinal."""
        return self.kind == "number"


@cache
def leaf_words(concept: str) -> frozenset[str]:
    """The words and phrases of leaves for a concept.

    >>> sorted(leaf_words("median"))
    ['median']
    """
    rows = read_rows(__package__, "concept_words.tsv")
    return next(frozenset(split_cell(listed)) for name, _, listed in rows if name == concept)


def tokens(sentence: str) -> list[Token]:
    """The tokens of a sentence.

    >>> [token.text for token in tokens("`n` lies in 1,000-2,000 (ICD-10 I21.4)")]
    ['n', 'lies', 'in', '1000', '-', '2000', '(', 'ICD-10', 'I21.4', ')']
    >>> [token.text for token in tokens("Women (e.g. `p.gender = 'F'`)")]
    ['women', '(', 'gender', '=', 'F', ')']
    """
    text = _POSSESSIVE.sub("", _ABBREVIATION.sub(" ", sentence.translate(_QUOTES)))
    return [token for match in _TOKEN.finditer(text) for token in _tokens(match)]


def _tokens(match: re.Match[str]) -> list[Token]:
    """A token, or those of a phrase of SQL between backticks."""
    phrase = match["tick"]
    if not phrase or not _SQL.search(phrase):
        return [_token(match)]
    either = Token("operator", "OR")
    return [either if token == Token("word", "or") else token for token in tokens(phrase)]


def _token(match: re.Match[str]) -> Token:
    quoted = match["tick"] or match["double"] or match["single"]
    if quoted:
        return Token("name", _QUALIFIER.sub("", quoted))
    if match["icd"]:
        return Token("icd", match["icd"].upper(), 10 if "10" in match["icd"] else 9)
    if match["code"]:
        return Token("code", match["code"])
    if match["name"]:
        return Token("name", _QUALIFIER.sub("", match["name"]))
    if match["number"]:
        return _number(match["number"], match["ordinal"])
    if match["operator"]:
        return Token("operator", _OPERATORS.get(match["operator"], match["operator"]))
    word = match["word"].lower()
    return (
        Token("number", word, _NUMBER_WORDS[word]) if word in _NUMBER_WORDS else Token("word", word)
    )


def _number(digits: str, ordinal: str | None) -> Token:
    text = digits.replace(",", "").replace("\u2212", "-")
    return Token("word", text + ordinal) if ordinal else Token("number", text, float(text))
