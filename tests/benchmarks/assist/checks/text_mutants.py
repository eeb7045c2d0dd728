"""Mutants of shipped gold answers, made from items and answers without the checks."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wardround.benchmarks.assist.sessions import Language
from wardround.ehr.text.mentions import Mention, mentions

_NUMBER = re.compile(r"(?<![\d.\w-])\d+(?:\.\d+)?(?![\d.]*[\d:/-])(?!\w*-\d)")
_FORBIDS = re.compile(r"^(?:does not|没有|不|未)", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n")
# Units and others of another size or kind.
_UNITS = {
    "mg/dL": "g/L",
    "mEq/L": "mg/dL",
    "mmol/L": "mg/dL",
    "g/dL": "mg/L",
    "K/uL": "g/dL",
    "IU/L": "mg/dL",
    "ng/mL": "mg/mL",
    "mg": "mcg",
}
# A word in an item, the word of the answer that says it, and one that turns or denies it.
_TURNED: dict[Language, tuple[tuple[str, str, str], ...]] = {
    "en": (
        ("rose", "rose", "fell"),
        ("fell", "fell", "rose"),
        ("high", "high", "low"),
        ("low", "low", "high"),
    ),
    "zh": (
        ("升高|上升", "升至", "降至"),
        ("下降|降低", "降至", "升至"),
        ("偏高", "偏高", "偏低"),
        ("偏低", "偏低", "偏高"),
    ),
}
_DENIED: dict[Language, tuple[tuple[str, str, str], ...]] = {
    "en": (
        ("rose", "rose", "did not rise"),
        ("fell", "fell", "did not fall"),
        ("stopping", "[Ss]top", "do not stop"),
        ("high", "high", "not high"),
        ("checked again", "[Rr]echeck", "do not recheck"),
    ),
    "zh": (
        ("升高|上升", "升至", "未升至"),
        ("下降|降低", "降至", "未降至"),
        ("停用", "停用", "不要停用"),
        ("复查", "复查", "不要复查"),
        ("偏高", "偏高", "不偏高"),
    ),
}
_OTHER_DRUGS: dict[Language, str] = {"en": "digoxin", "zh": "地高辛"}


@dataclass(frozen=True)
class Mutant:
    """A changed answer, and the items that it breaks."""

    kind: str
    answer: str
    items: frozenset[int]


def text_mutants(items: Sequence[str], answer: str, language: Language) -> Iterator[Mutant]:
    """The mutants of an answer, each of one change."""
    wanted = {n: item for n, item in enumerate(items) if not _FORBIDS.match(item)}
    yield from _numbers(wanted, answer)
    yield from _drugs(wanted, answer, language)
    yield from _words("direction turned", wanted, answer, _TURNED[language])
    yield from _words("negated statement", wanted, answer, _DENIED[language])
    yield from _omissions(wanted, answer)


def _numbers(items: dict[int, str], answer: str) -> Iterator[Mutant]:
    for number in sorted({m.group() for text in items.values() for m in _NUMBER.finditer(text)}):
        places = [match for match in _NUMBER.finditer(answer) if match.group() == number]
        if not places:
            continue
        about = _items(items, rf"(?<![\d.]){re.escape(number)}(?![\d.])")
        decimals = len(number.partition(".")[2])
        other = f"{float(number) * 1.6 + 3:.{decimals}f}"
        yield Mutant("number changed", _replaced(answer, places, other), about)
        for unit, wrong in _UNITS.items():
            with_unit = rf"(?<![\d.]){re.escape(number)}\s*{re.escape(unit)}(?![A-Za-z/])"
            said = list(re.finditer(with_unit, answer))
            if said and len(said) == len(places) and (broken := _items(items, with_unit)):
                yield Mutant("unit changed", _replaced(answer, said, f"{number} {wrong}"), broken)


def _drugs(items: dict[int, str], answer: str, language: Language) -> Iterator[Mutant]:
    named = {n: {m.name for m in mentions(text, "drug")} for n, text in items.items()}
    for drug in sorted({drug for each in named.values() for drug in each}):
        places = [mention for mention in mentions(answer, "drug") if mention.name == drug]
        if places and drug != "digoxin":
            about = frozenset(n for n, drugs in named.items() if drug in drugs)
            changed = _replaced(answer, places, _OTHER_DRUGS[language])
            yield Mutant("drug swapped", changed, about)


def _words(
    kind: str, items: dict[int, str], answer: str, changes: Sequence[tuple[str, str, str]]
) -> Iterator[Mutant]:
    """Changes of a word that one item is about and that the answer says once."""
    for asked, word, other in changes:
        about = _items(items, rf"(?<![A-Za-z])(?:{asked})(?![A-Za-z])")
        places = list(re.finditer(rf"(?<![A-Za-z])(?:{word})(?![A-Za-z])", answer))
        if len(about) == 1 and len(places) == 1:
            yield Mutant(kind, _replaced(answer, places, other), about)


def _omissions(items: dict[int, str], answer: str) -> Iterator[Mutant]:
    """Answers without the sentences that have a number of an item."""
    sentences = [part for part in _SENTENCE.split(answer) if part and part.strip()]
    for n, text in items.items():
        numbers = [match.group() for match in _NUMBER.finditer(text)]
        left = [s for s in sentences if not any(number in s for number in numbers)]
        if numbers and len(left) < len(sentences):
            yield Mutant("fact omitted", " ".join(left), frozenset({n}))


def _items(items: dict[int, str], pattern: str) -> frozenset[int]:
    return frozenset(n for n, text in items.items() if re.search(pattern, text))


def _replaced(text: str, places: Sequence[re.Match[str]] | Sequence[Mention], new: str) -> str:
    for place in reversed(places):
        match place:
            case Mention(start=start, end=end):
                text = text[:start] + new + text[end:]
            case re.Match():
                text = text[: place.start()] + new + text[place.end() :]
    return text
