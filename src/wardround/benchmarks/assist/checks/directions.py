"""Directions of a part of an answer, such as rising or stopping, beside those of a statement."""

from wardround.benchmarks.assist.checks.items import Statement
from wardround.benchmarks.assist.checks.lexicon import ALIKE, OPPOSITES, Meaning, meanings
from wardround.benchmarks.assist.checks.readings import Reading, is_about
from wardround.benchmarks.assist.checks.sentences import points_back, segments
from wardround.benchmarks.assist.tasks import Language
from wardround.ehr.terms.chinese import plain

# Directions that a neighbour's verb does not give to a thing.
_OF_A_SUBJECT = frozenset({"stop", "less", "more"})


def has_directions(statement: Statement, reading: Reading) -> bool:
    """True if a window says each direction or its opposite."""
    found = directions_of(reading)
    return all(found & (group | opposites(group)) for group in groups(statement))


def opposites(group: frozenset[Meaning]) -> frozenset[Meaning]:
    """The directions that exclude one of a group."""
    return frozenset(opposite for each in group for opposite in OPPOSITES.get(each, ()))


def groups(statement: Statement) -> list[frozenset[Meaning]]:
    """The directions of a statement, those together of which either is meant."""
    wanted = frozenset(statement.directions)
    either = [group for group in ALIKE if group <= wanted]
    single = wanted.difference(*either)
    return [*either, *(frozenset({each}) for each in sorted(single))]


def directions_of(reading: Reading) -> frozenset[Meaning]:
    """The directions of a window; without a word for it, two numbers tell a rise from a fall."""
    found = meanings(reading.text)
    values = [q.value for q in reading.quantities]
    spoken = plain(reading.text)
    if found & {"rise", "fall"} or len(values) < 2 or not ("from" in spoken or "由" in spoken):
        return found
    return found | ({"rise"} if values[1] > values[0] else {"fall"})


def says_directions(
    statement: Statement, group: frozenset[Meaning], reading: Reading, language: Language
) -> bool:
    """True if a window says a direction, of the subject itself if anything is said of that."""
    parts = segments(reading.text)
    about = [part for part in parts if is_about(statement, Reading(part), language)]
    said = [meanings(part) & (group | opposites(group)) for part in about]
    near = [each for each in said if each]
    if near:
        return any(each & group for each in near)
    if about and group & _OF_A_SUBJECT:
        return any(points_back(part) and meanings(part) & group for part in parts)
    return bool(directions_of(reading) & group)
