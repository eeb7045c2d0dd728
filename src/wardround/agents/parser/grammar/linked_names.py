"""Says what recorded names the words of a question stand for, where they are not those names."""

from collections.abc import Iterator, Mapping, Sequence

from wardround.agents.parser.question_reader import Reading
from wardround.agents.parser.tokens import words
from wardround.ehr.query import Query, Words, open_words
from wardround.ehr.records import Role

_SHOWN = 40


def linked_names(
    query: Query,
    reading: Reading,
    texts: Mapping[Role, Sequence[str]],
    synonyms: Mapping[str, Sequence[str]],
) -> Iterator[str]:
    """A sentence on each name of a question that stands for other or several recorded names.

    All recorded names are listed, and those that have the words too but are not counted.

    Args:
        query: The query of the question before its words are linked.
        reading: The question.
        texts: The recorded names that may have the words of others; empty if none are looked for.
        synonyms: Other names that the records give, with the recorded names.
    """
    used = {each for part in (*query.conditions, *query.part) for each in open_words(part)}
    for mention in reading.mentions:
        for domain, values in mention.values.items():
            role = Role(domain.table, domain.column)
            written = reading.written(mention.first, mention.last)
            is_used = (role, Words(written)) in used
            if is_used and [value.lower() for value in values] != [written.lower()]:
                named = [_with_synonym(value, written, synonyms) for value in values]
                yield f'"{written}" stands for {_listed(named)}.'
            if is_used and (left := _left_out(written, texts.get(role, ()), values)):
                listed = _listed([f"'{text}'" for text in left])
                yield f'Not counted, though "{written}" is a part: {listed}.'


def _left_out(written: str, recorded: Sequence[str], counted: Sequence[str]) -> tuple[str, ...]:
    """The recorded names that have all words of a name and are not counted."""
    others = (text for text in recorded if text not in counted)
    return tuple(text for text in others if _has_words(text, written))


def _with_synonym(value: str, written: str, synonyms: Mapping[str, Sequence[str]]) -> str:
    """A recorded name, with its synonym that has the words of a question if it has them not."""
    if not _has_words(value, written):
        for other, values in synonyms.items():
            if value in values and _has_words(other, written):
                return f"'{value}' (also called '{other}')"
    return f"'{value}'"


def _has_words(text: str, written: str) -> bool:
    return {w.text for w in words(written) if w.text.isalnum()} <= {w.text for w in words(text)}


def _listed(texts: Sequence[str]) -> str:
    left = len(texts) - _SHOWN
    shown = ", ".join(texts[:_SHOWN])
    return f"{shown} and {left} more" if left > 0 else shown
