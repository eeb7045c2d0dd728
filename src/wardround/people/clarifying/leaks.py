"""Finds and takes out what a user's reply must not tell: gold SQL and names of the schema."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache
from itertools import pairwise
from typing import TypeAlias

from wardround.people.clarifying.gold_parser import piece
from wardround.people.clarifying.hidden import TOKEN, Hidden, hidden
from wardround.people.clarifying.model import Secret
from wardround.people.clarifying.names import spoken
from wardround.people.clarifying.packaged import packaged, pattern
from wardround.people.clarifying.plain_words import tell

_Span: TypeAlias = tuple[int, int]
_Run: TypeAlias = list[re.Match[str]]

_NAME = re.compile(r"(?:\b[A-Za-z_]\w*\.)*[A-Za-z_][\w$]*")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_QUOTES = ("'", '"', "`")
# From so many tokens on a run is SQL, whatever common words it is made of.
_LONG = 4


def leaks(text: str, secret: Secret, seen: Collection[str] = ()) -> tuple[str, ...]:
    """What a reply tells that it must not.

    A leak is code, a run of the gold's SQL that is longer than a name, a name of the schema that
    is no plain word, or any with an underscore. A name that the agent has seen is none, nor is
    one that the user gives to what is made.

    >>> secret = Secret("Any old?", "", ("SELECT hadm_id FROM t WHERE anchor_age > 80",), ())
    >>> leaks("Those with anchor_age > 80.", secret)
    ('anchor_age > 80', 'anchor_age')
    >>> leaks("Those older than 80, with their hadm_id.", secret, {"hadm_id"})
    ()
    """
    pieces = _pieces(text, secret)
    others = [one for one in _spans("written", text) if not _overlaps(one, pieces)]
    spans = [*_spans("code", text), *pieces, *others, *_names(text, secret, seen)]
    return tuple(text[start:end] for start, end in spans)


def repaired(text: str, secret: Secret, seen: Collection[str] = ()) -> str:
    """A reply without leaks: put into plain words, else without the sentences that leak.

    Returns:
        A text in which `leaks` finds nothing; empty where nothing is left, and where the reply
        holds code, since what stands around it is about that.

    >>> secret = Secret("Any old?", "", ("SELECT hadm_id FROM t WHERE anchor_age > 80",), ())
    >>> repaired("I mean anchor_age > 80, by hadm_id.", secret)
    'I mean older than 80, by hospital stay.'
    """
    if _spans("code", text):
        return ""
    text = _replaced(text, _pieces(text, secret), _piece_in_words)
    text = " ".join(one for one in _SENTENCE.split(text) if not _spans("written", one))
    text = _replaced(text, _names(text, secret, seen), _name_in_words)
    kept = [one for one in _SENTENCE.split(text) if not leaks(one, secret, seen)]
    joined = _tidy(" ".join(kept))
    clean = re.search(r"\w", joined) and not leaks(joined, secret, seen)
    return joined if clean else ""


def _spans(kind: str, text: str) -> list[_Span]:
    return [match.span() for match in pattern("leaking", kind).finditer(text)]


def _pieces(text: str, secret: Secret) -> list[_Span]:
    """Where a text has runs of the gold's tokens that are SQL."""
    known = hidden(secret)
    runs = _runs(list(TOKEN.finditer(text)), known.pairs)
    return [_with_quotes(text, run) for run in runs if _is_sql(run, known)]


def _with_quotes(text: str, run: _Run) -> _Span:
    start, end = run[0].start(), run[-1].end()
    return start - (text[:start][-1:] in _QUOTES), end + (text[end : end + 1] in _QUOTES)


def _runs(found: Iterable[re.Match[str]], pairs: Collection[tuple[str, str]]) -> Iterator[_Run]:
    """Tokens in runs, each of which has only neighbours that are neighbours in the gold."""
    run: _Run = []
    for match in found:
        if run and (run[-1][0].lower(), match[0].lower()) not in pairs:
            yield run
            run = []
        run.append(match)
    if run:
        yield run


def _is_sql(run: _Run, known: Hidden) -> bool:
    words = [match[0].lower() for match in run]
    own = set(words) - known.values
    return len(run) > 1 and (
        bool(_words("comparing") & own)
        or _calls(run, known)
        or bool(_words("sql_words") & own and sum(word[0].isalnum() for word in words) > 1)
        or bool(_words("calculating") & own & set(words[1:-1]))
        or (len(run) >= _LONG and bool(_words("common_words") & own))
    )


@cache
def _words(kind: str) -> frozenset[str]:
    return frozenset(packaged("leaking")[kind])


def _calls(run: _Run, known: Hidden) -> bool:
    """Whether a function is called in a run: its name stands right before a parenthesis."""
    return any(
        left[0].lower() in known.calls and right[0] == "(" and left.end() == right.start()
        for left, right in pairwise(run)
    )


def _names(text: str, secret: Secret, seen: Collection[str]) -> list[_Span]:
    """Where a text has names that the agent has not seen: hidden ones, or such as nobody says."""
    found = _NAME.finditer(text)
    return [one.span() for one in found if _is_name(one[0].lower(), hidden(secret), seen)]


def _is_name(name: str, known: Hidden, seen: Collection[str]) -> bool:
    unseen = set(name.split(".")) - set(seen) - (known.made - known.names)
    return any(part in known.names or "_" in part.strip("_") for part in unseen)


def _overlaps(span: _Span, others: Iterable[_Span]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in others)


def _replaced(text: str, spans: list[_Span], by: Callable[[str], str]) -> str:
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + by(text[start:end]) + text[end:]
    return text


def _piece_in_words(sql: str) -> str:
    """A piece of SQL in plain words; as it is where it cannot be put so."""
    if told := " ".join(filter(None, (tell(tree) for tree in piece(sql)))):
        return told
    for words, said in packaged("leaking")["said"].items():
        sql = re.sub(words, said, sql, flags=re.I)
    return sql


def _name_in_words(name: str) -> str:
    last = name.split(".")[-1]
    words = spoken(last)
    return words if words.lower() != last.lower() else "that"


def _tidy(text: str) -> str:
    text = re.sub(r"`|\(\s*\)", "", text)
    return re.sub(r"\s+([.,;:!?])", r"\1", " ".join(text.split())).strip()
