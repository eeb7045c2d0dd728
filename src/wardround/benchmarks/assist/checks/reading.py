"""A text read into marks: terms, quantities, levels and actions, with polarity and owner."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from wardround.benchmarks.assist.checks.quantities import Day, Quantity, days, quantities
from wardround.benchmarks.assist.checks.words import Word, words_of
from wardround.ehr.terms.chinese import plain
from wardround.ehr.terms.conversions import unit_named

HEADS = ("test", "drug", "class", "score", "diagnosis", "service")
MEASURED = ("test", "score")
_MASKED = (*HEADS, "frequency", "action", "level", "recency")
_PROPERTIES = ("route", "frequency", "status", "priority", "category")
_READ = 4096  # cached texts
_SENTENCE = re.compile(r"[。！？；;!?\n]+|\.(?=\s+[^a-z\s]|\s*$)")
_CLAUSE = re.compile(r"[,，、:：()（）\[\]—]+(?!\d{3}\b)")
_DOSE = ("mass", "amount", "charge", "dose units", "tablets", "capsules", "puffs", "volume")
_OBJECTS = ("drug", "class", "service", "test", "score")
_LIST = re.compile(r"\s*(?:,|，|、|or|and|和|或|及|, or|, and|nor|, nor)\s*(?:any |no )?")
_AND = re.compile(r"\b(?:and|or)\b|[、和或并,，]")
_BESIDE = re.compile(r"\s*(?:serum|plasma|的|之)?\s*")
_NEAR = 24  # characters between the two values of a change
_DURATION = ("time", "months", "times")
# Names that a sentence uses for a test's level, and the level.
STATES: dict[str, tuple[str, str]] = {
    "hyperkalemia": ("potassium", "high"),
    "hypokalemia": ("potassium", "low"),
    "hypernatremia": ("sodium", "high"),
    "hyponatremia": ("sodium", "low"),
    "hypercalcemia": ("calcium, total", "high"),
    "hypocalcemia": ("calcium, total", "low"),
    "hypomagnesemia": ("magnesium", "low"),
    "hypophosphatemia": ("phosphate", "low"),
    "hyperglycemia": ("glucose", "high"),
    "hypoglycemia": ("glucose", "low"),
    "leukocytosis": ("white blood cells", "high"),
    "neutropenia": ("neutrophils", "low"),
    "thrombocytopenia": ("platelet count", "low"),
    "anemia": ("hemoglobin", "low"),
    "fever": ("temperature celsius", "high"),
    "hypotension": ("blood pressure", "low"),
    "acute kidney failure": ("creatinine", "high"),
}


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that a text says at `start`.

    Attributes:
        kind: the kind of term, or quantity, day, level, action.
        names: its name, or the senses that it may have.
        sentence: the number of its sentence.
        clause: the number of its clause.
        negated: its clause denies it.
        owner: the terms that it is about, by kind and name.
    """

    kind: str
    names: tuple[str, ...]
    start: int
    end: int
    sentence: int
    clause: int
    negated: bool = False
    owner: tuple[tuple[str, str], ...] = ()
    quantity: Quantity | None = None
    day: Day | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """A text's marks, its words that are no marks, and the words that govern clauses."""

    text: str
    marks: tuple[Mark, ...]
    words: tuple[Word, ...]
    breaks: tuple[int, ...]
    clauses: tuple[int, ...]

    def of(self, *kinds: str) -> list[Mark]:
        """The marks of some kinds."""
        return [mark for mark in self.marks if mark.kind in kinds]

    def named(self, kind: str) -> list[Word]:
        """The words that do something in a sentence."""
        return [word for word in self.words if word.kind == kind]

    def sentence_at(self, place: int) -> int:
        """The number of the sentence at a place."""
        return sum(end <= place for end in self.breaks)

    def clause_at(self, place: int) -> int:
        """The number of the clause at a place."""
        return sum(start <= place for start in self.clauses)

    def negated_at(self, place: int) -> bool:
        """True if the clause denies what stands at a place."""
        return _negated(self.words, self, place)


