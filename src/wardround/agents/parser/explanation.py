"""Explains how a question was understood: its query in words, and what names stand for."""

from collections.abc import Iterator, Sequence

from wardround.agents.parser.columns import noun
from wardround.agents.parser.query_words import read_query
from wardround.agents.parser.question_reader import Reading
from wardround.agents.parser.slot_filling import FilledForm, FilledSlot
from wardround.agents.parser.spell_checker import Correction
from wardround.agents.parser.value_index import Mention
from wardround.ehr.query.condition_words import listed
from wardround.ehr.times import filter_text


def explain(
    filled: FilledForm | None, reading: Reading, corrections: Sequence[Correction] = ()
) -> tuple[str, ...]:
    """Sentences on the kind of question, its values, numbers and times.

    Args:
        filled: The form of the query; None where there is no query.
        reading: The question.
        corrections: What was corrected in it.
    """
    if filled is None:
        return ("No kind of question that is known fits what is asked.",)
    return tuple(_sentences(filled, reading, corrections))


def _sentences(
    filled: FilledForm, reading: Reading, corrections: Sequence[Correction]
) -> Iterator[str]:
    yield read_query(filled)
    for correction in corrections:
        yield f'"{correction.written}" was read as "{correction.meant}".'
    for slot in filled.slots:
        yield _slot_sentence(slot, reading)
    times = dict.fromkeys(filter_text(time) for time in filled.times if time)
    if times:
        yield f"Time: {', '.join(times)}."
    if filled.cost:
        yield "Not all that the question says is in the query, or the query has more."


def _slot_sentence(slot: FilledSlot, reading: Reading) -> str:
    domain = slot.slot.domain
    if domain is None or not isinstance(slot.filler, Mention):
        return f"Number: {slot.values[0]}."
    name, resolved = reading.written(slot.filler.first, slot.filler.last), ""
    if slot.alias:
        is_part = slot.alias.meaning == name.lower()
        resolved = (
            f'"{name}", understood as {"part of a name" if is_part else slot.alias.meaning}: '
        )
    column = f"{domain.table}.{domain.column}"
    return f"{noun(domain).capitalize()}: {resolved}{listed(slot.values)} ({column})."
