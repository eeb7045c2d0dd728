"""Compiles a sentence about an answer into checks of the quantities, levels and terms in it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from wardround.benchmarks.assist.checks.model import (
    Accounted,
    Advice,
    AllOf,
    Amount,
    AnyOf,
    InLanguage,
    LeafCheck,
    Level,
    Mention,
    NoFuture,
    Not,
    OnDay,
    Property,
    Statement,
    Term,
    Value,
    Wording,
)
from wardround.benchmarks.assist.checks.quantities import Quantity
from wardround.benchmarks.assist.checks.reading import HEADS, Mark, Reading, read
from wardround.benchmarks.assist.checks.stems import content
from wardround.benchmarks.assist.checks.words import Word

_DENIES = re.compile(r"den(?:y|ies|ied)|否认")
# Words of an item that ask nothing of the answer.
_SILENT = (
    "function", "speech", "boundary", "negation", "denial", "or", "example", "lexical", "recency",
    "writing", "order", "field", "extra", "invention", "future", "tongue", "lookup",
)  # fmt: skip


def statement_check(item: str) -> LeafCheck | None:
    """The check of an item about an answer; None if its sentence asks nothing that is known.

    >>> statement_check("States that potassium is low.")
    Level(kind='level', about=Term(kind='test', name='potassium'), senses=('low',))
    """
    reading = read(item)
    special = _special(reading)
    if special is not None:
        return special
    negative = is_negative(reading)
    claims = list(_claims(reading, negative))
    wording = _wording(reading, negative)
    positive = [check for check, denied in claims if not denied]
    denied = [check for check, denied in claims if denied]
    if negative:
        parts = [*(denied or positive), *wording]
        return Not(check=_all(parts)) if parts else None
    parts = [*positive, *(Not(check=check) for check in denied), *wording]
    return _all(parts) if parts else None


def _all(checks: Sequence[LeafCheck]) -> LeafCheck:
    return checks[0] if len(checks) == 1 else AllOf(checks=tuple(checks))


def _special(reading: Reading) -> LeafCheck | None:
    """The check of an item about the whole answer: its language, sources or times."""
    tongues = reading.named("tongue")
    if tongues and not reading.of(*HEADS):
        return InLanguage(language="zh" if tongues[0].name == "zh" else "en")
    if reading.named("invention") and not reading.of("drug", "quantity"):
        return Accounted()
    return NoFuture() if reading.named("future") and not reading.of("quantity") else None


def is_negative(reading: Reading) -> bool:
    """True for an item that wants something absent: it is denied before anything is done."""
    denials = [word.start for word in reading.named("negation")]
    avoided = [mark.start for mark in reading.of("action") if mark.names == ("avoid",)]
    if avoided and not reading.text[: avoided[0]].strip(" -*"):
        return True
    doing = [w.start for w in reading.words if w.kind in ("speech", "action", "writing", "order")]
    done = [place for place in doing if reading.text[place : place + 2].lower() != "is"]
    denies = [place for place in denials if not _DENIES.match(reading.text[place:].lower())]
    return bool(denies) and denies[0] < min(done, default=len(reading.text))


def _claims(reading: Reading, negative: bool) -> Iterator[tuple[LeafCheck, bool]]:
    """Each claim, and True if the sentence denies it."""
    owned: set[tuple[str, str]] = set()
    findings = {mark.start for mark in reading.of("diagnosis")}
    marks = [
        mark
        for mark in reading.marks
        if not _is_context(mark, reading) and not (mark.kind == "level" and mark.start in findings)
    ]
    for group in _alternatives(marks, reading):
        each = [_of_mark(mark, reading, negative) for mark in group]
        for mark in group:
            owned.update(mark.owner)
        if len(group) == 1:
            yield from ((check, group[0].negated) for check in each[0])
        elif all(each):
            yield AnyOf(checks=tuple(_all(checks) for checks in each)), group[0].negated
    for group in _alternatives(marks, reading):
        heads = [m for m in group if m.kind in HEADS and (m.kind, m.names[0]) not in owned]
        mentions: list[LeafCheck] = [_mention(mark, negative) for mark in heads]
        if mentions and len(heads) == len(group):
            yield (
                mentions[0] if len(mentions) == 1 else AnyOf(checks=tuple(mentions)),
                group[0].negated,
            )


def _mention(mark: Mark, negative: bool) -> Statement:
    """A mention; a drug that an item denies may be spoken of, but not advised."""
    term = Term(kind=mark.kind, name=mark.names[0])
    if negative and mark.negated and mark.kind in ("drug", "class", "service"):
        return Advice(about=term, action="start")
    return Mention(term=term)


def _is_context(mark: Mark, reading: Reading) -> bool:
    """True for a range or bound beside other claims: it explains a value and is no claim."""
    quantity = mark.quantity
    if quantity is None or (not quantity.bound and quantity.high is None):
        return False
    return any(other is not mark for other in reading.marks)


def _alternatives(marks: Sequence[Mark], reading: Reading) -> Iterator[list[Mark]]:
    """The marks; those of the same kind with an "or" between them together."""
    ors = [word.start for word in reading.named("or")]
    group: list[Mark] = []
    for mark in marks:
        if group and _joined(group[-1], mark, ors, reading):
            group.append(mark)
            continue
        if group:
            yield group
        group = [mark]
    if group:
        yield group


def _joined(first: Mark, second: Mark, ors: Iterable[int], reading: Reading) -> bool:
    near = first.kind == second.kind and first.sentence == second.sentence
    return near and any(first.end <= place < second.start for place in ors)


def _of_mark(mark: Mark, reading: Reading, negative: bool) -> list[LeafCheck]:
    """The claims of a mark; several objects of an action are one claim each, with "or" together."""
    abouts = [Term(kind=k, name=n) for k, n in mark.owner if k in HEADS]
    about = abouts[0] if abouts else None
    match mark.kind:
        case "quantity" if mark.quantity:
            return [Value(about=about, amount=amount_of(mark.quantity))]
        case "level":
            return [Level(about=about, senses=mark.names)]
        case "route" | "frequency" | "status":
            return [Property(about=about, property=mark.kind, name=mark.names[0])]
        case "action":
            name = "start" if negative and mark.names == ("avoid",) else mark.names[0]
            advices = [Advice(about=term, action=name) for term in abouts]
            heads = [m for m in reading.of(*HEADS) if (m.kind, m.names[0]) in mark.owner]
            ors = [word.start for word in reading.named("or")]
            either = any(a.end <= o < b.start for a, b in pairwise(heads) for o in ors)
            return [AnyOf(checks=tuple(advices))] if either else list(advices)
        case "day" if mark.day:
            return [OnDay(year=mark.day.year, month=mark.day.month, day=mark.day.day)]
    return []


def amount_of(quantity: Quantity) -> Amount:
    """A quantity as a check stores it."""
    return Amount(
        value=quantity.value,
        unit=quantity.unit,
        decimals=quantity.decimals,
        bound=quantity.bound,
        high=quantity.high,
    )


def _wording(reading: Reading, negative: bool) -> list[LeafCheck]:
    """The check of the words that no vocabulary holds; actions without an object are words too."""
    covered = [(word.start, word.end) for word in reading.words if _is_covered(word, reading)]
    covered += [(mark.start, mark.end) for mark in reading.of("quantity", "day")]
    words = content(reading.text, covered)
    if not words:
        return []
    clauses = {reading.negated_at(reading.text.lower().find(word)) for word in words}
    return [Wording(words=words, negated=False if negative else clauses == {True})]


def _is_covered(word: Word, reading: Reading) -> bool:
    if word.kind in _SILENT:
        return True
    if word.kind == "action":
        mine = [m for m in reading.of("action") if m.start == word.start]
        return not mine or bool(mine[0].owner)
    return True
