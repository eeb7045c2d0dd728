"""Times of planned actions in a sentence, in days from now."""

import re
from collections.abc import Iterator
from datetime import timedelta

from wardround.ehr.text.dates import dates
from wardround.ehr.text.quantities import duration, quantities
from wardround.ehr.text.segments import blanked
from wardround.ehr.text.word_tables import word_patterns

_DAY = timedelta(days=1)
_DAYS = (0, 1, 2, 7)  # rows of the table
# An interval of hours; its first time is today.
_EVERY_HOURS = re.compile(
    r"\bq\s?\d{1,2}\s?h\b|\bevery \d{1,2} hours\b|每\s?\d{1,2}\s?(?:个)?小时", re.IGNORECASE
)


def days_ahead(text: str) -> Iterator[float]:
    """The times of a sentence in days from now, without those of the past.

    >>> list(days_ahead("Repeat the potassium in 2 days.")), list(days_ahead("明天复查血钾。"))
    ([2.0], [1])
    >>> list(days_ahead("Potassium 3.1 two days ago; repeat within 12 hours."))
    [0.5]
    """
    words = word_patterns(__package__, "times_ahead.tsv")
    for quantity in quantities(text):
        length = duration(quantity)
        if length is not None and not is_ago(text, quantity.end):
            yield length / _DAY
    yield from (0 for _ in _EVERY_HOURS.finditer(text))
    for days in _DAYS:
        yield from (days for _ in words[str(days)].finditer(text))


def without_times_ahead(text: str) -> str:
    """A text without its words for times of planned actions, as long as before.

    >>> without_times_ahead("Repeat it tomorrow.")
    'Repeat it         .'
    """
    words = word_patterns(__package__, "times_ahead.tsv").values()
    return blanked(text, (match.span() for each in words for match in each.finditer(text)))


def is_ago(text: str, end: int) -> bool:
    """True if a length of time that ends at a place is one before now.

    >>> is_ago("two days ago", 8), is_ago("两天前", 2), is_ago("in two days", 11)
    (True, True, False)
    """
    past = word_patterns(__package__, "times_ahead.tsv")["past"]
    return past.match(text[end:].lstrip()) is not None


def may_be_timed(text: str) -> bool:
    """True if a sentence may say a time that is not understood, such as a date.

    >>> may_be_timed("Repeat it on 2148-04-02."), may_be_timed("Repeat the potassium.")
    (True, False)
    """
    vague = word_patterns(__package__, "times_ahead.tsv")["vague"]
    has_digit = any(letter.isdecimal() for letter in text)
    return has_digit or vague.search(text) is not None or bool(dates(text))