@lru_cache(_READ)
def read(text: str, topic: tuple[tuple[str, str], ...] = ()) -> Reading:
    """Reads a text.

    Args:
        text: the text.
        topic: what it is about before it names anything.
    """
    words = words_of(text)
    breaks = tuple(match.end() for match in _SENTENCE.finditer(text))
    empty = Reading(text, (), words, breaks, _clauses(text, words, breaks))
    marks = sorted(_marks(empty), key=lambda mark: mark.start)
    marks = list(_with_units(_owned(_denied_lists(marks, text), text, topic), text))
    return replace(empty, marks=tuple(_chained(marks, text)))


def _clauses(text: str, words: Sequence[Word], breaks: tuple[int, ...]) -> tuple[int, ...]:
    commas = {match.end() for match in _CLAUSE.finditer(plain(text))}
    inside = {n for word in words for n in range(word.start + 1, word.end)}
    turns = {word.start for word in words if word.kind == "boundary"}
    return tuple(sorted((commas - inside) | turns | set(breaks)))


def _marks(reading: Reading) -> Iterator[Mark]:
    kinds = (*HEADS, *_PROPERTIES, "level", "action")
    actions = {word.start for word in reading.words if word.kind == "action"}
    masked = []
    for word in reading.words:
        if word.kind == "status" and word.name == "stopped" and word.start not in actions:
            yield _mark(reading, "action", ("stop",), word.start, word.end)
        elif word.kind in kinds and not (word.kind == "status" and word.start in actions):
            names = tuple(word.name.split()) if word.kind == "level" else (word.name,)
            yield _mark(reading, word.kind, names, word.start, word.end)
        if word.kind in _MASKED:
            masked.append((word.start, word.end))
        if word.kind == "diagnosis" and word.name in STATES:
            test, level = STATES[word.name]
            implied = _mark(reading, "level", (level,), word.start, word.end)
            yield replace(implied, owner=(("test", test),))
    for quantity in quantities(reading.text, tuple(masked)):
        mark = _mark(reading, "quantity", (), quantity.start, quantity.end)
        yield replace(mark, quantity=quantity)
    for day in days(reading.text):
        yield replace(_mark(reading, "day", (), day.start, day.end), day=day)


def _mark(reading: Reading, kind: str, names: tuple[str, ...], start: int, end: int) -> Mark:
    sentence, clause = reading.sentence_at(start), reading.clause_at(start)
    negated = _negated(reading.words, reading, start)
    return Mark(kind, names, start, end, sentence, clause, negated)


def _negated(words: Sequence[Word], reading: Reading, start: int) -> bool:
    """True if a negation stands before a place in its clause, or a denial anywhere in it."""
    clause = reading.clause_at(start)
    mine = [word for word in words if reading.clause_at(word.start) == clause]
    denied = any(word.kind == "denial" and not word.start <= start < word.end for word in mine)
    return _cues(mine, start) != denied


def _cues(words: Sequence[Word], start: int) -> bool:
    """True if an odd number of negations stand together before a place, none spent on another."""
    before = [word for word in words if word.end <= start]
    place = max((n for n, word in enumerate(before) if word.kind == "negation"), default=-1)
    if place < 0:
        return False
    between = [word.kind for word in before[place + 1 :]]
    is_action = any(word.start == start and word.kind == "action" for word in words)
    if is_action and "action" in between:
        return False
    double = place > 0 and before[place - 1].kind == "negation"
    return not double


def _denied_lists(marks: Sequence[Mark], text: str) -> Iterator[Mark]:
    """The marks; a denial of a finding goes on through the list that the finding begins."""
    last: Mark | None = None
    for mark in marks:
        if mark.kind != "diagnosis":
            yield mark
            continue
        between = text[last.end : mark.start] if last else ""
        if last and last.negated and last.sentence == mark.sentence and _LIST.fullmatch(between):
            mark = replace(mark, negated=True)
        yield mark
        last = mark


def _with_units(marks: Iterable[Mark], text: str) -> Iterator[Mark]:
    """The marks; the first value of a change has the unit of the second."""
    every = list(marks)
    for mark in every:
        later = [m for m in every if m.quantity and m.start >= mark.end and m.owner == mark.owner]
        if mark.quantity and not mark.quantity.unit and later:
            second = later[0].quantity
            near = later[0].sentence == mark.sentence and later[0].start - mark.end < _NEAR
            if second and near and mark.owner:
                mark = replace(mark, quantity=replace(mark.quantity, unit=second.unit))
        yield mark


