"""Whether a sentence of an answer may mean the words of an item in words of its own.

An item of plain words fails only where nothing in the answer comes near it. English is compared by
embeddings, Chinese by its letters.
"""

import re
from collections.abc import Sequence

from wardround.benchmarks.assist.checks.sentences import sentences
from wardround.benchmarks.assist.tasks import Language
from wardround.people.clarifying.similarity import text_vector

_NEAR = 0.2  # cosine; unrelated sentences of the shipped answers reach 0.18
_SHARED = 0.45  # share of an item's Chinese letters
_LATIN = re.compile(r"[A-Za-z]{4,}")


def is_near(words: Sequence[str], answer: str, language: Language) -> bool:
    """True if a sentence of an answer comes near some words.

    >>> is_near(("drink", "heavily"), "He uses alcohol in excess. Sodium 142.", "en")
    True
    >>> is_near(("drink", "heavily"), "Sodium 142 mEq/L.", "en")
    False
    >>> is_near(("使用辅助步行器",), "患者走路用助行器。", "zh")
    True
    """
    if not words:
        return True
    if language == "zh":
        return any(_shares(words, sentence) for sentence in sentences(answer))
    meant = text_vector(" ".join(words))
    return any(float(meant @ text_vector(each)) >= _NEAR for each in sentences(answer))


def _shares(words: Sequence[str], sentence: str) -> bool:
    """True if a sentence has many of the letters, or says something in English."""
    letters = set("".join(words))
    return len(letters & set(sentence)) >= _SHARED * len(letters) or bool(_LATIN.search(sentence))
