"""Claims of an answer about a fact: its values with their subject, aspect and assertion."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Literal, TypeAlias

from wardround.benchmarks.assist.checks.clauses import PREDICATES, Clause, Role, clauses
from wardround.benchmarks.assist.checks.facts.items import Aspect, FactItem, aspects
from wardround.benchmarks.assist.checks.facts.values import Value, values
from wardround.benchmarks.assist.checks.facts.words import (
    STATES,
    Word,
    known_words,
    without_words,
    words,
)
from wardround.benchmarks.assist.checks.items import Term
from wardround.benchmarks.assist.checks.items import words as item_words
from wardround.benchmarks.assist.checks.lexicon import class_spans, classes_in, cue, members
from wardround.benchmarks.assist.checks.score_items import score_places
from wardround.benchmarks.assist.checks.sentences import leaves_open, points_back, sentences
from wardround.benchmarks.assist.sessions import Language
from wardround.ehr.terms.chinese import TermKind
from wardround.ehr.text.agents import is_patients_doing
from wardround.ehr.text.cues import assertion, negations
from wardround.ehr.text.dates import past_days
from wardround.ehr.text.language import has_han
from wardround.ehr.text.mentions import Mention, mentions
from wardround.ehr.text.segments import Span, blanked, phrases
from wardround.ehr.text.times_ahead import without_times_ahead
from wardround.ehr.text.word_tables import ends_in

Stand: TypeAlias = Literal["stated", "denied", "open"]
# Values that come before their subject: "stop aspirin", "received heparin".
_VERBS = ("action", "event", "state")
# Roles of words of advice.
_ADVICE: tuple[Role, ...] = ("give", "take", "must", "safe", "stop", "unsafe", "unsure")
# Actions that take back another right behind them: "stop giving", 停止使用.
_WITHHOLDING = ("action: hold", "action: stop", "action: avoid")
_SENTENCES = 1024  # cached sentences; each is read for every item of its turn
_OF = re.compile(r"\s*(?:of(?: the)?|的)?\s*")
_LIST = re.compile(
    r"\s*(?:[,，、]|\b(?:and|or)\b|[和及与或])*\s*(?:(?:an?|the)\b)?\s*", re.IGNORECASE
)
_PAST = re.compile(r".*(?:ed|held|cut|began|gave|got)", re.IGNORECASE)
_PAUSE = re.compile(r",(?!\d{3}(?!\d))|[，;；()（）]")


@dataclass(frozen=True, slots=True)
class Claim:
    """A value that an answer gives for a fact.

    Attributes:
        is_right: it is the fact's value; None if that is open.
        stand: the answer states it, denies it, or says it in words that are not understood.
        is_named: the answer says that it is a value of the fact's aspect.
        word: the name of its word, if it is one.
    """

    is_right: bool | None
    stand: Stand
    is_named: bool
    word: str = ""


@dataclass(frozen=True, slots=True)
class _Part:
    """A clause of a sentence with its place in it."""

    span: Span
    clause: Clause


def is_read(answer: str) -> bool:
    """True if every word of an answer is known, and it asks and supposes nothing."""
    return all(
        part.clause.is_understood and not part.clause.has("other")
        for sentence in _saying(answer)
        for part in _parts(sentence)
    )


def advises(item: FactItem, answer: str) -> bool:
    """True if a sentence that names the subject of an item has some word of advice.

    The advice may stand behind a list: "Potassium, creatinine should be checked again."
    """
    subject = item.subject
    return subject is not None and any(
        any(part.clause.has(*_ADVICE) for part in _parts(sentence))
        and any(m.name == subject.name for m in mentions(without_words(sentence), subject.kind))
        for sentence in _saying(answer)
    )


def claims(item: FactItem, answer: str) -> Iterator[Claim]:
    """The claims of an answer about a fact."""
    aspect = aspects()[item.aspect]
    kinds: tuple[TermKind, ...] = aspect.subjects  # type: ignore[assignment]
    anywhere = bool(mentions(answer, *kinds)) if kinds else False
    before, is_joined = list[Mention](), False
    for sentence in _saying(answer):
        named = _named(item, sentence, kinds)
        is_action = aspect.value == "action"
        parts = _whole_parts(sentence) if is_action else _parts(sentence)
        for value in values(item, sentence):
            number = _clause_of(value, parts) if is_action else _part_of(value, parts, sentence)
            span = _reach(parts, number) if is_action else parts[number].span
            within = [m for m in named if _is_within(m.span, span)]
            has_object = is_action and _has_object(value, parts[number], sentence)
            around = () if has_object else named
            is_verb = aspect.value in _VERBS
            subjects = _subjects(value, within, around, sentence, is_verb=is_verb)
            if not subjects and before and (points_back(sentence) or is_joined):
                subjects = before[-1:]
            if item.subject and not _is_of(subjects, item.subject, is_silent=not anywhere):
                if not _is_of_class(item.subject, parts[number].clause.text):
                    continue
                yield Claim(value.is_right, "open", is_named=True)
                continue
            is_named = _naming(value, aspect, sentence)
            if is_named is not False:
                stand = _stand(value, sentence, parts, number, aspect.value)
                named_so = (is_named or aspect.bare) and not value.bare
                yield Claim(value.is_right, stand, named_so, value.word)
        before, is_joined = named or before, sentence.endswith((";", "；"))


def _named(item: FactItem, sentence: str, kinds: Sequence[TermKind]) -> list[Mention]:
    """The things that a sentence names; a drug in the name of its level is none.

    Nor is a test in the name of a score, such as creatinine clearance. If the same words have two
    kinds, the item's kind counts.
    """
    shown = blanked(sentence, score_places(sentence))
    named = mentions(shown, *kinds) if kinds else ()
    kind = item.subject.kind if item.subject else None
    wanted = [m.span for m in named if m.kind == kind]
    of_kind = (m for m in named if m.kind == kind or m.span not in wanted)
    return sorted(m for m in of_kind if not any(_hides(longer, m) for longer in named))


def _hides(longer: Mention, mention: Mention) -> bool:
    within = longer.start <= mention.start and mention.end <= longer.end
    return within and longer.span != mention.span


def _saying(answer: str) -> Iterator[str]:
    """The sentences of an answer but those that leave everything open."""
    return (sentence for sentence in sentences(answer) if not leaves_open(sentence))


@lru_cache(_SENTENCES)
def _parts(sentence: str) -> tuple[_Part, ...]:
    """The clauses of a sentence, without the terms that only facts are about."""
    text = without_words(sentence)
    parts: list[_Part] = []
    start = 0
    for clause in clauses(text, known_words()):
        end = text.index(clause.text, start) + len(clause.text)
        parts.append(_Part(Span(start, end), clause))
        start = end
    if not parts:
        return (_Part(Span(0, len(text)), Clause(text, item_words=known_words())),)
    return *parts[:-1], replace(parts[-1], span=Span(parts[-1].span.start, len(text)))


@lru_cache(_SENTENCES)
def _whole_parts(sentence: str) -> tuple[_Part, ...]:
    """The clauses of a sentence in the places of their phrases, with all terms in them."""
    parts = _parts(sentence)
    text = without_words(sentence)
    begins = [phrase.start for phrase in phrases(sentence, _language(sentence))]
    starts = [0]
    for before, part in pairwise(parts):
        at = text.index(part.clause.text, before.span.end)
        starts.append(max((n for n in begins if before.span.end <= n <= at), default=at))
    spans = map(Span, starts, [*starts[1:], len(text)])
    return tuple(replace(part, span=span) for part, span in zip(parts, spans, strict=True))


def _part_of(value: Value, parts: Sequence[_Part], sentence: str) -> int:
    """The number of the clause that contains a value, or that ends just before it."""
    for number, part in enumerate(parts[:-1]):
        if value.start < part.span.end or not _PAUSE.search(sentence, part.span.end, value.start):
            return number
    return len(parts) - 1


def _clause_of(action: Value, parts: Sequence[_Part]) -> int:
    """The number of the clause that contains an action."""
    return next(n for n, part in enumerate(parts) if action.start < part.span.end)


def _reach(parts: Sequence[_Part], number: int) -> Span:
    """The place of a clause and of those behind it that go on with it, without a verb."""
    behind = parts[number + 1 :]
    end = next((part.span.start for part in behind if part.clause.has(*PREDICATES)), None)
    return Span(parts[number].span.start, parts[-1].span.end if end is None else end)


def _language(sentence: str) -> Language:
    return "zh" if has_han(sentence) else "en"


def _is_within(span: tuple[int, int], whole: Span) -> bool:
    return whole.start <= span[0] < whole.end


def _has_object(value: Value, part: _Part, sentence: str) -> bool:
    """True if an action has words of its own behind it in its clause, besides its time."""
    behind = without_times_ahead(sentence[value.end : max(value.end, part.span.end)])
    named = mentions(behind, "frequency", "priority")
    rest = blanked(behind, [mention.span for mention in named])
    return any(item_words(rest, _language(sentence)))


def _subjects(
    value: Value, within: Sequence[Mention], named: Sequence[Mention], text: str, *, is_verb: bool
) -> Sequence[Mention]:
    """The mentions that a value is of: in its clause, else in its sentence; a verb's is a list."""
    for near in (within, named):
        ahead = [m for m in near if m.end <= value.start]
        behind = [m for m in near if m.start >= value.end]
        if is_verb and behind:
            return _listed(behind, text)
        if is_verb or (behind and _OF.fullmatch(text, value.end, behind[0].start)):
            ahead, behind = behind[:1], ahead[-1:]
        if nearest := ahead[-1:] or behind[:1]:
            return nearest
    return ()


