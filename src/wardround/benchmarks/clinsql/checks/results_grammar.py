"""Compiles the sentence of a results leaf: which check it asks for, of which columns.

The rules are tried in the order of `_RULES`; the first that reads the sentence makes its check.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from wardround.benchmarks.clinsql.checks.columns import Header
from wardround.benchmarks.clinsql.checks.leaf_bounds import (
    Comparator,
    Range,
    comparator_at,
    find_range,
)
from wardround.benchmarks.clinsql.checks.leaf_tokens import NEGATIONS, Token, leaf_words, tokens
from wardround.benchmarks.clinsql.items.checks import (
    AllOf,
    Column,
    ColumnExists,
    FileExists,
    InRange,
    NotNull,
    Ordered,
    Percentage,
    ResultsCheck,
    Types,
    WholeCount,
)

_NULL = leaf_words("null")
_NEGATION = NEGATIONS | {"free"}
_FILLED = leaf_words("filled")
_CELLS = leaf_words("cell")
_FILES = leaf_words("file")
_TABLES = leaf_words("result")
_EXISTS = leaf_words("existence")
_COLUMN = leaf_words("column")
_TYPES: dict[str, Literal["number", "text", "date"]] = {
    **dict.fromkeys(("numeric", "numerical"), "number"),
    **dict.fromkeys(("text", "textual", "string", "strings"), "text"),
    "dates": "date",
}
_WHOLE = leaf_words("whole number")
_SHARE = leaf_words("share")
_FRACTION = leaf_words("fraction")
_ACCEPTABLE = leaf_words("acceptable")
_PLAUSIBLE = leaf_words("plausible")


@dataclass(frozen=True, slots=True)
class ResultsLeaf:
    """A results leaf as the grammar reads it.

    Attributes:
        tokens: its sentence.
        headings: the sentences and ids of its groups, the nearest first.
        header: the columns that it may mean.
    """

    tokens: Sequence[Token]
    headings: tuple[str, ...]
    header: Header

    @property
    def words(self) -> set[str]:
        """The words of its sentence."""
        return {token.text for token in self.tokens if token.kind == "word"}

    @property
    def names(self) -> tuple[str, ...]:
        """The names in its sentence."""
        return tuple(token.text for token in self.tokens if token.kind == "name")

    def own_column(self) -> int | None:
        """The column that its sentence names or means."""
        return self.header.find(self.tokens)

    def column(self) -> Column | None:
        """Its column: its own, that of the nearest group that has one, or the only one."""
        candidates = [
            self.own_column(),
            *(self.header.find(tokens(text)) for text in self.headings),
        ]
        index = next((at for at in candidates if at is not None), None)
        if index is None and len(self.header.columns) == 1:
            index = 0
        return None if index is None else self.header.column(index)


def results_check(leaf: ResultsLeaf) -> ResultsCheck | AllOf | None:
    """The check that a results leaf asks for; None if the grammar has none."""
    return next((check for rule in _RULES if (check := rule(leaf)) is not None), None)


def _not_null(leaf: ResultsLeaf) -> NotNull | None:
    words = leaf.words
    denied = bool(words & _NULL and (words & _NEGATION or "non" in words))
    if not (denied or (words & _FILLED and words & _CELLS)) or words & _FILES:
        return None
    if words & _TABLES and not words & (_CELLS | (_NULL - {"empty"})):
        return None  # an output that is not empty
    at = leaf.own_column()
    if leaf.names or (at is not None and not words & {"any", "every", "all", "columns"}):
        return None if at is None else NotNull(column=leaf.header.column(at))
    return NotNull()


def _ordered(leaf: ResultsLeaf) -> Ordered | None:
    """The columns between comparisons that meet no number, in rising order."""
    columns = _between(leaf) or _chained(leaf)
    if len(columns) < 2 or len(set(columns)) < len(columns):
        return None
    return Ordered(columns=tuple(map(leaf.header.column, columns)))


def _between(leaf: ResultsLeaf) -> list[int]:
    """The columns of "X lies between Y and Z", as Y, X, Z."""
    texts = [token.text for token in leaf.tokens]
    if "between" not in texts or "and" not in texts[texts.index("between") :]:
        return []
    start = texts.index("between")
    link = texts.index("and", start)
    return _each_column(leaf, (leaf.tokens[start:link], leaf.tokens[:start], leaf.tokens[link:]))


def _chained(leaf: ResultsLeaf) -> list[int]:
    """The columns around comparisons without a number, in rising order."""
    links = [link for link in _comparators(leaf.tokens) if not _meets_number(leaf, link)]
    if not links or len({link.side for link in links}) > 1:
        return []
    starts = [0, *(link.end for link in links)]
    ends = [*(link.start for link in links), len(leaf.tokens)]
    columns = _each_column(leaf, [leaf.tokens[a:b] for a, b in zip(starts, ends, strict=True)])
    return columns if links[0].side == "high" else columns[::-1]


def _each_column(leaf: ResultsLeaf, parts: Sequence[Sequence[Token]]) -> list[int]:
    """The column of each part; none where a part has no column."""
    columns = [leaf.header.find(part) for part in parts]
    return [at for at in columns if at is not None] if None not in columns else []


def _meets_number(leaf: ResultsLeaf, link: Comparator) -> bool:
    return any(token.is_number for token in leaf.tokens[link.end : link.end + 1])


def _comparators(sentence: Sequence[Token]) -> Iterator[Comparator]:
    at = 0
    while at < len(sentence):
        comparator = comparator_at(sentence, at)
        if comparator:
            yield comparator
        at = comparator.end if comparator else at + 1


def _whole(leaf: ResultsLeaf) -> WholeCount | Types | AllOf | None:
    """A whole number, positive where the sentence says so, with bounds if it has any."""
    column = leaf.column()
    if not leaf.words & _WHOLE or column is None:
        return None
    if "type" in leaf.words:
        return Types(type="integer", column=column)
    bounds = find_range(leaf.tokens)
    positive = "positive" in leaf.words or (bounds and bounds.low == 0 and bounds.low_open)
    count = WholeCount(column=column, least=1 if positive else 0)
    if bounds and not (bounds.high is None and bounds.low == 0):
        return AllOf(checks=(count, _range_of(leaf, column, bounds)))
    return count


def _percentage(leaf: ResultsLeaf) -> Percentage | None:
    """Bounds of 0 to 100 on a percentage, of 0 to 1 on a fraction, or a valid percentage."""
    bounds, column = find_range(leaf.tokens), leaf.column()
    if column is None or leaf.words & (_ACCEPTABLE | _PLAUSIBLE):
        return None
    if bounds is None:
        claimed = leaf.words & _SHARE and "valid" in leaf.words
        return Percentage(column=column) if claimed else None
    if bounds.low_open or bounds.high_open or bounds.low != 0:
        return None
    named = any(word in column.names[0].lower() for word in ("pct", "perc", "rate"))
    signed = any(token.text == "%" for token in leaf.tokens)
    if (named or signed or leaf.words & _SHARE) and bounds.high == 100:
        return Percentage(column=column)
    if leaf.words & _FRACTION and bounds.high == 1:
        return Percentage(column=column, fraction=True)
    return None


def _in_range(leaf: ResultsLeaf) -> InRange | None:
    """Bounds on a column that explain the sentence's numbers."""
    bounds, column = find_range(leaf.tokens), leaf.column()
    if bounds is None or column is None or "row" in leaf.words:
        return None
    numbers = {at for at, token in enumerate(leaf.tokens) if token.is_number}
    denials = {at for at, token in enumerate(leaf.tokens) if token.text in ("not", "outside")}
    if denials - bounds.used:
        return None
    if None in (bounds.low, bounds.high) and numbers - bounds.used:
        return None  # a number that no bound explains
    return _range_of(leaf, column, bounds)


