"""A time filter in words."""

from wardround.ehr.times.filters import TimeFilter


def worded(filter: TimeFilter) -> str:
    """The filter as a question says it.

    >>> from wardround.ehr.times import time_filter
    >>> worded(time_filter("abs-month-since", month=7, year=2102))
    'since 07/2102'
    >>> worded(time_filter("rel-day-until", day=1))
    'until 1 day ago'
    """
    plural = "" if 1 in filter.values.values() else "s"
    return filter.template.words.format(**filter.values).replace("(s)", plural)