def _listed(named: Sequence[Mention], text: str) -> Sequence[Mention]:
    """The first of some mentions, and those that a list goes on with."""
    ends = (n for n, (m, after) in enumerate(pairwise(named), 1)
            if not _LIST.fullmatch(text, m.end, after.start))  # fmt: skip
    return named[: next(ends, len(named))]


def _is_of(subjects: Sequence[Mention], wanted: Term, *, is_silent: bool) -> bool:
    """True if a value is of the wanted subject; an answer that names none may mean it."""
    if not subjects:
        return is_silent
    of_kind = (each.name for each in subjects if each.kind == wanted.kind)
    return any(wanted.name in (name, *name.split(" + ")) for name in of_kind)


def _is_of_class(wanted: Term, text: str) -> bool:
    """True if a text names a class of drugs that a wanted drug is in."""
    return bool(class_spans(text)) and any(wanted.name in members(n) for n in classes_in(text))


def _naming(value: Value, aspect: Aspect, sentence: str) -> bool | None:
    """True if a value stands with a cue of its aspect, False with a rival's, None with neither."""
    cue = _end_of_course(value, aspect, sentence) or _cue(value, aspect, sentence)
    return None if not cue else cue in aspect.cues


def _end_of_course(value: Value, aspect: Aspect, sentence: str) -> str:
    """The cue of a value in "from 5.6 to 4.5"."""
    if aspect.value != "quantity" or "latest" not in (*aspect.cues, *aspect.rivals):
        return ""
    before = sentence[: value.start]
    if ends_in(cue("from"), before):
        return "first"
    is_course = cue("from").search(before) and ends_in(cue("to"), before)
    return "latest" if is_course else ""


