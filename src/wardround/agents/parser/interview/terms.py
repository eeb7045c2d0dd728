"""Terms of the knowledge base in what was said."""

import re
from collections.abc import Mapping, Sequence

from wardround.agents.parser.interview.said import Said

# What tells of the form of the result names no terms.
_FORM = {"show", "count", "group", "order", "ties"}


def definitions(said: Sequence[Said], knowledge: Mapping[str, str]) -> list[Said]:
    """The definitions of the terms that were said, and of those in them."""
    found: dict[str, Said] = {}
    waiting = [(one.text, one.about) for one in said if one.topic not in _FORM]
    while waiting:
        text, about = waiting.pop()
        for name in terms_in(text, knowledge):
            if name not in found:
                found[name] = Said("defined", knowledge[name], about)
                waiting.append((knowledge[name], about))
    return list(found.values())


def terms_in(text: str, knowledge: Mapping[str, str]) -> list[str]:
    """The terms in a text, the longest first, without those that are parts of longer ones.

    >>> terms_in("A true fever.", {"Fever": "", "True Fever": ""})
    ['True Fever']
    """
    found = []
    for name in sorted(knowledge, key=len, reverse=True):
        pattern = rf"\b{re.escape(name)}s?\b"
        if re.search(pattern, text, re.IGNORECASE):
            text = re.sub(pattern, " ", text, flags=re.IGNORECASE)
            found.append(name)
    return found
