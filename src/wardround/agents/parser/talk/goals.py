"""Hearing what is to be found: how many, which, when, how high, how long, what share."""

import re
from collections.abc import Sequence
from dataclasses import replace

from wardround.agents.parser.talk.mention_finder import cues_in
from wardround.agents.parser.talk.numbers import number
from wardround.agents.parser.talk.patterns import GoalPattern, goals, meaning, phrase, words_for
from wardround.agents.parser.talk.request import Condition, Goal, Request


def hear_goal(text: str, before: Goal | None) -> Goal | None:
    """The goal after a sentence: a newly said one, unless it is weak or only narrows down.

    >>> goal = hear_goal("how many patients were there", None)
    >>> goal.shape, goal.of
    ('count', 'patient')
    >>> hear_goal("include only stays for which the admission source was known", goal) == goal
    True
    """
    if narrows(text):
        return before
    found = next((heard for heard in (_heard(p, text) for p in goals()) if heard), None)
    if found is None or (before is not None and not before.weak and found.weak):
        return before
    if before is None or before.weak:
        return found
    if found.shape == "list" and not phrase("asking").search(text):
        return before  # "a stay where the admission source was the ER" asks for no source
    if found.weak and before.shape == "list" and found.shape == "exists":
        return replace(found, of=before.of)
    if found.shape == before.shape and found.which == "all":
        found = replace(found, which=before.which)
    kept = "" if found.of or before.of == "patient" else before.of
    return replace(found, of=kept) if kept else found


def narrows(text: str) -> bool:
    """Whether a sentence tells what to keep or leave out, and asks for nothing itself."""
    return bool(phrase("narrowing").search(text)) and not phrase("asking").search(text)


def with_purpose(request: Request, named: Sequence[Condition], left: str) -> Request:
    """The request with what its goal speaks of only in passing: "when admitted", "average pulse".

    Args:
        request: with the goal and the conditions of a sentence.
        named: what the sentence named.
        left: the sentence.
    """
    for shape, fits in (("share", _any), ("cost", _chargeable)):
        if request.goal and request.goal.shape == shape and phrase(shape).search(left):
            request = _with_part(request, [c for c in named if fits(c)])
    if any(_asked_which(condition, left) for condition in named):
        request = replace(request, goal=Goal("list", "drug"))
    if request.goal is None or request.goal.weak:
        request = replace(request, goal=_measure(request, left) or request.goal)
    goal, kinds = request.goal, [kind for kind in cues_in(left) if kind != "cost"]
    if goal is None or not kinds or request.target_kind() or narrows(left):
        return request
    if goal.shape in ("time", "elapsed", "list", "exists", "value"):
        return replace(request, goal=replace(goal, of=kinds[0]))
    return request


def _asked_which(condition: Condition, left: str) -> bool:
    """Whether a member of a class of drugs is asked for: "which other statin"."""
    which = r"\b(?:which|what|names? of)(?: (?:the|any|other|kind of|type of))*"
    said = re.search(rf"{which} {re.escape(condition.phrase)}\b", left)
    return condition.column == "class" and said is not None


def _any(condition: Condition) -> bool:
    return True


def _chargeable(condition: Condition) -> bool:
    return condition.kind in ("procedure", "lab", "drug", "diagnosis") and not condition.negated


def _with_part(request: Request, named: Sequence[Condition]) -> Request:
    """What a sentence on a share or a cost names last is what the part must meet."""
    last = next((c for c in reversed(request.conditions) if _among(c, named)), None)
    if last is None:
        return request
    rest = tuple(c for c in request.conditions if c != last)
    return replace(request, conditions=rest, part=(last,))


def _among(condition: Condition, named: Sequence[Condition]) -> bool:
    return any((c.kind, c.phrase) == (condition.kind, condition.phrase) for c in named)


def _measure(request: Request, left: str) -> Goal | None:
    """The goal of words such as "average hemoglobin", which name but a test and which value."""
    measured = ("lab", "vital", "intake", "output")
    kind = next((c.kind for c in request.conditions if c.kind in measured), None)
    said = (w for w, p in words_for("which").items() if re.search(rf"\b(?:{p.pattern})\b", left))
    which = next(said, None)
    return Goal("value", kind, which, "value") if kind and which else None


def _heard(pattern: GoalPattern, text: str) -> Goal | None:
    match = pattern.say.search(text)
    return _read(pattern.goal, match, text) if match else None


def _read(goal: Goal, match: re.Match[str], text: str) -> Goal:
    said = {name: words for name, words in match.groupdict().items() if words}
    kind = meaning("kinds", said.get("kind", said.get("kind2", "")))
    which = meaning("which", said.get("which", said.get("which2", "")))
    top = int(number(said["n"])) if "n" in said else goal.top
    goal = replace(goal, of=goal.of or kind, which=which or goal.which, top=top)
    return _REFINED.get(goal.shape, _as_it_is)(goal, text)


def _as_it_is(goal: Goal, text: str) -> Goal:
    return goal


def _time(goal: Goal, text: str) -> Goal:
    """Which time: the first or the last, or that of the highest or lowest value."""
    if goal.which in ("max", "min"):
        return goal
    which = next((w for w in ("last", "first") if _says_which(w, text)), "all")
    extreme = next((w for w in ("max", "min") if phrase(f"value_{w}").search(text)), "")
    return replace(goal, which=extreme or which)


def _says_which(which: str, text: str) -> bool:
    return re.search(rf"\b(?:{words_for('which')[which].pattern})\b", text) is not None


def _top(goal: Goal, text: str) -> Goal:
    return replace(goal, by="patient" if phrase("by_patients").search(text) else "")


def _share(goal: Goal, text: str) -> Goal:
    return replace(goal, scale=100 if phrase("percent").search(text) else 1)


def _cost(goal: Goal, text: str) -> Goal:
    per = phrase("per").search(text)
    which = "average" if goal.which == "all" and _says_which("average", text) else goal.which
    return replace(goal, which=which, per=meaning("kinds", per["kind"]) if per else "")


def _length(goal: Goal, text: str) -> Goal:
    kind = "icu" if phrase("icu_spoken_of").search(text) else "admission"
    return replace(goal, of=kind, scale=24 if phrase("in_hours").search(text) else 1)


_REFINED = {"time": _time, "top": _top, "share": _share, "cost": _cost, "length": _length}
