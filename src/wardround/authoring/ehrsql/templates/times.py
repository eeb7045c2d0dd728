"""The time templates that a question may have, alone and together (Lee et al. 2022, B.1)."""

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache
from itertools import product

from wardround.core.packaged_data import read_toml
from wardround.ehr.times import TimeTemplate, all_templates
from wardround.ehr.times.model import Moment, Rank, Visit

_NONE = ""
_ORDER = (Rank(False, 0), Rank(False, 1), Rank(True, 1), Rank(True, 0))


def time_choices(slots: Mapping[str, str]) -> tuple[Mapping[str, TimeTemplate], ...]:
    """Every choice of time templates, by slot, that the question may have.

    Two values compared are of the same visit, unless their exact times say when they were: then
    no visit is named. The second of them is the later one.

    Args:
        slots: The name of the set of time templates of each time slot that the question has.

    >>> from wardround.authoring.ehrsql.templates.templates import question_template
    >>> asked = question_template("length-of-stay")
    >>> [choice["exact1"].id for choice in time_choices(asked.times)]
    ['exact-first', 'exact-last']
    """
    return _choices(tuple(slots.items()))


@cache
def _choices(slots: tuple[tuple[str, str], ...]) -> tuple[Mapping[str, TimeTemplate], ...]:
    chosen = product(*(_allowed(slot, name) for slot, name in slots))
    named = (
        {slot: template for (slot, _), template in zip(slots, choice, strict=True) if template}
        for choice in chosen
    )
    return tuple(choice for choice in named if _together(choice))


def _together(choice: Mapping[str, TimeTemplate]) -> bool:
    if "exact2" not in choice:
        return True
    first, second = choice["exact1"].meaning, choice["exact2"].meaning
    if isinstance(first, Moment) or isinstance(second, Moment):
        return first == second and "global1" not in choice and "global2" not in choice
    return _ORDER.index(first) < _ORDER.index(second) and _same_visit(choice)


def _same_visit(choice: Mapping[str, TimeTemplate]) -> bool:
    visits = [choice[slot].meaning for slot in ("global1", "global2") if slot in choice]
    return len(visits) == 2 and visits[0] == visits[1] and isinstance(visits[0], Visit)


def _allowed(slot: str, name: str) -> Iterator[TimeTemplate | None]:
    patterns = read_toml(__package__, "times.toml")[slot][name]
    if _NONE in patterns:
        yield None
    for template in all_templates():
        if any(pattern and fnmatchcase(template.id, pattern) for pattern in patterns):
            yield template