def _cue(value: Value, aspect: Aspect, sentence: str) -> str:
    """The cue next to a value: before it up to a comma, behind it, then in its whole sentence."""
    names = (*aspect.cues, *aspect.rivals)
    cues = [w for w in (*words(sentence), *_frequencies(sentence)) if w.name in names]
    cues = sorted(_outside_routes(cues, sentence) or cues, key=lambda word: word.start)
    pauses = [match.end() for match in _PAUSE.finditer(sentence)]
    phrase = Span(
        max((at for at in pauses if at <= value.start), default=0),
        min((at for at in pauses if at > value.start), default=len(sentence)),
    )
    near = [w for w in cues if _is_within((w.start, w.end), phrase)]
    for listed in (near, cues):
        ahead = [w for w in listed if w.end <= value.start]
        behind = [w for w in listed if w.start >= value.end]
        if ahead or behind:
            nearest = ahead[-1] if ahead else behind[0]
            alike = [w.name for w in listed if (w.start, w.end) == (nearest.start, nearest.end)]
            return next((name for name in alike if name in aspect.cues), nearest.name)
    return ""


def _outside_routes(cues: Sequence[Word], sentence: str) -> list[Word]:
    """The cues that are no part of a route's name: 静脉给药 says how a drug is ordered as well."""
    routes = [Span(*mention.span) for mention in mentions(sentence, "route")]
    return [w for w in cues if not any(_is_within((w.start, w.end), route) for route in routes)]


