"""The words of answers in both languages: sentences, names of terms, times."""

from collections.abc import Iterable
from typing import Any

from wardround.core.packaged_data import read_toml
from wardround.ehr.terms.chinese import TermKind, chinese
from wardround.ehr.text.language import Language

_MINUTES = len("2150-01-02T05:00")


def worded(language: Language, sentence: str, /, **values: Any) -> str:
    """A sentence by its name, filled in.

    >>> worded("en", "not_found", name="lactate"), worded("zh", "not_found", name="乳酸")
    ('The record has no lactate', '病历中没有乳酸')
    """
    form: str = read_toml(__package__, "wordings.toml")[language][sentence]
    return form.format(**values)


def listed(language: Language, items: Iterable[str]) -> str:
    """Items joined."""
    return worded(language, "and").join(filter(None, items))


def sentences(language: Language, parts: Iterable[str]) -> str:
    """Sentences joined, each with its full stop."""
    end = worded(language, "end")
    return "".join(f"{part.strip().rstrip('.。')}{end}" for part in parts if part.strip()).strip()


def term(language: Language, name: str, *kinds: TermKind) -> str:
    """A term's name in the language; as it is if the vocabulary has none.

    >>> term("zh", "Potassium", "test"), term("en", "Potassium", "test")
    ('血钾', 'Potassium')
    """
    if language == "en":
        return name
    return next((known for kind in kinds if (known := chinese(name, kind))), name)


def part_name(language: Language, name: str) -> str:
    """The name of a part of an order."""
    parts: dict[str, str] = read_toml(__package__, "wordings.toml")["zh"]["parts"]
    return parts.get(name, name) if language == "zh" else name.replace("_", " ")


def status_name(language: Language, name: str) -> str:
    """The name of a status."""
    known: dict[str, str] = read_toml(__package__, "wordings.toml")["zh"]["status"]
    return known.get(name, name) if language == "zh" else name


def time_words(time: str) -> str:
    """A time to the minute, without its zone.

    >>> time_words("2150-01-02T05:00:00-05:00")
    '2150-01-02 05:00'
    """
    return time[:_MINUTES].replace("T", " ")
