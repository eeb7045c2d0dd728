"""Final check of a reply before the agent gets it: no leaks, no values that were not asked for."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache
from itertools import pairwise
from typing import TypeAlias

from wardround.ehr.text.segments import sentences, texts
from wardround.people.clarifying.gold_parser import parse_fragment
from wardround.people.clarifying.hidden import TOKEN, Hidden, hidden, tokens
from wardround.people.clarifying.names import plain_words, readable_name
from wardround.people.clarifying.packaged import packaged, pattern
from wardround.people.clarifying.plain_words import verbalize
from wardround.people.clarifying.redaction import redacted_fragments
from wardround.people.clarifying.secret import Answer, Choice, Located, Refused, Secret
from wardround.people.clarifying.template_replies import is_refusal, refusal, reply_to

_Span: TypeAlias = tuple[int, int]
_Run: TypeAlias = list[re.Match[str]]

_NAME = re.compile(r"(?:\b[A-Za-z_]\w*\.)*[A-Za-z_][\w$]*")
_QUOTES = ("'", '"', "`")
# A run of this many tokens is SQL even if it is made of common words.
_LONG_WORD = 4


def leaks(text: str, secret: Secret, seen: Collection[str] = ()) -> tuple[str, ...]:
    """Returns the leaks in a reply.

    A leak is code, a run of the gold's SQL that is longer than a name, a name of the schema that
    is no plain word, or any name with an underscore. Names that the agent has seen and names of
    objects to be created are not leaks.

    >>> secret = Secret("Any old?", "", ("SELECT hadm_id FROM t WHERE anchor_age > 80",), ())
    >>> leaks("Those with anchor_age > 80.", secret)
    ('anchor_age > 80', 'anchor_age')
    >>> leaks("Those older than 80, with their hadm_id.", secret, {"hadm_id"})
    ()
    """
    pieces = _pieces(text, secret)
    written = [span for span in _spans("written", text) if not _overlaps(span, pieces)]
    spans = [*_spans("code", text), *pieces, *written, *_names(text, secret, seen)]
    return tuple(text[start:end] for start, end in spans)


def repaired(text: str, secret: Secret, seen: Collection[str] = ()) -> str:
    """Rewrites leaks in plain words, or else drops the sentences that leak.

    Returns:
        A text in which `leaks` finds nothing; empty if nothing is left, or if the reply holds
        code, since the text around code is about it.

    >>> secret = Secret("Any old?", "", ("SELECT hadm_id FROM t WHERE anchor_age > 80",), ())
    >>> repaired("I mean anchor_age > 80, by hadm_id.", secret)
    'I mean older than 80, by hospital stay.'
    """
    if _spans("code", text):
        return ""
    text = _replaced(text, _pieces(text, secret), _piece_in_words)
    text = " ".join(s for s in texts(text, sentences(text, "en")) if not _spans("written", s))
    text = _replaced(text, _names(text, secret, seen), _name_in_words)
    clean = (s for s in texts(text, sentences(text, "en")) if not leaks(s, secret, seen))
    joined = _tidy(" ".join(clean))
    return joined if re.search(r"\w", joined) and not leaks(joined, secret, seen) else ""


def _spans(kind: str, text: str) -> list[_Span]:
    return [match.span() for match in pattern("sql_text", kind).finditer(text)]


def _pieces(text: str, secret: Secret) -> list[_Span]:
    """Returns the spans of a text that are runs of the gold's tokens and read as SQL."""
    known = hidden(secret)
    runs = _runs(list(TOKEN.finditer(text)), known.pairs)
    return [_with_quotes(text, run) for run in runs if _is_sql(run, known)]


def _with_quotes(text: str, run: _Run) -> _Span:
    start, end = run[0].start(), run[-1].end()
    return start - (text[:start][-1:] in _QUOTES), end + (text[end : end + 1] in _QUOTES)


def _runs(matches: Iterable[re.Match[str]], pairs: Collection[tuple[str, str]]) -> Iterator[_Run]:
    """Splits tokens into runs whose neighbours are neighbours in the gold."""
    run: _Run = []
    for match in matches:
        if run and (run[-1][0].lower(), match[0].lower()) not in pairs:
            yield run
            run = []
        run.append(match)
    if run:
        yield run


def _is_sql(run: _Run, known: Hidden) -> bool:
    words = [match[0].lower() for match in run]
    unknown = set(words) - known.values
    return len(run) > 1 and (
        bool(_words("comparing") & unknown)
        or _calls(run, known)
        or bool(_words("sql_words") & unknown and sum(word[0].isalnum() for word in words) > 1)
        or bool(_words("calculating") & unknown & set(words[1:-1]))
        or (len(run) >= _LONG_WORD and bool(_words("common_words") & unknown))
    )


