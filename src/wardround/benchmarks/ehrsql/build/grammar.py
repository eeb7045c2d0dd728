"""Small grammar: articles, and whether a question speaks of a time that is over."""

import re

from wardround.ehr.times import TimeTemplate
from wardround.ehr.times.model import Ago, Calendar, Part, Period, Visit

_SOUNDS_LIKE_A_VOWEL = re.compile(
    r"[aeio8]|u(?!ni|re|ri|s[aei])|(?:11|18)\b|(?:hour|hei|[fhlmnrsx]\d)"
)
_EITHER = re.compile(r"\[([^|\]]*)\|([^\]]*)\]")


def with_article(name: str) -> str:
    """The name after "a" or "an".

    >>> with_article("albumin"), with_article("urea nitrogen"), with_article("24 hr creatinine")
    ('an albumin', 'a urea nitrogen', 'a 24 hr creatinine')
    """
    article = "an" if _SOUNDS_LIKE_A_VOWEL.match(name.lower()) else "a"
    return f"{article} {name}"


def is_over(time: TimeTemplate | None) -> bool:
    """Whether the time lies wholly in the past, so that a question about it is in the past tense.

    >>> from wardround.ehr.times import template
    >>> [is_over(template(id)) for id in ("rel-year-this", "rel-year-last", "abs-year-since")]
    [False, True, False]
    """
    if time is None:
        return False
    match time.meaning:
        case Visit(_, which):
            return which != "current"
        case Period(_, comparison, back):
            return back > 0 and comparison != ">="
        case Ago(_, comparison) | Calendar(_, comparison):
            return comparison != ">="
        case Part(_, _, back):
            return True
    return True


def in_tense(question: str, over: bool) -> str:
    """The question with each `[open|over]` in the tense that fits.

    >>> in_tense("What [is|was] it?", over=True)
    'What was it?'
    """
    return _EITHER.sub(r"\2" if over else r"\1", question)
