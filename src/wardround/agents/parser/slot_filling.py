"""Fills the slots of an SQL form with what a question names, and counts what is left over."""

import re
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from wardround.agents.parser.columns import Domain
from wardround.agents.parser.names.value_index import AliasMatch, Mention
from wardround.agents.parser.question_reader import Number, Reading, time_role
from wardround.agents.parser.sql.forms import Slot, SqlForm, Variant, first_or_last
from wardround.ehr.times import TimeFilter, template
from wardround.ehr.times.stays import stays_naming

# Log penalties for what the question names and the query leaves out, and for a missing time.
_UNUSED_VALUE = 3.0
_UNUSED_TIME = 3.0
_UNUSED_NUMBER = 1.0
_MISSING_TIME = 2.0
# The ends of the places of a filter by two times of one table.
_VISIT = re.compile(r", (?P<table>\w+)\.(?P<start>\w+), (?P=table)\.(?P<end>\w+)\)")

Filler: TypeAlias = Mention | Number


class FilledSlot(NamedTuple):
    """A slot with its filler.

    Attributes:
        values: The database's values; several where the name stands for all of them.
        alias: How the name was resolved; None for a value's own name or a number.
    """

    slot: Slot
    filler: Filler
    values: tuple[str, ...]
    alias: AliasMatch | None = None


class FilledForm(NamedTuple):
    """An SQL form filled from a question.

    Attributes:
        fillers: What each slot takes from the question.
        times: The filter at each place; None where the question has no such time.
        cost: The penalty for what the query leaves out, at least 0.
    """

    variant: Variant
    fillers: tuple[Filler, ...]
    times: tuple[TimeFilter | None, ...]
    cost: float

    @property
    def slots(self) -> list[FilledSlot]:
        """The slots with their fillers."""
        return list(map(_filled_slot, self.variant.form.slots, self.fillers))


def _filled_slot(slot: Slot, filler: Filler) -> FilledSlot:
    if isinstance(filler, Number) or slot.domain is None:
        return FilledSlot(slot, filler, (str(filler.value),) if isinstance(filler, Number) else ())
    return FilledSlot(slot, filler, filler.values[slot.domain], filler.aliases.get(slot.domain))


def fill_form(variant: Variant, reading: Reading) -> FilledForm | None:
    """Fill a form from a question; None where a slot stays empty."""
    form = variant.form
    fillers = _fillers(variant, reading)
    if fillers is None:
        return None
    times, unused_times = _times(variant, reading)
    missing = sum(time is None and bool(role) for time, role in zip(times, form.roles, strict=True))
    cost = (
        _UNUSED_VALUE * sum(mention not in fillers for mention in reading.mentions)
        + _UNUSED_NUMBER * sum(number not in fillers for number in reading.numbers)
        + _UNUSED_TIME * unused_times
        + _MISSING_TIME * missing
    )
    return FilledForm(variant, fillers, times, cost)


def _fillers(variant: Variant, reading: Reading) -> tuple[Filler, ...] | None:
    """The filler of each slot.

    Slots take fillers in the order in which questions usually name them. Numbers seen in training
    come first, because "the top five of those over 60" is also said the other way round.
    """
    fillers: dict[int, Filler] = {}
    slots = sorted(enumerate(variant.form.slots), key=lambda slot: variant.order.slots[slot[0]])
    for only_usual in (True, False):
        for at, slot in slots:
            if at in fillers:
                continue
            named = _of_domain(slot.domain, reading) if slot.domain else reading.numbers
            free = (item for item in named if item not in fillers.values())
            usual = variant.numbers[at]
            filler = next((item for item in free if not only_usual or _is_usual(item, usual)), None)
            if filler:
                fillers[at] = filler
    return tuple(fillers[at] for at in sorted(fillers)) if len(fillers) == len(slots) else None


def _is_usual(filler: Filler, numbers: Sequence[float]) -> bool:
    return isinstance(filler, Number) and filler.value in numbers


def _of_domain(domain: Domain, reading: Reading) -> Sequence[Filler]:
    return [mention for mention in reading.mentions if domain in mention.values]


def _times(variant: Variant, reading: Reading) -> tuple[tuple[TimeFilter | None, ...], int]:
    """The filter at each place, and how many times of the question are unused."""
    form = variant.form
    times: list[TimeFilter | None] = [None] * len(form.roles)
    for index, filter in form.constants:
        times[index] = filter
    named = [time.filter for time in reading.times]
    # Equal times share a place.
    free = [item for at, item in enumerate(named) if item not in named[:at]]
    places = [index for index, role in enumerate(form.roles) if role]
    order = dict(zip(places, variant.order.times, strict=True))
    usual = dict(zip(places, variant.usual_times, strict=True))
    for matches in (_has_usual_template, _has_role, _is_similar):
        for index in sorted(places, key=order.__getitem__):
            fitting = [item for item in free if matches(item, form.roles[index], usual[index])]
            if times[index] is None and fitting:
                free.remove(fitting[0])
                times[index] = _with_role(fitting[0], form.roles[index], form)
    constants = [filter.template.id for _, filter in form.constants]
    return tuple(times), sum(item.template.id not in constants for item in free)


def _has_usual_template(filter: TimeFilter, role: str, usual: str) -> bool:
    return time_role(filter) == role and filter.template.id == usual


def _has_role(filter: TimeFilter, role: str, usual: str) -> bool:
    return time_role(filter) == role


def _is_similar(filter: TimeFilter, role: str, usual: str) -> bool:
    return role in ("visit", "exact") and first_or_last(filter) != ""


def _chooses_icu_visit(sql: str) -> bool:
    """True if a query has a filter that chooses an ICU stay by its start and end."""
    return any(
        ("icu", match["table"], match["start"]) == (stay.stay, stay.table, stay.start)
        for match in _VISIT.finditer(sql)
        for stay in stays_naming(match["end"])
        if stay.end == match["end"]
    )


def _with_role(filter: TimeFilter, role: str, form: SqlForm) -> TimeFilter:
    """Exchange the first or last row for the first or last visit, and vice versa, if need be."""
    if time_role(filter) == role:
        return filter
    option = first_or_last(filter)
    if role == "exact":
        return TimeFilter(template(f"exact-{option}"))
    stay = "icu" if _chooses_icu_visit(form.sql) else "hosp"
    return TimeFilter(template(f"rel-{stay}-{option}"))
