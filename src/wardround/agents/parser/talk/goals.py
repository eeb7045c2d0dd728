"""Reads the goal of a sentence: a count, list, time, value, length or share."""

import re
from collections.abc import Sequence
from dataclasses import replace

from wardround.agents.parser.talk.mention_finder import cues_in
from wardround.agents.parser.talk.numbers import number
from wardround.agents.parser.talk.patterns import (
    GoalPattern,
    goal_patterns,
    meaning_of,
    phrase,
    word_patterns,
)
from wardround.agents.parser.talk.request import Clause, Kind, Request, StatedGoal


def read_goal(text: str, before: StatedGoal | None) -> StatedGoal | None:
    """The goal after a sentence: a new one, unless it is weak or only narrows the request.

    >>> goal = read_goal("how many patients were there", None)
    >>> goal.shape, goal.of
    ('count', 'patient')
    >>> read_goal("include only stays for which the admission source was known", goal) == goal
    True
    """
    if is_narrowing(text):
        return before
    goal = next(
        (latest for latest in (_match_goal(p, text) for p in goal_patterns()) if latest), None
    )
    if before is not None and before.shape == "list" and phrase("of_listed").search(text):
        of_listed = before.of in ("patient", "admission", "icu") and before.column == "name"
        return StatedGoal("count", of=before.of) if of_listed else before
    if goal is None or (before is not None and not before.weak and goal.weak):
        return before
    if before is None or before.weak:
        return goal
    if goal.shape == "list" and not phrase("asking").search(text):
        return before  # "a stay where the admission source was the ER" asks for no source
    if goal.weak and before.shape == "list" and goal.shape == "exists":
        return replace(goal, of=before.of)
    if goal.shape == before.shape and goal.which == "all":
        goal = replace(goal, which=before.which)
    if goal.shape == before.shape and not (phrase("asking").search(text) or any(cues_in(text))):
        goal = replace(goal, column=before.column)  # "the last time" names no other column
    if phrase("picks").search(text):
        return replace(goal, of=goal.of or before.of)
    result = "" if goal.of or before.of == "patient" else before.of
    return replace(goal, of=result) if result else goal


def is_narrowing(text: str) -> bool:
    """True if a sentence only includes or excludes records and asks for nothing."""
    return bool(phrase("narrowing").search(text)) and not phrase("asking").search(text)


def with_implied_goal(request: Request, named: Sequence[Clause], remaining: str) -> Request:
    """The request with a goal that is only implied: "when admitted", "average pulse".

    Args:
        request: With the goal and the conditions of the sentence.
        named: The conditions that the sentence names.
        remaining: The sentence.
    """
    for shape, fits in (("share", _is_anything), ("cost", _is_chargeable)):
        if request.goal and request.goal.shape == shape and phrase(shape).search(remaining):
            asks_of_that = shape == "share" and phrase("share_of_that").search(remaining)
            make_part = _as_part if asks_of_that else _with_part
            fitting = [c for c in named if fits(c)]
            is_whole_said = fitting or phrase("of_all").search(remaining)
            request = make_part(request, fitting) if is_whole_said else request
    if any(_asked_which(condition, remaining) for condition in named):
        request = replace(request, goal=StatedGoal("list", of="drug"))
    if request.goal is None or request.goal.weak:
        request = replace(request, goal=_measure(request, remaining) or request.goal)
    if request.goal and request.goal.shape == "list" and request.goal.of in ("intake", "output"):
        is_named = any(c.kind == request.goal.of and c.phrase for c in named)
        value = replace(request.goal, shape="value", column="value")
        request = replace(request, goal=value) if is_named else request
    kinds = [kind for kind in cues_in(remaining) if kind != "cost"]
    if phrase("times_counted").search(remaining):
        request = replace(request, goal=_counted(request, kinds))
    goal = request.goal
    if goal is None or not kinds or request.target_kind() or is_narrowing(remaining):
        return request
    if goal.shape in ("time", "elapsed", "list", "exists", "value"):
        return replace(request, goal=replace(goal, of=kinds[0]))
    return request


def _counted(request: Request, kinds: Sequence[Kind]) -> StatedGoal | None:
    """The goal of "how many times", which counts events; None if it is not plain which.

    An admission is counted by its verb alone: "admitted" beside "received" may be either's.
    """
    goal = request.goal
    if goal is None or goal.shape != "count":
        return goal
    if "admission" in kinds:
        return replace(goal, of="admission") if len(kinds) == 1 else None
    is_plain = len(kinds) == 1 and not request.target_kind()
    return replace(goal, of=kinds[0]) if is_plain else goal


