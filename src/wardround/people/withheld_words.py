"""Secrets of an instruction: words that the user does not say before the agent does."""

import re

from wardround.people.conditions import asked_about, condition_kind
from wardround.people.patterns import content_words, pattern
from wardround.people.sentences import restore

_QUOTED = re.compile(r"[\"\u201c'\u2018](?=\S)([^\"\u201d]+?)[\"\u201d'\u2019](?!\w)")


def guarded_words(part: str) -> tuple[frozenset[str], bool, str]:
    """Returns the words that a secret names, if they are quoted, and the statement it keeps.

    >>> guarded_words('do not suggest "colchicine" unless the agent does')
    (frozenset({'colchicine'}), True, '')
    >>> sorted(guarded_words("do not reveal that you prepare a lecture")[0])
    ['lecture', 'prepare']
    """
    named = pattern("grammar", "until").sub("", part)
    if verb := pattern("grammar", "secret_verb").search(named):
        named = named[verb.end() :]
    quotes = _QUOTED.findall(restore(named))
    statement = pattern("grammar", "that_clause").match(named)
    words = content_words(" ".join(quotes) or restore(named))
    return words, bool(quotes), named[statement.end() :] if statement else ""


def lifting_question(part: str) -> str | None:
    """Returns the cue of the question that lifts a secret; None if no question does."""
    until = pattern("grammar", "until").search(part)
    if not until or condition_kind(until["condition"]) != "question":
        return None
    return asked_about(until["condition"])
