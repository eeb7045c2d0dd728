"""Whether a question is about anything that a request to a hospital's database could be about."""

from functools import cache, lru_cache

from wardround.people.clarifying.candidates import candidates
from wardround.people.clarifying.model import Secret
from wardround.people.clarifying.packaged import packaged_lines
from wardround.people.clarifying.similarity import alike, among
from wardround.people.patterns import content_words

# A question is small talk that is this much more like a theme of it than the task.
_ASIDE = 0.28
_AHEAD = 0.1


def is_aside(question: str, secret: Secret) -> bool:
    """Whether a question is about nothing that a request to a database could be about."""
    known = [" ".join(one.texts) for one in candidates(secret)]
    aside = max(alike(question, packaged_lines("asides.txt")))
    return bool(aside > max(_ASIDE, *alike(question, [secret.request, *known]) + _AHEAD))


def strangeness(question: str, secret: Secret) -> float:
    """The share of a question's words that neither asking nor the request is made of.

    >>> secret = Secret("Which drugs?", "", ("SELECT drug FROM prescriptions",), ())
    >>> strangeness("Should each drug be listed once?", secret)
    0.0
    >>> strangeness("Do elephants sleep?", secret)
    1.0
    """
    words = [word for word in content_words(question) if word.isalpha()]
    strange = [word for word in words if not (_is_of_asking(word) or _is_of(word, secret))]
    return len(strange) / max(len(words), 1)


@lru_cache(maxsize=8192)
def _is_of_asking(word: str) -> bool:
    return among(word, _asking())


@cache
def _asking() -> frozenset[str]:
    return frozenset(word for line in packaged_lines("asking.txt") for word in line.split())


@lru_cache(maxsize=8192)
def _is_of(word: str, secret: Secret) -> bool:
    return among(word, _words_about(secret))


@lru_cache(maxsize=256)
def _words_about(secret: Secret) -> frozenset[str]:
    texts = (text for one in candidates(secret) for text in one.texts)
    return content_words(" ".join((secret.request, secret.clear, *texts)))