def _chained(marks: Sequence[Mark], text: str) -> Iterator[Mark]:
    """The marks; an action without objects before another one denies it or shares its objects."""
    actions = [mark for mark in marks if mark.kind == "action"]
    denies: set[int] = set()
    for first, second in pairwise(actions):
        between = [m for m in marks if first.end <= m.start < second.start and m.kind in _OBJECTS]
        joined = _AND.search(text[first.end : second.start])
        if not between and not joined and first.clause == second.clause:
            denies |= {second.start} if first.names[0] in ("avoid", "stop") else set()
    later: Mark | None = None
    changed: dict[int, Mark] = {}
    for mark in reversed(actions):
        alone = not mark.owner and later is not None and later.sentence == mark.sentence
        if mark.start in denies:
            mark = replace(mark, negated=not mark.negated)
        elif alone and later is not None and _AND.search(text[mark.end : later.start]):
            mark = replace(mark, owner=later.owner)
        changed[mark.start] = later = mark
    for mark in marks:
        yield changed[mark.start] if mark.kind == "action" else mark


def _owned(found: Iterable[Mark], text: str, topic: tuple[tuple[str, str], ...]) -> Iterator[Mark]:
    """The marks with what they are about; a sentence without a head goes on about the last."""
    marks, last = list(found), topic
    for number in sorted({mark.sentence for mark in marks}):
        sentence = [mark for mark in marks if mark.sentence == number]
        for mark in sentence:
            yield mark if mark.owner else replace(mark, owner=_owner(mark, sentence, text, last))
        heads = [mark for mark in sentence if mark.kind in (*MEASURED, "drug")]
        last = tuple((head.kind, head.names[0]) for head in heads[-1:]) or last


def _owner(
    mark: Mark, sentence: Sequence[Mark], text: str, topic: tuple[tuple[str, str], ...]
) -> tuple[tuple[str, str], ...]:
    match mark.kind:
        case "action":
            return _governed(mark, sentence)
        case "quantity":
            heads = _quantity_heads(mark)
        case "level":
            heads = MEASURED if mark.names != ("better",) else (*MEASURED, "diagnosis")
        case "route" | "frequency" | "status":
            heads = ("drug",)
        case _:
            return ()
    head = _nearest(mark, [each for each in sentence if each.kind in heads], text)
    return ((head.kind, head.names[0]),) if head else topic


def _quantity_heads(mark: Mark) -> tuple[str, ...]:
    unit = unit_named(mark.quantity.unit) if mark.quantity else None
    dimension = unit.dimension if unit else ""
    if dimension in _DOSE:
        return ("drug",)
    if dimension == "points":
        return ("score",)
    return ("drug", "diagnosis") if dimension in _DURATION else (*MEASURED, "drug")


def _nearest(mark: Mark, heads: Sequence[Mark], text: str) -> Mark | None:
    """The head that a mark stands before at once, else the last before it, else the next."""
    behind = [head for head in heads if head.start >= mark.end]
    if behind and mark.kind == "level" and _BESIDE.fullmatch(text[mark.end : behind[0].start]):
        return behind[0]
    before = [head for head in heads if head.end <= mark.start]
    return before[-1] if before else behind[0] if behind else None


def _governed(action: Mark, sentence: Sequence[Mark]) -> tuple[tuple[str, str], ...]:
    """The terms that an action is done to: behind it in its clause, else before it, else next."""
    objects = [mark for mark in sentence if mark.kind in _OBJECTS]
    others = [m.start for m in sentence if m.kind == "action" and m.start > action.start]
    end = min(others, default=len(sentence) and sentence[-1].end + 1)
    behind = [mark for mark in objects if action.end <= mark.start < end]
    clause = [mark for mark in behind if mark.clause == action.clause]
    before = [m for m in objects if m.end <= action.start and m.clause == action.clause]
    if clause:
        rest = [m for m in behind if m.kind == clause[0].kind and _listed(clause[-1], m, sentence)]
        chosen = [*clause, *(mark for mark in rest if mark not in clause)]
    else:
        chosen = before or behind[:1] or [m for m in objects if m.end <= action.start][-1:]
    return tuple((mark.kind, mark.names[0]) for mark in chosen)


def _listed(first: Mark, later: Mark, sentence: Sequence[Mark]) -> bool:
    """True if between two marks there are only others of the same kind."""
    between = [m for m in sentence if first.end <= m.start < later.start]
    return all(mark.kind == first.kind for mark in between)
