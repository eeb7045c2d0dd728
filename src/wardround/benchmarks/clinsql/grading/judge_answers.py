"""Answers of the rubric judge: a score and an explanation of a leaf, or grades of a tree."""

import re

from pydantic import BaseModel, ConfigDict, Field

from wardround.benchmarks.clinsql.grading.leaf_verdicts import UNREADABLE_ONE
from wardround.core.errors import MalformedAnswerError

_SCORE = re.compile(r"^\W*score\W*([01])\b", re.IGNORECASE | re.MULTILINE)
_BARE = re.compile(r"\W*([01])\W*")
# A score in front of its reason: "1 - only women are kept."
_LEADING = re.compile(
    r"^\W*([01])(?:\s*[-\u2013\u2014:.,;)*]+\s+|\s*\n\s*)(?=[^\d\s])(.+)", re.DOTALL
)
# The second item of a list, whose first is no score.
_SECOND = re.compile(r"^\W*2[.)]\s", re.MULTILINE)
_EXPLANATION = re.compile(r"^\W*explanation\W*\s(.+)", re.IGNORECASE | re.MULTILINE)


class LeafGrade(BaseModel):
    """The grade of one requirement."""

    model_config = ConfigDict(defer_build=True)

    id: str = Field(description="the requirement's id")
    met: bool = Field(description="whether the requirement is met")
    reason: str = Field("", description="the reason in one sentence")


class TreeGrades(BaseModel):
    """The grades of all requirements."""

    model_config = ConfigDict(defer_build=True)

    grades: list[LeafGrade] = Field(description="a grade for each id")


def read_grade(text: str) -> tuple[bool, str]:
    r"""A judge's answer about one leaf: whether it is met, and why.

    Raises:
        MalformedAnswerError: There is no score in its form; the message says if a 1 is in it,
            which the published code counts as met.

    >>> read_grade("Score: 1\nExplanation: Only women are kept.")
    (True, 'Only women are kept.')
    >>> read_grade("0 - It keeps men as well.")
    (False, 'It keeps men as well.')
    """
    leading = None if _SECOND.search(text) else _LEADING.match(text)
    if leading and not _SCORE.search(text):
        return leading[1] == "1", " ".join(leading[2].split())
    found = _SCORE.search(text) or _BARE.fullmatch(text)
    if found is None:
        shown = " ".join(text.split())[:80]
        if "1" in text:
            raise MalformedAnswerError(f"{UNREADABLE_ONE}: {shown}")
        raise MalformedAnswerError(f"the judge's answer has no score: {shown}")
    explanation = _EXPLANATION.search(text)
    return found[1] == "1", explanation[1].strip() if explanation else ""
