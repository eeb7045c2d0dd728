"""Bounds in a leaf's sentence: "between A and B", "A-B", "at least A", "A <= x < B"."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from wardround.benchmarks.clinsql.checks.leaf_tokens import NEGATIONS, Token, leaf_words

Side = Literal["low", "high"]
UNITS = leaf_words("unit")
_MORE = leaf_words("more")
_LESS = leaf_words("less")
_OVER = leaf_words("over")
_UNDER = leaf_words("under")
_NOT = NEGATIONS | {"nor"}
_OPERATORS: dict[str, tuple[Side, bool]] = {
    "<": ("high", True),
    "<=": ("high", False),
    ">": ("low", True),
    ">=": ("low", False),
}
_FIXED: dict[tuple[str, ...], Side] = {
    ("at", "least"): "low",
    ("at", "most"): "high",
    ("up", "to"): "high",
}


@dataclass(frozen=True, slots=True)
class Comparator:
    """A comparison in words or as an operator, at tokens `start` up to `end`."""

    side: Side
    open: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Range:
    """A range that a sentence names, and the indices of the tokens that name it."""

    low: float | None = None
    high: float | None = None
    low_open: bool = False
    high_open: bool = False
    used: frozenset[int] = frozenset()


def comparator_at(tokens: Sequence[Token], at: int) -> Comparator | None:
    """The comparison that begins at a token; the bound after it gives its side."""
    texts = [token.text for token in tokens[at : at + 7]]
    if not texts or tokens[at].kind not in ("word", "operator"):
        return None
    if texts[0] in _OPERATORS:
        return Comparator(*_OPERATORS[texts[0]], at, at + 1)
    side = _FIXED.get(tuple(texts[:2]))
    if side:
        return Comparator(side, False, at, at + 2)
    return _in_words(texts, at)


def _in_words(texts: Sequence[str], at: int) -> Comparator | None:
    negated = texts[0] in _NOT
    position = negated + (negated and texts[1:2] == ["be"])
    word = texts[position] if position < len(texts) else ""
    if word in _OVER | _UNDER:
        side: Side = "low" if word in _OVER else "high"
        position += 1
    elif word in _MORE | _LESS and "than" in texts[position + 1 : position + 4]:
        side = "low" if word in _MORE else "high"
        position += 1
    else:
        return None
    closed = False
    while position < len(texts) and texts[position] in ("than", "or", "equal", "to"):
        closed |= texts[position] == "equal"
        position += 1
    if negated:
        side = "high" if side == "low" else "low"
    return Comparator(side, not (closed or negated), at, at + position)


def find_range(tokens: Sequence[Token]) -> Range | None:
    """The one range that a sentence names; None if it names none, or bounds that contradict.

    >>> from wardround.benchmarks.clinsql.checks.leaf_tokens import tokens
    >>> found = find_range(tokens("at least 1 and no more than 30 days"))
    >>> found.low, found.high
    (1.0, 30.0)
    """
    ranges = list(_ranges(tokens))
    lows = {(r.low, r.low_open) for r in ranges if r.low is not None}
    highs = {(r.high, r.high_open) for r in ranges if r.high is not None}
    if not ranges or len(lows) > 1 or len(highs) > 1:
        return None
    low, low_open = next(iter(lows), (None, False))
    high, high_open = next(iter(highs), (None, False))
    if low is not None and high is not None and low > high:
        return None
    used = frozenset().union(*(r.used for r in ranges))
    return Range(low, high, low_open, high_open, used)


def _ranges(tokens: Sequence[Token]) -> Iterator[Range]:
    at = 0
    while at < len(tokens):
        bounds = _pair(tokens, at) or _compared(tokens, at) or _trailing(tokens, at)
        if bounds:
            yield bounds
        at = max(bounds.used) + 1 if bounds else at + 1


def _pair(tokens: Sequence[Token], at: int) -> Range | None:
    """A number, a link and a number."""
    if not tokens[at].is_number:
        return None
    link = _past_unit(tokens, at + 1)
    words = [token.text for token in tokens[link : link + 2]]
    wide = 2 if words == ["up", "to"] else 1
    between = _text(tokens, at - 1) in ("between", "from", "of", "range")
    linked = words[:1] in (["to"], ["through"], ["-"]) or wide == 2
    linked |= between and words[:1] == ["and"]
    linked |= _text(tokens, at - 1) == "[" and words[:1] == [","]
    end = link + wide
    if not linked or end >= len(tokens) or not tokens[end].is_number:
        return None
    used = frozenset(range(at, _past_unit(tokens, end + 1)))
    return Range(tokens[at].number, tokens[end].number, used=used)


def _compared(tokens: Sequence[Token], at: int) -> Range | None:
    """A comparison with a number, or a number before an operator that bounds from below."""
    if tokens[at].is_number:
        compared = comparator_at(tokens, _past_unit(tokens, at + 1))
        if compared and tokens[compared.start].text in _OPERATORS:
            mirrored: Side = "low" if compared.side == "high" else "high"
            return _bound(mirrored, compared.open, tokens[at], range(at, at + 1))
        return None
    compared = comparator_at(tokens, at)
    if compared is None or compared.end >= len(tokens) or not tokens[compared.end].is_number:
        return None
    used = range(at, _past_unit(tokens, compared.end + 1))
    return _bound(compared.side, compared.open, tokens[compared.end], used)


def _trailing(tokens: Sequence[Token], at: int) -> Range | None:
    """A number, then "or older" or "or less"."""
    if not tokens[at].is_number:
        return None
    end = _past_unit(tokens, at + 1)
    if _text(tokens, end) != "or":
        return None
    word = _text(tokens, end + 1)
    used = range(at, end + 2)
    if word in _MORE | _OVER:
        return _bound("low", False, tokens[at], used)
    return _bound("high", False, tokens[at], used) if word in _LESS | _UNDER else None


def _bound(side: Side, is_open: bool, token: Token, used: range) -> Range:
    if side == "low":
        return Range(low=token.number, low_open=is_open, used=frozenset(used))
    return Range(high=token.number, high_open=is_open, used=frozenset(used))


def _past_unit(tokens: Sequence[Token], at: int) -> int:
    """The first place that is not a unit, from `at` on."""
    while _text(tokens, at) in UNITS:
        at += 1
    return at


def _text(tokens: Sequence[Token], at: int) -> str:
    return tokens[at].text if 0 <= at < len(tokens) else ""
