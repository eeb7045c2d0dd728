"""Says what recorded names the words of a question stand for, where they are not those names."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from wardround.agents.parser.question_reader import Reading
from wardround.agents.parser.value_index import Mention
from wardround.ehr.query import Condition, Query
from wardround.ehr.records import Role

_SHOWN = 40


def linked_names(query: Query, reading: Reading) -> Iterator[str]:
    """A sentence on each name of a question that stands for other or several recorded names.

    All recorded names are listed, and those that have the words too but are not counted.
    """
    used = {(role, texts) for condition in _conditions(query) for role, texts in condition.values}
    for mention in reading.mentions:
        for domain, texts in mention.values.items():
            role = Role(domain.table, domain.column)
            is_used = any(role == of and set(texts) <= set(named) for of, named in used)
            written = _written(mention, reading)
            if is_used and [text.lower() for text in texts] != [written.lower()]:
                yield f'"{written}" stands for {_listed(texts)}.'
                alias = mention.aliases.get(domain)
                if alias and alias.unsure:
                    yield f'Not counted, though "{written}" is a part: {_listed(alias.unsure)}.'


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
