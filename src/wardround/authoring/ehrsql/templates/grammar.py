"""A wording with its slots filled: articles, tenses, times, and no gaps where a slot is empty."""

import re
from collections.abc import Mapping

from wardround.authoring.slots import SLOT, in_tense, with_article
from wardround.ehr.times import TimeFilter, TimeTag, TimeTemplate, filter_text
from wardround.ehr.times.model import Ago, Calendar, Moment, Part, Period, Visit

_TIME_SLOTS = ("global1", "global2", "within", "exact1", "exact2")


def is_over(time: TimeTemplate | None) -> bool:
    """True if the time lies wholly in the past: its question is in the past tense.

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


def said_with(wording: str, said: Mapping[str, str | int | float], times: TimeTag) -> str:
    """The wording with its slots filled.

    Args:
        wording: A template's question.
        said: The words for each slot that is no time.
        times: The time filters; the first global one decides the tense.
    """
    filters = by_slot(times)
    words = {slot: str(value) for slot, value in said.items()}
    words |= {slot: filter_text(filter) for slot, filter in filters.items()} | _moments(filters)
    text = in_tense(wording, "global1" in filters and is_over(filters["global1"].template))
    return _tidy(SLOT.sub(lambda slot: _said(slot, words), text))


def by_slot(times: TimeTag) -> dict[str, TimeFilter]:
    """The time filters by the slot that they fill."""
    slots = zip(_TIME_SLOTS, times.filters, strict=True)
    return {slot: filter for slot, filter in slots if filter}


def _moments(filters: Mapping[str, TimeFilter]) -> dict[str, str]:
    """Two values at exact times: "last measured on …", "first value measured on …"."""
    if "exact2" not in filters:
        return {}
    return {
        "moment2": _measured(filters["exact2"], filters.get("global2"), "measured"),
        "value1": _measured(filters["exact1"], filters.get("global1"), "value measured"),
    }


def _measured(exact: TimeFilter, visit: TimeFilter | None, measured: str) -> str:
    when = filter_text(exact)
    if isinstance(exact.template.meaning, Moment):
        return f"{measured} {when}"
    return f"{when} {measured} {filter_text(visit) if visit else ''}".rstrip()


def _said(slot: re.Match[str], said: Mapping[str, str]) -> str:
    text = said.get(slot[2], "")
    return with_article(text) if slot[1] else text


def _tidy(text: str) -> str:
    """Removes the gaps that empty slots leave."""
    return re.sub(r" (?=[?.,])", "", re.sub(r" {2,}", " ", text)).strip()