def _asked_which(condition: Clause, remaining: str) -> bool:
    """True if a member of a class of drugs is asked for: "which other statin"."""
    which = r"\b(?:which|what|names? of)(?: (?:the|any|other|kind of|type of))*"
    wording = re.search(rf"{which} {re.escape(condition.phrase)}\b", remaining)
    return condition.column == "class" and wording is not None


def _is_anything(condition: Clause) -> bool:
    return True


def _is_chargeable(condition: Clause) -> bool:
    return condition.kind in ("procedure", "lab", "drug", "diagnosis") and not condition.is_negated


def _with_part(request: Request, named: Sequence[Clause]) -> Request:
    """Make the last condition of a sentence on a share or cost that of the part."""
    last = next((c for c in reversed(request.conditions) if _is_among(c, named)), None)
    if last is None:
        return request
    rest = tuple(c for c in request.conditions if c != last)
    return replace(request, conditions=rest, part=(last,))


def _as_part(request: Request, named: Sequence[Clause]) -> Request:
    """Make the request before the numerator of a share of what a sentence names."""
    part = tuple(c for c in request.all_conditions() if not _is_among(c, named))
    whole = tuple(c for c in request.conditions if _is_among(c, named))
    return replace(request, conditions=whole, part=part)


def _is_among(condition: Clause, named: Sequence[Clause]) -> bool:
    return any((c.kind, c.phrase) == (condition.kind, condition.phrase) for c in named)


def _measure(request: Request, remaining: str) -> StatedGoal | None:
    """The goal of phrases such as "average hemoglobin", which name only a test and a statistic."""
    measured = ("lab", "vital", "intake", "output")
    kind = next((c.kind for c in request.conditions if c.kind in measured), None)
    wording = (
        w
        for w, p in word_patterns("which").items()
        if re.search(rf"\b(?:{p.pattern})\b", remaining)
    )
    which = next(wording, None)
    return StatedGoal("value", of=kind, which=which, column="value") if kind and which else None


def _match_goal(pattern: GoalPattern, text: str) -> StatedGoal | None:
    match = pattern.say.search(text)
    return _goal_of(pattern.goal, match, text) if match else None


def _goal_of(goal: StatedGoal, match: re.Match[str], text: str) -> StatedGoal:
    wording = {name: words for name, words in match.groupdict().items() if words}
    kind = meaning_of("kinds", wording.get("kind", wording.get("kind2", "")))
    which = meaning_of("which", wording.get("which", wording.get("which2", "")))
    top = int(number(wording["n"])) if "n" in wording else goal.top
    column = "test" if _asks_for_tests(kind, wording) else goal.column
    goal = replace(goal, of=goal.of or kind, column=column, which=which or goal.which, top=top)
    return _REFINEMENTS.get(goal.shape, _unchanged)(goal, text)


def _asks_for_tests(kind: str, wording: dict[str, str]) -> bool:
    """True if the tests of cultures are asked for, rather than what grew."""
    return kind == "culture" and "test" in wording.get("kind", wording.get("kind2", ""))


def _unchanged(goal: StatedGoal, text: str) -> StatedGoal:
    return goal


def _time(goal: StatedGoal, text: str) -> StatedGoal:
    """Refine which time: the first, the last, or that of the highest or lowest value."""
    if goal.which in ("max", "min"):
        return goal
    which = next((w for w in ("last", "first") if _says_which(w, text)), "all")
    extreme = next((w for w in ("max", "min") if phrase(f"value_{w}").search(text)), "")
    return replace(goal, which=extreme or which)


def _says_which(which: str, text: str) -> bool:
    return re.search(rf"\b(?:{word_patterns('which')[which].pattern})\b", text) is not None


def _top(goal: StatedGoal, text: str) -> StatedGoal:
    return replace(goal, ranked="patient" if phrase("by_patients").search(text) else "")


def _share(goal: StatedGoal, text: str) -> StatedGoal:
    return replace(goal, scale=100 if phrase("percent").search(text) else 1)


def _cost(goal: StatedGoal, text: str) -> StatedGoal:
    per = phrase("per").search(text)
    which = "average" if goal.which == "all" and _says_which("average", text) else goal.which
    return replace(goal, which=which, per=meaning_of("kinds", per["kind"]) if per else "")


def _length(goal: StatedGoal, text: str) -> StatedGoal:
    kind = "icu" if phrase("icu_spoken_of").search(text) else "admission"
    return replace(goal, of=kind, scale=24 if phrase("in_hours").search(text) else 1)


_REFINEMENTS = {"time": _time, "top": _top, "share": _share, "cost": _cost, "length": _length}
