"""What was understood of a question, in words."""

import re
from collections.abc import Iterator

from wardround.agents.parser.fitting import Fitted
from wardround.ehr.times import worded

_MASK = re.compile(r"<(?:\w+\.)?([\w-]+)(?:[.|][^>]*)?>")
_TIMES = {
    "global": "time",
    "visit": "visit",
    "within": "within",
    "within-visit": "within",
    "exact": "which one",
}


def explained(best: Fitted | None) -> str:
    """How the question was taken, with the values, numbers and times that are in the query.

    Args:
        best: What the query is made of; None where there is no query.
    """
    if best is None:
        return "No kind of question that is known fits what is asked."
    return " ".join(_sentences(best))


def _sentences(best: Fitted) -> Iterator[str]:
    yield f"Taken as a question like: {spoken(best.variant.wording)}"
    for slot, value in zip(best.variant.form.slots, best.values, strict=True):
        yield f"{slot.domain.column if slot.domain else 'number'}: {value}."
    times = [worded(time) for time in best.times if time]
    if times:
        yield f"Time: {', '.join(times)}."
    if best.cost:
        yield "Not all that the question says is in the query, or the query has more."


def spoken(masked: str) -> str:
    """A masked wording as a person reads it.

    >>> spoken("how often was <prescriptions.drug> given <global> ?")
    'how often was [drug] given [time]?'
    """
    text = _MASK.sub(lambda mask: f"[{_TIMES.get(mask[1], mask[1])}]", masked)
    return re.sub(r" (?=[?.,'])|(?<=') (?=s )", "", text)
