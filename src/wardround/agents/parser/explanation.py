"""What was understood of a question, in words."""

import re
from collections.abc import Iterator, Sequence

from wardround.agents.parser.column_nouns import noun, noun_of
from wardround.agents.parser.question_reader import Reading
from wardround.agents.parser.slot_filling import Filled, Fitted
from wardround.agents.parser.spell_checker import Slip
from wardround.agents.parser.value_linker import Mention
from wardround.ehr.times import worded

_MASK = re.compile(r"<([^<>]+)>")
_SPACED = re.compile(r" (?=[?.,%)])|(?<=[('\"]) (?=\w)|(?<=\w) (?=')|(?<=') (?=s )")
_TIMES = {
    "global": "time",
    "visit": "visit",
    "within": "within",
    "within-visit": "within",
    "exact": "which one",
    "number": "number",
}
_LISTED = 3


def explained(best: Fitted | None, reading: Reading, slips: Sequence[Slip] = ()) -> tuple[str, ...]:
    """How the question was taken, a sentence each: its kind, its values, numbers and times.

    Args:
        best: What the query is made of; None where there is no query.
        reading: The question.
        slips: What was put right in it.
    """
    if best is None:
        return ("No kind of question that is known fits what is asked.",)
    return tuple(_sentences(best, reading, slips))


def _sentences(best: Fitted, reading: Reading, slips: Sequence[Slip]) -> Iterator[str]:
    yield f"A question like: {spoken(best.variant.wording)}"
    for slip in slips:
        yield f'"{slip.said}" was read as "{slip.meant}".'
    for one in best.filled:
        yield _said(one, reading)
    times = dict.fromkeys(worded(time) for time in best.times if time)
    if times:
        yield f"Time: {', '.join(times)}."
    if best.cost:
        yield "Not all that the question says is in the query, or the query has more."


def _said(one: Filled, reading: Reading) -> str:
    domain = one.slot.domain
    if domain is None or not isinstance(one.said, Mention):
        return f"Number: {one.values[0]}."
    name, taken = said_by(one.said, reading), ""
    if one.near:
        part = one.near.meant == name.lower()
        taken = f'"{name}", understood as {"part of a name" if part else one.near.meant}: '
    column = f"{domain.table}.{domain.column}"
    return f"{noun(domain).capitalize()}: {taken}{listed(one.values)} ({column})."


def said_by(mention: Mention, reading: Reading) -> str:
    """The question's own words for a value."""
    return reading.question[
        reading.words[mention.first].start : reading.words[mention.last - 1].end
    ]


def listed(values: Sequence[str]) -> str:
    """The first few values in words.

    >>> listed(["a", "b"]), listed("abcde")
    ("'a' or 'b'", "'a', 'b', 'c' or 2 more")
    """
    shown = [value if value.isdigit() else f"'{value}'" for value in values[:_LISTED]]
    if len(values) > _LISTED:
        shown.append(f"{len(values) - _LISTED} more")
    return " or ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))


def spoken(masked: str) -> str:
    """A masked wording as a person reads it.

    >>> spoken("how often was <prescriptions.drug> given <global> ?")
    'how often was [drug] given [time]?'
    """
    return _SPACED.sub("", _MASK.sub(lambda mask: f"[{_masked(mask[1])}]", masked))


def _masked(mask: str) -> str:
    if "." not in mask:
        return _TIMES.get(mask, mask)
    return " or ".join(dict.fromkeys(noun_of(name) for name in mask.split("|")))