@cache
def _words(kind: str) -> frozenset[str]:
    return frozenset(packaged("sql_text")[kind])


def _calls(run: _Run, known: Hidden) -> bool:
    """True if a run holds a function call: a name right before a parenthesis."""
    return any(
        left[0].lower() in known.calls and right[0] == "(" and left.end() == right.start()
        for left, right in pairwise(run)
    )


def _names(text: str, secret: Secret, seen: Collection[str]) -> list[_Span]:
    """Returns the spans of hidden names, and of names with an underscore, not yet seen."""
    matches = _NAME.finditer(text)
    return [match.span() for match in matches if _is_name(match[0].lower(), hidden(secret), seen)]


def _is_name(name: str, known: Hidden, seen: Collection[str]) -> bool:
    unseen = set(name.split(".")) - set(seen) - (known.created - known.names)
    return any(part in known.names or "_" in part.strip("_") for part in unseen)


def _overlaps(span: _Span, spans: Iterable[_Span]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in spans)


def _replaced(text: str, spans: list[_Span], by: Callable[[str], str]) -> str:
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + by(text[start:end]) + text[end:]
    return text


def _piece_in_words(sql: str) -> str:
    """Puts a fragment of SQL in plain words; returns it unchanged where that fails."""
    if plain := " ".join(filter(None, (verbalize(tree) for tree in parse_fragment(sql)))):
        return plain
    for pattern_text, plain in packaged("sql_text")["said"].items():
        sql = re.sub(pattern_text, plain, sql, flags=re.I)
    return sql


def _name_in_words(name: str) -> str:
    last = name.split(".")[-1]
    words = readable_name(last)
    return words if words.lower() != last.lower() else "that"


def _tidy(text: str) -> str:
    text = re.sub(r"`|\(\s*\)", "", text)
    return re.sub(r"\s+([.,;:!?])", r"\1", " ".join(text.split())).strip()


def checked_answer(
    reply: str,
    choice: Choice | None,
    question: str,
    secret: Secret,
    seen: Collection[str],
    seed: int = 0,
) -> Answer:
    """Returns an answer without leaks.

    A leaking reply is rewritten in plain words; a reply with values that were not asked for is
    dropped. If nothing is left, the choice is answered from a template, and if that leaks too or
    there is no choice, the question is refused.

    Args:
        reply: The simulator's reply.
        choice: The chosen action; None for a simulator that does not choose.
        question: The agent's question.
        secret: The user's secret.
        seen: Identifiers that the agent knows, in lower case.
        seed: The seed of template wordings.
    """
    leaked = leaked_values(reply, choice, question, secret)
    leaked_names = (*leaks(reply, secret, seen), *leaked)
    text = "" if leaked else repaired(reply, secret, seen) if leaked_names else reply.strip()
    if not text and choice is not None:
        text = repaired(reply_to(choice, question, secret, seed), secret, seen)
    text = text or refusal(question, seed)
    return Answer(text, choice, leaked_names, is_refusal(text))


_LONG = 4


def leaked_values(
    text: str, choice: Choice | None, question: str, secret: Secret
) -> tuple[str, ...]:
    """Returns values of the gold in a reply that neither the choice nor the talk contains.

    Empty for a simulator that does not choose, since what it may say is unknown.

    >>> gold = ("SELECT 1 WHERE age > 80 AND drug = 'Heparin' LIMIT 5",)
    >>> secret = Secret("How many old ones?", "", gold, ())
    >>> leaked_values("Older than 80, on heparin, five.", Located("age > 80"), "How old?", secret)
    ('heparin',)
    """
    if choice is None:
        return ()
    known = {*tokens(secret.request), *tokens(question), *tokens(_chosen(choice, secret))}
    hidden_values = _values(secret) - known
    return tuple(token for token in tokens(text) if token in hidden_values)


def _chosen(choice: Choice, secret: Secret) -> str:
    if isinstance(choice, Refused):
        return ""
    details = " ".join(redacted_fragments(choice, secret))
    if isinstance(choice, Located):
        return details
    return " ".join((choice.ambiguity.term, choice.ambiguity.meaning, details))


def _values(secret: Secret) -> set[str]:
    """Returns the gold's numbers and the informative words of its string literals."""
    numbers = {token for gold in secret.gold for token in tokens(gold) if token[0].isdigit()}
    words = {word for word in hidden(secret).values if len(word) >= _LONG} - plain_words()
    return (numbers | words) - {"0", "1"}
