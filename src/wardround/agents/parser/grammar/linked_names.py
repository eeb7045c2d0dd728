"""Says what recorded names the words of a question stand for, where they are not those names."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass

from wardround.agents.parser.question_reader import Reading
from wardround.agents.parser.tokens import words
from wardround.agents.parser.value_index import Mention
from wardround.ehr.query import Condition, Query
from wardround.ehr.records import Role

_SHOWN = 40


def linked_names(
    query: Query, reading: Reading, texts: Mapping[Role, Sequence[str]]
) -> Iterator[str]:
    """A sentence on each name of a question that stands for other or several recorded names.

    All recorded names are listed, and those that have the words too but are not counted.

    Args:
        query: The query of the question.
        reading: The question.
        texts: The recorded names that may have the words of others; empty if none are looked for.
    """
    used = {(role, texts) for condition in _conditions(query) for role, texts in condition.values}
    for mention in reading.mentions:
        for domain, values in mention.values.items():
            role = Role(domain.table, domain.column)
            is_used = any(role == of and set(values) <= set(named) for of, named in used)
            written = _written(mention, reading)
            if is_used and [value.lower() for value in values] != [written.lower()]:
                yield f'"{written}" stands for {_listed(values)}.'
            if is_used and (left := _left_out(written, texts.get(role, ()), values)):
                yield f'Not counted, though "{written}" is a part: {_listed(left)}.'


def _left_out(written: str, recorded: Sequence[str], counted: Sequence[str]) -> tuple[str, ...]:
    """The recorded names that have all words of a name and are not counted."""
    name = {word.text for word in words(written) if word.text.isalnum()}
    others = (text for text in recorded if text not in counted)
    return tuple(text for text in others if name <= {word.text for word in words(text)})


def _conditions(part: object) -> Iterator[Condition]:
    """All conditions in a query, those of other records too."""
    if isinstance(part, Condition):
        yield part
    if isinstance(part, tuple):
        for each in part:
            yield from _conditions(each)
    elif is_dataclass(part):
        for each in fields(part):
            yield from _conditions(getattr(part, each.name))


def _written(mention: Mention, reading: Reading) -> str:
    first, last = reading.words[mention.first], reading.words[mention.last - 1]
    return reading.question[first.start : last.end]


def _listed(texts: tuple[str, ...]) -> str:
    shown = [f"'{text}'" for text in texts[:_SHOWN]]
    left = len(texts) - len(shown)
    return f"{', '.join(shown)} and {left} more" if left else ", ".join(shown)
