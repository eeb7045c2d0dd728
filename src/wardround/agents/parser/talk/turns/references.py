"""Tells what a turn points back to, and whether the reading of it still holds that."""

import re
from dataclasses import replace
from typing import Literal

from wardround.agents.parser.talk.patterns import phrase
from wardround.agents.parser.talk.request import OF_PEOPLE, Clause, Request

_REFERENCES = ("person", "people", "visit", "thing", "place", "likeness")
_THINGS = ("name", "class")  # columns that name the thing itself
_DETAILS = ("bounds", "periods", "relation", "is_in_icu")  # of a condition
_ENDS = ("first", "last", "max", "min")


def has_reference(wording: str) -> bool:
    """True if a turn has words that may point to something said before.

    >>> has_reference("How many ICU stays in that admission?")
    True
    >>> has_reference("How many women lost their husbands?")
    False
    """
    return any(_reference(name, _plain(wording)) for name in _REFERENCES)


def without_own_pronouns(low: str) -> str:
    """A turn in lower case without pronouns for people whom it names, and without "there are".

    >>> without_own_pronouns("how many women were there, and their sons?")
    'how many women , and  sons?'
    """
    low = phrase("expletive").sub("", low)
    named = phrase("names_people").search(low) or phrase("patient").search(low)
    if named is None:
        return low
    return low[: named.end()] + phrase("own_pronoun").sub("", low[named.end() :])


def dangling_reference(before: Request, after: Request, wording: str) -> str:
    """A reference of a turn to what neither it nor the question before it names; or "".

    Args:
        before: The request that the turn goes on from; an empty one if it begins anew.
        after: The request after the turn.
        wording: The user's words.
    """
    low, goes_on = _plain(wording), before.turns > 0
    people, visit, thing, place = (
        _reference(name, low) for name in ("people", "visit", "thing", "place")
    )
    if people and not goes_on and not phrase("new_group").match(low[people.end() :]):
        return people[0]
    if visit:
        return "" if _is_one_visit(before, after) else visit[0]
    if thing and not (goes_on or any(each.phrase for each in after.clauses())):
        return thing[0]
    if thing and _is_of_many_times(after):
        return thing[0]
    if thing and _is_pinned(before) and not (_is_pinned(after) or after.visit or after.stay):
        return thing[0]
    is_named = place and any(place[0] in each.phrase for each in after.clauses())
    return place[0] if place and not is_named else ""


def with_visit_meant(before: Request, wording: str) -> Request:
    """The request before a turn, on the one visit that it gave if the turn is about "that visit".

    >>> from wardround.agents.parser.talk.request import StatedGoal
    >>> asked = Request(StatedGoal("time", "admission", which="last"), patient="7", turns=1)
    >>> with_visit_meant(asked, "How many ICU stays in that admission?").visit
    'last'
    """
    goal = before.goal
    is_meant = _reference("visit", _plain(wording)) and not (before.visit or before.stay)
    if goal is None or not (is_meant and before.patient and goal.which in ("first", "last")):
        return before
    end: Literal["first", "last"] = "first" if goal.which == "first" else "last"
    if before.conditions or goal.of not in ("admission", "icu"):
        return before
    return replace(before, stay=end) if goal.of == "icu" else replace(before, visit=end)


def lost_condition(before: Request, after: Request) -> Clause | None:
    """A condition of the last question that a turn neither keeps nor clearly replaces.

    A new condition that could replace either of two is not clear.
    """
    new = [each for each in after.all_conditions() if each not in before.all_conditions()]
    for old in before.all_conditions():
        if old.opening or any(_is_kept(old, each) for each in after.all_conditions()):
            continue
        rivals = [each for each in before.all_conditions() if _is_rival(each, old)]
        if len(rivals) > 1 or not any(_is_rival(old, each) for each in new):
            return old
    return None


def doubtful_addition(before: Request, after: Request, wording: str) -> Clause | None:
    """A condition of a turn that may take the place of one before it, but was added to it.

    A person has one marital status at a time, and "Warfarin?" after heparin may mean either.
    """
    low = wording.lower()
    new = [each for each in after.all_conditions() if each not in before.all_conditions()]
    unchanged = [each for each in before.all_conditions() if each in after.all_conditions()]
    is_plain = phrase("asking").search(low) or phrase("narrowing").search(low)
    adds = is_plain or phrase("at_once").search(low)
    for each in new:
        has_one = each.kind in OF_PEOPLE and each.column not in _THINGS
        beside = [old for old in unchanged if _is_rival(old, each) and not old.either]
        if any(_contradicts(old, each) for old in unchanged):
            return each
        if each.phrase and not each.is_negated and beside and (has_one or not adds):
            return each
        is_measured = after.goal is not None and after.goal.shape == "length"
        if is_measured and before.turns and not each.phrase and each.kind == "icu" and not adds:
            return each
    return None


def lost_scope(before: Request, after: Request) -> str:
    """The patient, visit or period of the question before that a reading has lost; or ""."""
    scopes = {
        "patient": (before.patient, after.patient),
        "hospital visit": (before.visit, after.visit or after.stay),
        "ICU stay": (before.stay, after.stay or after.visit),
        "first hours": (before.hours, after.hours),
        "readmission": (before.again, after.again),
    }
    return next((name for name, (old, new) in scopes.items() if old and not new), "")


def _plain(wording: str) -> str:
    return wording.lower().replace("\u2019", "'")


def _reference(name: str, low: str) -> re.Match[str] | None:
    """A reference that the turn itself does not resolve, as it does in "patients and their"."""
    text = phrase("lead").sub("", low) if name == "place" else low
    match = phrase(f"{name}_reference").search(text)
    is_of_people = match is not None and name in ("people", "person")
    if match is None or not is_of_people or match[0] in ("those", "these"):
        return match
    named = "names_people" if name == "people" else "patient"
    return None if phrase(named).search(text[: match.start()]) else match


def _is_one_visit(before: Request, after: Request) -> bool:
    """True if a reading holds the one visit that "that admission" points to.

    For several people, it is the visit of each that holds the records named before.
    """
    if after.visit or after.stay:
        return True
    events = [each for each in after.all_conditions() if each.kind not in OF_PEOPLE and each.phrase]
    return not after.patient and after.same_visit and len(events) > 0 and before.again is None


def _is_of_many_times(request: Request) -> bool:
    """True if a request is for the times, values or lengths of the records of many people."""
    goal = request.goal
    is_single = goal is not None and goal.shape in ("time", "value", "length")
    return goal is not None and is_single and goal.which == "all" and not request.patient


def _is_pinned(request: Request) -> bool:
    """True if a request is for one of several records, such as the last."""
    return request.goal is not None and request.goal.which in _ENDS


def _is_kept(old: Clause, new: Clause) -> bool:
    is_same = (old.kind, old.column, old.is_negated) == (new.kind, new.column, new.is_negated)
    is_named = new.phrase == old.phrase or new.phrase.endswith(f" {old.phrase}")
    was, now = old.condition, new.condition
    keeps_details = all(getattr(now, each) for each in _DETAILS if getattr(was, each))
    return is_same and is_named and keeps_details


def _contradicts(old: Clause, new: Clause) -> bool:
    named = [(each.kind, each.column, each.phrase) for each in (old, new)]
    return named[0] == named[1] and old.is_negated != new.is_negated


def _is_rival(old: Clause, new: Clause) -> bool:
    is_thing = old.column in _THINGS and new.column in _THINGS
    is_alike = old.kind == new.kind and (is_thing or old.column == new.column)
    return is_alike and bool(old.phrase) == bool(new.phrase)