def _frequencies(sentence: str) -> Iterator[Word]:
    """The frequencies of orders, which doses and home drugs do not need as cues.

    A bare "once" is none: in Chinese it also counts, as in "the one before" (前一次).
    """
    if not any(word.name.startswith("state: ") for word in words(sentence)):
        for mention in mentions(sentence, "frequency"):
            if mention.name != "once":
                yield Word(mention.start, mention.end, "ordered")


def _stand(value: Value, sentence: str, parts: Sequence[_Part], number: int, kind: str) -> Stand:
    """The stand of an answer on a value in one of the clauses of a sentence."""
    near = [parts[n].clause for n in (number - 1, number, number + 1) if 0 <= n < len(parts)]
    part = parts[number]
    start = without_words(sentence).index(part.clause.text, part.span.start)
    text = blanked(part.clause.text, [(max(value.start - start, 0), max(value.end - start, 0))])
    rest = Clause(text, part.clause.question, part.clause.item_words)
    if not rest.is_understood or any(c.has("unsure") or c.question for c in near):
        return "open"
    if rest.has("other") or (kind == "action" and rest.has("fact")):
        return "open"
    language = _language(sentence)
    verb = Span(value.start, value.end)
    whole = sentence[part.span.start : part.span.end]
    if kind == "diagnosis" and (_is_low_risk(whole) or cue("past time").search(whole)):
        return "open"
    if kind == "action" and (
        is_patients_doing(sentence, verb, language) or _is_past(verb, part, sentence)
    ):
        return "open"
    aside: list[tuple[int, int]] = [
        m.span for m in mentions(sentence, "diagnosis") if m.start != value.start
    ]
    aside += [
        (word.start, word.end)
        for word in words(sentence)
        if word.name.startswith(STATES) and not (kind == "state" and word.name.startswith("state"))
    ]
    if kind == "action" and _is_undone(value, part, sentence):
        return "denied"
    asserted = assertion(blanked(sentence, aside), Span(value.start, value.end), language)
    if asserted == "absent":
        return "denied"
    return "open" if asserted != "present" or rest.has("no") else "stated"


def _is_low_risk(text: str) -> bool:
    """True if a clause about no test calls a risk low; a low dose is none.

    >>> _is_low_risk("little risk of bleeding"), _is_low_risk("low-dose aspirin, a risk")
    (True, False)
    """
    is_risk = any(word.name == "risk" for word in words(text)) and not mentions(text, "test")
    rest = blanked(text, [named.span for named in mentions(text, "diagnosis", "drug")])
    return is_risk and any(
        not cue("dose").match(rest[low.end() :].lstrip(" -"))
        for low in cue("low risk").finditer(rest)
    )


def _is_past(action: Span, part: _Part, sentence: str) -> bool:
    """True if a day before now stands before an action in its clause, or behind its past form."""
    starts = [day.start for day in past_days(sentence) if day.days > 0]
    starts += [match.start() for match in cue("past time").finditer(sentence)]
    is_past_form = _PAST.fullmatch(sentence, action.start, action.end) is not None
    return any(
        part.span.start <= start < (part.span.end if is_past_form else action.start)
        for start in starts
    )


def _is_undone(value: Value, part: _Part, sentence: str) -> bool:
    """True if the only negation of a clause, or a word against it, stands right before an action.

    >>> text = "不查血常规"
    >>> _is_undone(Value(1, 2, is_right=True), _parts(text)[0], text)
    True
    """
    before = negations(sentence, _language(sentence)) if part.clause.count("no") == 1 else []
    holding = (Span(w.start, w.end) for w in words(sentence) if w.name in _WITHHOLDING)
    return any(
        each.end <= value.start and not sentence[each.end : value.start].strip()
        for each in (*before, *holding)
    )
