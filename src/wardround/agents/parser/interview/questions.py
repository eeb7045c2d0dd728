"""What to ask: what is meant by the stretches of a request, the strangest first."""

import re
from collections.abc import Collection

from wardround.agents.parser.interview.phrases import small_words

_WORD = re.compile(r"[A-Za-z][\w'-]*")

# What keeps the words around it together.
_BOUND = re.compile(r" (?:of|out|from|off)(?: (?:the|our|their))? ", re.IGNORECASE)


def unclear(request: str, strange: Collection[str]) -> list[str]:
    """The stretches of a request in the order in which they should be asked about.

    Args:
        request: What the user wants.
        strange: Words that the asker never met, in lower case.

    >>> unclear("How many old patients got a blood thinner?", ["thinner"])
    ['blood thinner', 'old patients']
    """
    found = stretches(request)

    def strangeness(stretch: str) -> int:
        return sum(word.lower() in strange for word in _WORD.findall(stretch))

    return sorted(found, key=strangeness, reverse=True)


def stretches(request: str) -> list[str]:
    """The stretches of words between those that hold a sentence together.

    >>> stretches("How do our older patients come in? Show them by age.")
    ['older patients', 'age']
    """
    found: list[list[re.Match[str]]] = [[]]
    for word in _WORD.finditer(request):
        small = word[0].lower() in small_words()
        between = request[found[-1][-1].end() : word.start()] if found[-1] else ""
        if not small and between.strip() and not _BOUND.fullmatch(between):
            found.append([])
        if not small:
            found[-1].append(word)
    return [request[one[0].start() : one[-1].end()] for one in found if one]
