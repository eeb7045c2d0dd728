"""Reads a physician's question clause by clause: intents and terms."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from wardround.agents.clerk.intents import WRITES, Intent, intent_scores
from wardround.agents.clerk.names import Found, TermKind, find_terms
from wardround.agents.clerk.question import ABOUT, LOOKUPS, OPEN, PATIENT, Question
from wardround.ehr.text.language import Language, has_han
from wardround.ehr.text.segments import phrases, texts

_PRONOUN = re.compile(
    r"\b(?P<one>it|its)\b|\b(?P<all>they|them|their|those|these)\b|(?P<han>它们?|其(?![他它余]))",
    re.IGNORECASE,
)
# Words that ask about all there is, whatever was spoken of before.
_WHOLE = re.compile(
    r"\b(?:any|all|which|list|other|else|abnormal|everything|what (?:medications|drugs|labs))\b"
    r"|哪些|有没有|其[他它]|所有|清单|异常|还有",
    re.IGNORECASE,
)
_DRUGS: tuple[TermKind, ...] = ("drug", "class")
_RECALLED: tuple[TermKind, ...] = ("test", "panel", "vital", "drug", "class")

_ASKS = re.compile(r"[?？]\s*$|[吗呢]\s*[。.]?$")
_POLITE = re.compile(
    r"^\W*(?:please|can you|could you|would you|will you|请|能否|可否|麻烦)"
    r"|(?:好吗|可以吗|行吗)\W*$|\bplease\W*$",
    re.IGNORECASE,
)
_DECLINES = re.compile(
    r"^\W*(?:do not|don't|never|no need)\b|^\W*(?:不要|别|勿|暂不|无需|不用)", re.I
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d|\b(?:tomorrow|today)\b|明天|今天", re.IGNORECASE)
_LEAVING = re.compile(r"\b(?:leaves?|discharged?|goe?s?(?: back)? home)\b|出院|回家", re.IGNORECASE)
_CHOSEN, _BEST = 0.4, 0.2  # the least score of an intent, and of the best of a clause
# The kinds of terms that speak for an order, and by how much.
_PARTS: dict[Intent, set[TermKind]] = {
    "medicate": {"unit", "route"},
    "request": {"priority"},
    "flag": {"category"},
}
_GIVEN = 0.25
# An order may score this much less than other intents: one that lacks a part is not written.
_MARGIN = 0.15
_MASKS: dict[TermKind, str] = {
    "panel": "TEST", "class": "DRUG", "diagnosis": "DX", "service": "SVC", "scan": "SVC",
    "frequency": "FREQ",
    "priority": "PRIO",
}  # fmt: skip
# Terms of orders, which other questions have by chance.
_OF_ORDERS: tuple[TermKind, ...] = ("unit", "route", "frequency", "priority", "category")


def read_question(text: str, earlier: Sequence[Question] = ()) -> Question:
    """Reads a question after those of earlier turns.

    >>> first = read_question("What is the latest potassium?")
    >>> first.intents, first.tests
    (('labs',), ('potassium',))
    >>> second = read_question("How far did it fall, and what did the CT show?", [first])
    >>> second.intents, second.tests
    (('labs', 'imaging'), ('potassium',))
    """
    language: Language = "zh" if has_han(text) else "en"
    order = _order(text, language, earlier)
    if order:
        return order
    asked: dict[Intent, str] = {}
    terms: dict[tuple[TermKind, str], Found] = {}
    for clause in texts(text, phrases(text, language)):
        mentioned = with_pronouns(clause, _plain_terms(clause), earlier, terms.values())
        for intent in _intents(clause, mentioned):
            asked.setdefault(intent, clause)
        terms |= {(each.kind, each.name): each for each in mentioned}
    if _LEAVING.search(text) and not {"summary"}.isdisjoint(asked):
        asked.setdefault("plan", text)
    if len(asked) > 1 and any(kind in LOOKUPS for kind, _ in terms):
        asked.pop("summary", None)
    asked = asked or dict.fromkeys(_intents(text, _plain_terms(text)), text)
    named = [*terms.values(), *left_out(asked, list(terms.values()), earlier)]
    intents = _with_lookups(list(asked), named)
    return Question(text, language, tuple(intents), tuple(named), asked)


def masked(text: str, terms: Sequence[Found]) -> str:
    """A text with its terms as their kinds in capitals, and digits as 9.

    >>> masked("Start Lasix 40 mg", find_terms("Start Lasix 40 mg"))
    'Start DRUG 9 UNIT'
    """
    parts, end = [], 0
    for each in terms:
        parts += [text[end : each.start], _MASKS.get(each.kind, each.kind.upper())]
        end = each.end
    parts.append(text[end:])
    return re.sub(r"\d+(?:\.\d+)?", "9", _DATE.sub("DATE", "".join(parts)))


def _order(text: str, language: Language, earlier: Sequence[Question]) -> Question | None:
    """The question as one that wants an order; a question that is no request wants none."""
    if _DECLINES.search(text) or (_ASKS.search(text) and not _POLITE.search(text)):
        return None
    terms = with_pronouns(text, find_terms(text), earlier, ())
    scores = intent_scores(masked(text, list(map(_as_illness, terms))))
    parts = {each.kind for each in terms}
    written = {name: scores[name] + _GIVEN * (_PARTS[name] <= parts) for name in WRITES}
    best = max(written, key=lambda name: written[name])
    if written[best] < max(_BEST, max(scores.values()) - _MARGIN):
        return None
    more = left_out({best: text}, terms, earlier)
    return Question(text, language, (best,), (*terms, *more), {best: text})


def _as_illness(term: Found) -> Found:
    """A symptom as an illness, since orders are for illnesses."""
    return replace(term, kind="diagnosis") if term.kind in ("symptom", "pain") else term


def _intents(clause: str, terms: Sequence[Found]) -> Iterator[Intent]:
    """The intents of a clause that wants no order; those of its terms if it has no other words."""
    words = masked(clause, terms)
    if not re.sub(r"[A-Z]{2,}|\W", "", words):
        yield from dict.fromkeys(LOOKUPS[each.kind] for each in terms if each.kind in LOOKUPS)
        return
    scores = {name: value for name, value in intent_scores(words).items() if name not in WRITES}
    best = max(scores, key=lambda name: scores[name])
    chosen = [name for name in scores if scores[name] >= (_BEST if name == best else _CHOSEN)]
    yield from sorted(chosen, key=lambda name: -scores[name])


def _plain_terms(clause: str) -> list[Found]:
    return [each for each in find_terms(clause) if each.kind not in _OF_ORDERS]


def _with_lookups(intents: list[Intent], terms: Sequence[Found]) -> list[Intent]:
    """The intents, with a lookup for each term that no intent is about."""
    about = {kind for intent in intents for kind in ABOUT.get(intent, ())}
    if any(intent in PATIENT for intent in intents):
        about |= {"drug", "class"}
    added = dict.fromkeys(
        LOOKUPS[each.kind] for each in terms if each.kind in LOOKUPS and each.kind not in about
    )
    return [*intents, *(each for each in added if each not in intents)]


def with_pronouns(
    clause: str, terms: Sequence[Found], earlier: Sequence[Question], before: Iterable[Found]
) -> list[Found]:
    """The terms of a clause, with those that its pronouns mean in the pronouns' places."""
    known = list(terms)
    for match in _PRONOUN.finditer(clause):
        meant = _antecedents(earlier, list(before), everything=bool(match["all"]))
        span = match.span()
        known += [Found(each.kind, each.name, span[0], span[1]) for each in meant[:1]]
        known += [Found(each.kind, each.name, span[1], span[1]) for each in meant[1:]]
    return sorted(known, key=lambda each: each.start)


