"""The text of a question: its wording with filled slots, in the tense of its time."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from wardround.authoring.ehrsql.templates.slot_choices import all_operations
from wardround.authoring.ehrsql.templates.templates import TIME_SLOTS, QuestionTemplate
from wardround.authoring.slots import SLOT, in_tense, with_article
from wardround.ehr.times import TimeFilter, TimeTag, TimeTemplate, filter_text
from wardround.ehr.times.model import Ago, Calendar, Moment, Part, Period, Visit

Value = str | int | float

_GENDERS = {"f": "female", "m": "male"}


def is_over(time: TimeTemplate | None) -> bool:
    """True if the time lies wholly in the past, so that the question is in the past tense.

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


class Slots(NamedTuple):
    """The contents of a question's slots.

    Attributes:
        values: values by slot.
        operations: names of operations by slot.
        times: the time filters.
    """

    values: Mapping[str, Value]
    operations: Mapping[str, str] = {}
    times: TimeTag = TimeTag()


def question(template: QuestionTemplate, slots: Slots, wording: str = "") -> str:
    """Builds the text of a question; its first global time decides the tense.

    Args:
        template: the question's template.
        slots: the contents of its slots.
        wording: a paraphrase with the same slots; by default the template's own wording.

    >>> from wardround.authoring.ehrsql.templates import question_template
    >>> question(question_template("drug-purpose"), Slots({"drug_name": "aspirin"}))
    'What is aspirin used for?'
    """
    filters = by_slot(slots.times)
    words = {slot: str(value) for slot, value in slots.values.items()}
    operations = slots.operations.items()
    words |= {slot: all_operations()[slot][name].words for slot, name in operations}
    if "gender" in words:
        words["gender"] = _GENDERS.get(words["gender"], words["gender"])
    words |= {slot: filter_text(filter) for slot, filter in filters.items()} | _moments(filters)
    over = "global1" in filters and is_over(filters["global1"].template)
    text = in_tense(wording or template.question, over)
    return _without_gaps(SLOT.sub(lambda slot: _word(slot, words), text))


def by_slot(times: TimeTag) -> dict[str, TimeFilter]:
    """Returns the time filters by slot."""
    slots = zip(TIME_SLOTS, times.filters, strict=True)
    return {slot: filter for slot, filter in slots if filter}


def _moments(filters: Mapping[str, TimeFilter]) -> dict[str, str]:
    """The words of two exact times: "last measured on …", "first value measured on …"."""
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


def _word(slot: re.Match[str], words: Mapping[str, str]) -> str:
    text = words.get(slot[2], "")
    return with_article(text) if slot[1] else text


def _without_gaps(text: str) -> str:
    return re.sub(r" (?=[?.,])", "", re.sub(r" {2,}", " ", text)).strip()
