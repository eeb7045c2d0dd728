"""What was understood of a question, in words."""

from collections.abc import Iterator

from wardround.agents.parser.fitting import Fitted
from wardround.agents.parser.reading import Reading
from wardround.ehr.times import TimeFilter, worded


def explained(reading: Reading, best: Fitted | None) -> str:
    """The values, numbers and times that go into the query, and what it leaves out.

    Args:
        reading: The question.
        best: What the query is made of; None where there is no query.
    """
    if best is None:
        return "No kind of question that is known fits what is asked."
    return " ".join(_sentences(reading, best))


def _sentences(reading: Reading, best: Fitted) -> Iterator[str]:
    for slot, value in zip(best.variant.form.slots, best.values, strict=True):
        name = slot.domain.column if slot.domain else "number"
        yield f"{name} is {value}."
    times = [time for time in best.times if time]
    if times:
        yield f"Time: {', '.join(_worded(time) for time in times)}."
    if best.cost:
        yield "Not all that the question says is in the query."


def _worded(time: TimeFilter) -> str:
    return worded(time)
