"""A form of SQL laid on a question: what goes into its slots and places, and what is left over."""

from collections.abc import Sequence
from typing import NamedTuple

from wardround.agents.parser.alignment import Form, Slot, kind_of_row
from wardround.agents.parser.columns import Domain
from wardround.agents.parser.kinds import Variant
from wardround.agents.parser.question_reader import Number, Reading, role
from wardround.agents.parser.value_linker import Mention, Near
from wardround.ehr.times import TimeFilter, template

# What it costs, as a logarithm, that a query leaves out what a question says, or a time of its own.
_LEFT_VALUE = 3.0
_LEFT_TIME = 3.0
_LEFT_NUMBER = 1.0
_MISSING_TIME = 2.0


class Filled(NamedTuple):
    """A slot with what goes into it.

    Attributes:
        said: The value or the number of the question that it takes.
        values: What the database calls that; several where the name stands for all of them.
        near: What the name was taken for; None where it is a value's own, or a number.
    """

    slot: Slot
    said: Mention | Number
    values: tuple[str, ...]
    near: Near | None = None


class Fitted(NamedTuple):
    """A form of SQL with what a question says for it.

    Attributes:
        said: What of the question each slot takes.
        times: What goes into each place; None where there is no such time.
        cost: What the query leaves out, at least 0.
    """

    variant: Variant
    said: tuple[Mention | Number, ...]
    times: tuple[TimeFilter | None, ...]
    cost: float

    @property
    def filled(self) -> list[Filled]:
        """The slots with what goes into them."""
        return list(map(_filled, self.variant.form.slots, self.said))


def _filled(slot: Slot, said: Mention | Number) -> Filled:
    if isinstance(said, Number) or slot.domain is None:
        return Filled(slot, said, (str(said.value),) if isinstance(said, Number) else ())
    return Filled(slot, said, said.values[slot.domain], said.near.get(slot.domain))


def fitted(variant: Variant, reading: Reading) -> Fitted | None:
    """The form with what the question says; None where something that it needs is not said."""
    form = variant.form
    said = _said(variant, reading)
    if said is None:
        return None
    times, left_times = _times(variant, reading)
    missing = sum(time is None and bool(role) for time, role in zip(times, form.roles, strict=True))
    cost = (
        _LEFT_VALUE * sum(mention not in said for mention in reading.mentions)
        + _LEFT_NUMBER * sum(number not in said for number in reading.numbers)
        + _LEFT_TIME * left_times
        + _MISSING_TIME * missing
    )
    return Fitted(variant, said, times, cost)


def _said(variant: Variant, reading: Reading) -> tuple[Mention | Number, ...] | None:
    filled: dict[int, Mention | Number] = {}
    # Slots take what is said in the order in which it usually is; but "the top five of those over
    # 60" is also said the other way round.
    order = sorted(enumerate(variant.form.slots), key=lambda slot: variant.said.slots[slot[0]])
    for known in (True, False):
        for at, slot in order:
            those = _of(slot.domain, reading) if slot.domain else reading.numbers
            free = (one for one in those if one not in filled.values())
            one = next((one for one in free if not known or _usual(one, variant.numbers[at])), None)
            if one and at not in filled:
                filled[at] = one
    return tuple(filled[at] for at in sorted(filled)) if len(filled) == len(order) else None


def _usual(said: Mention | Number, numbers: Sequence[float]) -> bool:
    return isinstance(said, Number) and said.value in numbers


def _of(domain: Domain, reading: Reading) -> Sequence[Mention | Number]:
    return [mention for mention in reading.mentions if domain in mention.values]


def _times(variant: Variant, reading: Reading) -> tuple[tuple[TimeFilter | None, ...], int]:
    """The time of each place, and how many of the question's are in none."""
    form = variant.form
    times: list[TimeFilter | None] = [None] * len(form.roles)
    for place, filter in form.constants:
        times[place] = filter
    said = [time.filter for time in reading.times]
    # Equal times stand in one place.
    free = [one for at, one in enumerate(said) if one not in said[:at]]
    places = [place for place, role in enumerate(form.roles) if role]
    order = dict(zip(places, variant.said.places, strict=True))
    usual = dict(zip(places, variant.usual, strict=True))
    for fits in (_usually, _exactly, _nearly):
        for place in sorted(places, key=order.__getitem__):
            those = [one for one in free if fits(one, form.roles[place], usual[place])]
            if times[place] is None and those:
                free.remove(those[0])
                times[place] = _as(those[0], form.roles[place], form)
    constants = [filter.template.id for _, filter in form.constants]
    return tuple(times), sum(one.template.id not in constants for one in free)


def _usually(filter: TimeFilter, wanted: str, usual: str) -> bool:
    return role(filter) == wanted and filter.template.id == usual


def _exactly(filter: TimeFilter, wanted: str, usual: str) -> bool:
    return role(filter) == wanted


def _nearly(filter: TimeFilter, wanted: str, usual: str) -> bool:
    return wanted in ("visit", "exact") and kind_of_row(filter) != ""


def _as(filter: TimeFilter, wanted: str, form: Form) -> TimeFilter:
    """The first or last row in place of the first or last visit, and the other way round."""
    if role(filter) == wanted:
        return filter
    option = kind_of_row(filter)
    if wanted == "exact":
        return TimeFilter(template(f"exact-{option}"))
    stay = "icu" if "TIME_VISIT" in form.sql and "icustays.intime" in form.sql else "hosp"
    return TimeFilter(template(f"rel-{stay}-{option}"))