def _range_of(leaf: ResultsLeaf, column: Column, bounds: Range) -> InRange:
    return InRange(
        column=column,
        low=bounds.low,
        high=bounds.high,
        low_open=bounds.low_open,
        high_open=bounds.high_open,
        band="acceptable" if leaf.words & _ACCEPTABLE else "plausible",
    )


def _types(leaf: ResultsLeaf) -> Types | None:
    types = {_TYPES[word] for word in leaf.words if word in _TYPES}
    column = leaf.column()
    if len(types) != 1 or (column is None and not leaf.words & _CELLS):
        return None
    return Types(type=types.pop(), column=column)


def _column(leaf: ResultsLeaf) -> ColumnExists | None:
    if not leaf.words & _EXISTS or not (leaf.words & _COLUMN or leaf.names):
        return None
    at = leaf.own_column()
    if at is None and len(leaf.header.columns) == 1:
        at = 0
    if at is None:
        return ColumnExists(column=Column(names=leaf.names)) if leaf.names else None
    known = leaf.header.column(at)
    names = tuple(dict.fromkeys((*known.names, *leaf.names)))
    return ColumnExists(column=known.model_copy(update={"names": names}))


def _file(leaf: ResultsLeaf) -> FileExists | None:
    if any(token.is_number for token in leaf.tokens):
        return None  # so many rows are another requirement
    exists = leaf.words & (_EXISTS | _NULL)
    about_rows = leaf.words & _TABLES and leaf.words & {"rows", "row"}
    return FileExists() if exists and (leaf.words & _FILES or about_rows) else None


_Rule: TypeAlias = Callable[[ResultsLeaf], ResultsCheck | AllOf | None]
_RULES: tuple[_Rule, ...] = (
    _not_null,
    _ordered,
    _whole,
    _percentage,
    _in_range,
    _types,
    _column,
    _file,
)
