"""Rules that refuse a question: forbidden requests, small talk and unknown words."""

from functools import cache, lru_cache

from wardround.people.clarifying.candidates import candidates
from wardround.people.clarifying.packaged import packaged_lines, pattern
from wardround.people.clarifying.secret import Secret
from wardround.people.clarifying.similarity import matches_any, similarities
from wardround.people.patterns import content_words

# Least similarity to a small-talk topic, and least margin over the task.
_SMALL_TALK = 0.28
_MARGIN = 0.1


def must_refuse(question: str) -> bool:
    """True if a question asks for SQL, schema, steps or the answer.

    >>> must_refuse("Which table are the drugs in?"), must_refuse("Which drugs do you mean?")
    (True, False)
    >>> must_refuse("Which columns should the result show?")
    False
    """
    text = " ".join(question.split())
    rest = pattern("refusing", "allowed").sub(" ", text)
    return bool(pattern("refusing", "asking").search(rest))


def is_small_talk(question: str, secret: Secret) -> bool:
    """True if a question resembles small talk more than anything in the task."""
    known = [" ".join(candidate.texts) for candidate in candidates(secret)]
    small_talk = max(similarities(question, packaged_lines("asides.txt")))
    return bool(
        small_talk > max(_SMALL_TALK, *similarities(question, [secret.request, *known]) + _MARGIN)
    )


def unknown_word_share(question: str, secret: Secret) -> float:
    """Returns the share of words that belong neither to questions in general nor to the task.

    >>> secret = Secret("Which drugs?", "", ("SELECT drug FROM prescriptions",), ())
    >>> unknown_word_share("Should each drug be listed once?", secret)
    0.0
    >>> unknown_word_share("Do elephants sleep?", secret)
    1.0
    """
    words = [word for word in content_words(question) if word.isalpha()]
    unknown = [
        word for word in words if not (_is_question_word(word) or _is_task_word(word, secret))
    ]
    return len(unknown) / max(len(words), 1)


@lru_cache(maxsize=8192)
def _is_question_word(word: str) -> bool:
    return matches_any(word, _question_words())


@cache
def _question_words() -> frozenset[str]:
    return frozenset(word for line in packaged_lines("asking.txt") for word in line.split())


@lru_cache(maxsize=8192)
def _is_task_word(word: str, secret: Secret) -> bool:
    return matches_any(word, _task_words(secret))


@lru_cache(maxsize=256)
def _task_words(secret: Secret) -> frozenset[str]:
    texts = (text for candidate in candidates(secret) for text in candidate.texts)
    return content_words(" ".join((secret.request, secret.clear, *texts)))
