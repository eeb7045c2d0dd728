"""Terms that a question takes over from earlier turns: pronouns, and what it leaves out."""

import re
from collections.abc import Iterable, Mapping, Sequence

from wardround.agents.clerk.intents import Intent
from wardround.agents.clerk.names import Found, TermKind
from wardround.agents.clerk.question import ABOUT, OPEN, PATIENT, Question

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