def _antecedents(
    earlier: Sequence[Question], before: Sequence[Found], *, everything: bool
) -> list[Found]:
    """The first term that was spoken of last; for plurals all of the last two turns."""
    recalled = [[each for each in q.terms if each.kind in _RECALLED] for q in reversed(earlier)]
    if everything:
        distinct = {(each.kind, each.name): each for turn in recalled[:2] for each in turn}
        return list(distinct.values())
    told_apart = [each for each in before if each.kind in _RECALLED]
    return next(filter(None, [*recalled, told_apart]), [])[:1]


def left_out(
    asked: Mapping[Intent, str], terms: Sequence[Found], earlier: Sequence[Question]
) -> list[Found]:
    """The terms of earlier turns that a question leaves out."""
    named = {each.kind for each in terms}
    if any(intent in OPEN for intent in asked):
        if named.intersection(_RECALLED):
            return [] if named.intersection(_DRUGS) else _latest(earlier, _DRUGS)
        return [each for turn in earlier for each in turn.terms if each.kind in _RECALLED]
    lacking = {
        ABOUT[intent]
        for intent, clause in asked.items()
        if intent in ABOUT and intent not in PATIENT and not _WHOLE.search(clause)
    }
    missing = sorted(kinds for kinds in lacking if named.isdisjoint(kinds))
    return [each for kinds in missing for each in _latest(earlier, kinds)]


def _latest(earlier: Sequence[Question], kinds: Sequence[TermKind]) -> list[Found]:
    """The terms of some kinds in the last turn that has any."""
    by_turn = ([each for each in turn.terms if each.kind in kinds] for turn in reversed(earlier))
    return next(filter(None, by_turn), [])
