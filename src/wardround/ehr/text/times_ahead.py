"""Times of planned actions in a sentence, in days from now."""

import re
from collections.abc import Iterator
from datetime import timedelta

from wardround.ehr.text.dates import dates
from wardround.ehr.text.quantities import duration, quantities

_DAY = timedelta(days=1)
_PAST = re.compile(r"\s*(?:ago\b|earlier\b|before\b|之?前|以前)")
# Words for a day, each with the number of days until then.
_NAMED = {
    re.compile(
        r"\btoday\b|\btonight\b|\bnow\b|\bimmediately\b|\bat once\b|\bstat\b|\bsame[- ]day\b"
        r"|\bq\s?\d{1,2}\s?h\b|\bevery \d{1,2} hours\b|\bhourly\b|今天|今日|今晚|立即|马上|当天"
        r"|每\s?\d{1,2}\s?(?:个)?小时",
        re.IGNORECASE,
    ): 0,
    re.compile(
        r"\btomorrow\b|\bnext (?:day|morning)\b|\bdaily\b|\bevery (?:day|morning)\b|\bovernight\b"
        r"|明天|明日|明早|次日|每天|每日",
        re.IGNORECASE,
    ): 1,
    re.compile(r"后天"): 2,
    re.compile(r"\bin a week\b|\bnext week\b|\bweekly\b|下周|每周", re.IGNORECASE): 7,
}
# Words that may be a time, though not one with a number of days.
_VAGUE = re.compile(
    r"\d|\bsoon\b|\bmorning\b|\bevening\b|\bbefore\b|\bafter\b|\bweek|\bmonth|\bhour|\bclosely\b"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|尽快|早|晚|前|后|周|月|小时|密切",
    re.IGNORECASE,
)


def days_ahead(text: str) -> Iterator[float]:
    """The times of a sentence in days from now, without those of the past.

    >>> list(days_ahead("Repeat the potassium in 2 days.")), list(days_ahead("明天复查血钾。"))
    ([2.0], [1])
    >>> list(days_ahead("Potassium 3.1 two days ago; repeat within 12 hours."))
    [0.5]
    """
    for quantity in quantities(text):
        length = duration(quantity)
        if length is not None and not _PAST.match(text, quantity.end):
            yield length / _DAY
    for pattern, days in _NAMED.items():
        for _ in pattern.finditer(text):
            yield days


def may_be_timed(text: str) -> bool:
    """True if a sentence may say a time that is not understood, such as a date.

    >>> may_be_timed("Repeat it on 2148-04-02."), may_be_timed("Repeat the potassium.")
    (True, False)
    """
    return bool(_VAGUE.search(text)) or bool(dates(text))
