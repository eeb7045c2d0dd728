"""Checks of a question's new wording: its form, its numbers, and whether it is new."""

import re
from collections import Counter
from collections.abc import Iterator

from wardround.authoring.rewording.comparison import same_words
from wardround.authoring.rewording.pipeline import Check

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_MARKS = re.compile(r"[{}\[\]|<>@#*_`\t\n]")
_MOST_WORDS = 4 / 3


def checks_of(question: str) -> dict[str, Check[str]]:
    """The checks of a question's wordings by name, in order.

    >>> checks = checks_of("How many women aged 58 to 68 are there?")
    >>> checks["numbers"]("How many women of 58 to 69 are there?", ())
    'loses 68; adds 69'
    """
    return {
        "form": lambda wording, before: form_fault(wording, question),
        "numbers": lambda wording, before: numbers_fault(wording, question),
        "double": lambda wording, before: (
            "has the words of one before it"
            if any(same_words(wording, other) for other in (question, *before))
            else ""
        ),
    }


def form_fault(wording: str, question: str) -> str:
    """The fault of a wording's form; "" if it has none."""
    if not wording.strip():
        return "is empty"
    # The names of tables have underscores.
    if {*_MARKS.findall(wording)} - {*_MARKS.findall(question)}:
        return "has a mark that is not part of a question"
    if not wording.endswith(("?", ".")):
        return "ends in neither ? nor ."
    too_long = len(wording.split()) > _MOST_WORDS * len(question.split())
    return "is more than a third longer" if too_long else ""


def numbers_fault(wording: str, question: str) -> str:
    """The numbers that a wording loses or adds; "" if it has the same."""
    old, new = (Counter(map(float, _NUMBER.findall(text))) for text in (question, wording))
    return "; ".join(_difference(old, new))


def _difference(old: Counter[float], new: Counter[float]) -> Iterator[str]:
    for verb, numbers in (("loses", old - new), ("adds", new - old)):
        if numbers:
            yield f"{verb} {', '.join(f'{number:g}' for number in sorted(numbers))}"
