"""Values in a sentence that may be the value of a fact, each compared with the right one."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import get_args

from wardround.benchmarks.assist.checks.facts.items import FactItem, aspects
from wardround.benchmarks.assist.checks.facts.names import CODE
from wardround.benchmarks.assist.checks.facts.words import Word, words
from wardround.benchmarks.assist.checks.items import Wanted
from wardround.benchmarks.assist.checks.lexicon import cue
from wardround.ehr.terms.chinese import TermKind, is_kind_of, plain
from wardround.ehr.text.dates import dates, past_days, without_times
from wardround.ehr.text.mentions import mentions
from wardround.ehr.text.quantities import POINTS, Quantity, duration, quantities, same
from wardround.ehr.text.segments import blanked
from wardround.ehr.text.times_ahead import is_ago
from wardround.ehr.text.word_tables import ends_in

_IDENTIFIER = re.compile(r"(?<!\d)\d{6,}(?!\d)")
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_OLDEST = 130  # years; a larger number is a date's
_NAMES = 1024  # cached patterns of names
_TIMES = frozenset({"minute", "hour", "day", "week", "month", "year", "times"})
# Behind "the later one", before its name.
_NAMED_BEHIND = re.compile(r"[^,.;，。；]{0,12}?(?:\b(?:is|was|were)\b|是|为)", re.IGNORECASE)
# Words of order whose drug comes behind them.
_ORDERED_FIRST = ("先", "后")
# Units of results without "per".
_MEASURED = frozenset({"bpm", "mmHg", "%", "°C", "°F", "cmH2O", POINTS})
# Kinds of values that are written in digits or number words, and those that are days.
_DAYS = frozenset({"date", "ago"})
_WRITTEN = _DAYS | {"quantity", "days", "years", "count", "identifier", "year", "code"}
# Between actions of one list, and between those of a choice.
_LIST = re.compile(r"\s*[,，、/]?\s*(?:\b(?:and|or)\b|[和及或])?\s*(?:\bto\b\s*)?", re.IGNORECASE)
# Between the numbers of a change.
_TO = re.compile(r"\s*(?:to|->|→|至|到|(?:改|减|加|降|升|增|调)(?:为|至|到|成)?)\s*", re.IGNORECASE)
# Between a word for an event and its day.
_ON = re.compile(r"\s*(?:on|at|于|在)?\s*", re.IGNORECASE)
_OR = re.compile(r"\bor\b|或|/", re.IGNORECASE)
# Actions on a dose that people also say of a risk, and what may stand between those words.
_DOSE_CHANGES = ("action: raise", "action: reduce")
_RISK = re.compile(
    r"(?:\s|了|的|患者|其|发生|\b(?:the|a|any|his|her|further|of|for)\b)*(?:\brisks?\b|风险|危险)",
    re.IGNORECASE,
)
# Days that are not read as such, beside those of the table.
_RELATIVE = re.compile(
    r"\b(?:last|this|same|next|previous|that) (?:week|month|day|morning|evening)"
    r"|\bthe (?:\d|\w+th\b)|[周星]期?[一二三四五六日天]",
    re.IGNORECASE,
)
# Actions that go against another, and those that come near it. A dose is lessened by either of two,
# and who stops a drug withholds it now; but who only holds a drug that has to be stopped gives it
# again.
_AGAINST = {
    "stop": ("continue", "raise", "give"),
    "hold": ("continue", "raise", "give"),
    "withhold": ("continue", "raise", "give"),
    "reduce": ("raise",),
    "lessen": ("raise",),
    "raise": ("reduce", "stop", "hold"),
    "give": ("stop", "hold", "avoid"),
    "order": ("avoid", "stop", "hold"),
    "repeat": ("avoid", "stop", "hold"),
}
_ALIKE = {"order": ("repeat",), "lessen": ("reduce", "hold"), "withhold": ("hold", "stop")}
_NEAR = {
    "repeat": ("order",),
    "hold": ("stop",),
    "stop": ("hold", "avoid"),
    "withhold": ("avoid",),
    "give": ("continue",),
}
# States of a home drug; the last of each is what the others have in common.
_TAKEN = ("good", "poor", "taking")
_NOT_TAKEN = ("never_filled", "ran_out", "self_discontinued", "not taking")
# Diagnoses whose names are words for directions.
_DIRECTIONS = ("fall",)


@dataclass(frozen=True, slots=True)
class Value:
    """A value at `text[start:end]`.

    Attributes:
        is_right: True for the fact's own value, None if that is open.
        bare: it has no unit, and may be another number.
        word: the name of its word, if it is one.
    """

    start: int
    end: int
    is_right: bool | None
    bare: bool = False
    word: str = ""


def is_nowhere(item: FactItem, answer_sentences: Sequence[str]) -> bool:
    """True if a fact's number, day, code or identifier stands nowhere, of whatever it may be.

    >>> item = FactItem(aspect="identifier", word="10011234")
    >>> is_nowhere(item, ["Patient 10019999."]), is_nowhere(item, ["MRN 10011234."])
    (True, False)
    """
    kind = aspects()[item.aspect].value
    if kind not in _WRITTEN or (kind in _DAYS and any(map(_has_relative_day, answer_sentences))):
        return False
    return all(value.is_right is False for text in answer_sentences for value in values(item, text))


def _has_relative_day(text: str) -> bool:
    return bool(cue("relative day").search(text) or _RELATIVE.search(text))


def values(item: FactItem, sentence: str) -> Iterator[Value]:
    """The values of a fact's kind in a sentence.

    >>> item = FactItem(aspect="latest day", date="2148-04-02")
    >>> [value.is_right for value in values(item, "on 2148-04-02, and on 2148-04-05")]
    [True, False]
    """
    aspect = aspects()[item.aspect]
    kind = aspect.value
    if kind in _DAYS and "ordered" in aspect.cues:
        yield from _starts(item, kind, sentence)
        return
    yield from _of_kind(item, kind, sentence)


def _starts(item: FactItem, kind: str, sentence: str) -> Iterator[Value]:
    """The days on which an order began, without its ends.

    The day of a renewal begins the newest order, but not the course of equal orders before it.
    """
    begun = [
        value
        for value in _of_kind(item, kind, sentence)
        if not ends_in(cue("end of a course"), sentence[: value.start])
    ]
    renewals = [value for value in begun if _is_renewal(value, sentence)]
    if kind == "ago":
        yield from [value for value in begun if value not in renewals] or begun
    else:
        newest = renewals[-1].start if renewals else 0
        yield from (value for value in begun if value.start >= newest)


def _is_renewal(value: Value, sentence: str) -> bool:
    """True if a day stands right behind a word for a renewal."""
    renewals = cue("renewed").finditer(sentence, 0, value.start)
    return any(_ON.fullmatch(sentence, each.end(), value.start) for each in renewals)


def _of_kind(item: FactItem, kind: str, sentence: str) -> Iterator[Value]:
    match kind:
        case "quantity" | "days" | "years" | "count":
            yield from _amounts(item, kind, sentence)
        case "ago":
            yield from _days_ago(item, sentence)
        case "date":
            for start, end, day in dates(sentence):
                yield Value(start, end, day == item.date or _without_year(day, item.date))
        case "code":
            text = without_times(sentence).upper()
            for match in CODE.finditer(text):
                yield Value(*match.span(), _plain_code(match[0]) == _plain_code(item.word))
        case "rank":
            yield from _ranks(item, sentence)
        case "identifier" | "year":
            pattern = _YEAR if kind == "year" else _IDENTIFIER
            for match in pattern.finditer(sentence):
                yield Value(*match.span(), match[0] == item.word)
        case _ if kind in get_args(TermKind) and kind != "sex":
            yield from _terms(item, sentence)
        case _:
            yield from _words(item, kind, sentence)


def _ranks(item: FactItem, sentence: str) -> Iterator[Value]:
    """The drugs that a sentence calls the earlier or later one of the two of an item."""
    wanted, other = item.term, item.subject
    compared = [
        mention
        for mention in mentions(sentence, "drug")
        if not ends_in(cue("compared with"), sentence[: mention.start])
    ]
    for word in words(sentence):
        kind, _, rank = word.name.partition(": ")
        ahead = [m for m in compared if m.end <= word.start]
        behind = [m for m in compared if m.start >= word.end]
        if kind != "rank" or not (ahead or behind):
            continue
        is_order = sentence.startswith(_ORDERED_FIRST, word.start)
        is_behind = behind and (not ahead or is_order or _NAMED_BEHIND.match(sentence, word.end))
        named = behind[0] if is_behind else ahead[-1]
        if wanted and other and named.name in (wanted.name, other.name):
            is_right = (named.name == wanted.name) == (rank == item.word)
            yield Value(word.start, word.end, is_right)


def _without_year(day: str, wanted: str) -> bool:
    return day.startswith("--") and day[-5:] == wanted[-5:]


def _plain_code(code: str) -> str:
    return code.replace(".", "").upper()


def _amounts(item: FactItem, kind: str, sentence: str) -> Iterator[Value]:
    wanted = item.quantity or Wanted(value=0)
    target = Quantity(wanted.value, wanted.unit, 0, 0, wanted.decimals)
    test = item.subject.name if item.subject and item.subject.kind == "test" else ""
    named = mentions(sentence, "diagnosis")
    for given in quantities(sentence):
        if any(m.start <= given.start < m.end for m in named):
            continue  # type 2 diabetes
        if kind == "count" and given.unit not in ("", "points"):
            continue
        if kind == "quantity" and given.unit in _TIMES and wanted.unit not in _TIMES:
            continue
        if wanted.unit == POINTS and given.unit not in ("", POINTS):
            continue
        if given.unit == POINTS and wanted.unit not in ("", POINTS):
            continue  # a rating is no result
        if item.subject and item.subject.kind == "drug" and _is_measured(given.unit):
            continue
        if kind == "days" and given.unit not in _TIMES:
            continue
        if kind == "years" and (given.unit not in ("", "year") or given.value > _OLDEST):
            continue
        bare = bool(wanted.unit) and not given.unit
        yield Value(given.start, given.end, same(given, target, test), bare)


def _is_measured(unit: str) -> bool:
    """True for the unit of a result, which no dose of a drug has."""
    return "/" in unit or unit in _MEASURED


def _days_ago(item: FactItem, sentence: str) -> Iterator[Value]:
    """The days before the session in a sentence, also as dates."""
    wanted = item.quantity.value if item.quantity else None
    for start, end, day in dates(sentence):
        yield Value(start, end, day == item.date or _without_year(day, item.date))
    for start, end, days in past_days(sentence):
        yield Value(start, end, days == wanted)
    for given in quantities(sentence):
        length = duration(given)
        if length is not None and is_ago(sentence, given.end):
            yield Value(given.start, given.end, length.days == wanted)


def _terms(item: FactItem, sentence: str) -> Iterator[Value]:
    for term in (item.term,) if item.term else ():
        whole = [m.span() for m in _loosely(term.name).finditer(plain(sentence))]
        yield from (Value(*span, is_right=True) for span in whole)
        for mention in mentions(sentence, term.kind):
            if any(start <= mention.start < end for start, end in whole):
                continue
            yield Value(
                mention.start, mention.end, _same_name(mention.name, term.name, item.aspect)
            )


@lru_cache(_NAMES)
def _loosely(name: str) -> re.Pattern[str]:
    """A name with any signs between its words: titles are written without their commas."""
    joined = r"\W+".join(re.findall(r"\w+", plain(name)))
    return re.compile(rf"(?<!\w){joined}(?!\w)")


def _same_name(given: str, wanted: str, aspect: str) -> bool | None:
    """True for the same name; None if one says more than the other.

    Who is at risk of a kind of bleeding is at risk of bleeding.
    """
    if is_kind_of(given, wanted):
        return True if aspect == "risk" else None
    if is_kind_of(wanted, given):
        return None
    left, right = set(given.split()), set(wanted.split())
    return True if given == wanted else None if left <= right or right <= left else False


def _words(item: FactItem, kind: str, sentence: str) -> Iterator[Value]:
    if kind in ("action", "course"):
        yield from _changes(item, kind, sentence)
    # A direction within the name of a diagnosis is not a level: hyperkalemia, 高钾血症.
    named = mentions(sentence, "diagnosis") if kind in ("level", "course") else ()
    text = blanked(sentence, [m.span for m in named if m.name not in _DIRECTIONS])
    named_words = [
        word
        for word in words(text)
        if word.name.startswith(f"{kind}: ") and not _is_of_risk(word, sentence)
    ]
    for word in named_words:
        name = word.name.partition(": ")[2]
        if kind == "action" and _is_transfused(item, name):
            yield Value(word.start, word.end, is_right=True)
        elif kind != "action" or name in _near(item.word):
            is_right = _right_word(item.word, kind, name)
            is_choice = kind == "action" and _is_choice(word, named_words, item.word, sentence)
            yield Value(word.start, word.end, None if is_choice else is_right, word=name)


def _is_of_risk(word: Word, sentence: str) -> bool:
    """True for a word that changes a risk, not a dose: 增加出血风险, "reduce the risk of"."""
    behind = sentence[word.end :]
    named = [mention.span for mention in mentions(behind, "diagnosis")]
    return word.name in _DOSE_CHANGES and _RISK.match(blanked(behind, named)) is not None


def _changes(item: FactItem, kind: str, sentence: str) -> Iterator[Value]:
    """The changes of doses and results that numbers tell: "from 7.5 mg to 5 mg".

    A word for the course of a result comes before its numbers.
    """
    amounts = quantities(sentence)
    if kind == "course" and any(word.name.startswith("course: ") for word in words(sentence)):
        return
    for first, last in pairwise(amounts):
        is_dose = bool(last.unit) and not _is_measured(last.unit) and last.unit not in _TIMES
        is_course = ends_in(cue("from"), sentence[: first.start]) and _TO.fullmatch(
            sentence, first.end, last.start
        )
        if not is_course or first.unit not in ("", last.unit) or is_dose != (kind == "action"):
            continue
        falls, rises = ("reduce", "raise") if kind == "action" else ("fall", "rise")
        name = (
            falls if last.value < first.value else rises if last.value > first.value else "steady"
        )
        if kind == "course" or name in _near(item.word):
            yield Value(first.start, last.end, _right_word(item.word, kind, name), word=name)


def _is_choice(word: Word, actions: Sequence[Word], wanted: str, text: str) -> bool:
    """True if an action is one of several that an answer leaves to choose from, some not wanted."""
    run = next(run for run in _runs(actions, text) if word in run)
    return _OR.search(text, run[0].end, run[-1].start) is not None and any(
        each.name.removeprefix("action: ") not in _not_against(wanted) for each in run
    )


def _runs(listed: Sequence[Word], text: str) -> Iterator[list[Word]]:
    """The words that only signs and words of lists stand between, such as "hold, stop or raise"."""
    run: list[Word] = []
    for word in listed:
        if run and not _LIST.fullmatch(text, run[-1].end, word.start):
            yield run
            run = []
        run.append(word)
    yield from [run] if run else []


def _is_transfused(item: FactItem, action: str) -> bool:
    """True if what an item orders is a transfusion, and an action gives it."""
    name = item.subject.name if item.subject else ""
    return item.word == "order" and action == "give" and "transfusion" in name


def _near(action: str) -> tuple[str, ...]:
    """The actions that say something of another."""
    return (*_not_against(action), *_AGAINST.get(action, ()))


def _not_against(action: str) -> tuple[str, ...]:
    """An action, and those that do not exclude it."""
    return (action, *_ALIKE.get(action, ()), *_NEAR.get(action, ()))


def _right_word(wanted: str, kind: str, name: str) -> bool | None:
    if name == wanted or name in _ALIKE.get(wanted, ()):
        return True
    if kind == "action":
        return None if name in _NEAR.get(wanted, ()) else False
    for alike in (_TAKEN, _NOT_TAKEN):
        if kind == "state" and wanted in alike and name in alike:
            return True if wanted == alike[-1] else None if name == alike[-1] else False
    return False
