"""The cause of an agent's failure, as far as the trajectory decides it (Lee et al. 2025, 5.3)."""

import re
from collections.abc import Mapping, Sequence

from wardround.benchmarks.chatqa.answers import tagged_answers
from wardround.benchmarks.chatqa.failures import Failure
from wardround.benchmarks.chatqa.failures.fact_reader import read_query
from wardround.benchmarks.chatqa.failures.query_differences import (
    Difference,
    differs_in_logic_only,
    query_differences,
)
from wardround.benchmarks.chatqa.failures.query_facts import QueryFacts
from wardround.benchmarks.chatqa.judge import queries_of
from wardround.benchmarks.chatqa.tasks import ChatTask
from wardround.core.trajectory import Trajectory
from wardround.people.patterns import content_words, packaged
from wardround.people.person import END
from wardround.people.sentences import sentences

_CAUSES: Mapping[Difference, Failure] = {
    "clock": "rule of the database",
    "lost": "SQL",
    "changed": "SQL",
    "other names": "value linking",
    "some things": "value linking",
    "other things": "value linking",
    "unclear": "undecided",
}
# A query of a failed IncreQA trial that may mean the same as the gold does not: its result differs.
_LOGIC: frozenset[Difference] = frozenset({"changed", "unclear"})
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_EXTREME = re.compile(
    r"\b(?:\w{2,}est|most|least|first|last|recent|max\w*|min(?:imum|imal)?|peak)\b", re.I
)
# Words without which nobody asks for an aggregate.
_AGGREGATES = {
    "AVG": re.compile(r"\b(?:averages?|means?|typical\w*)\b", re.I),
    "MIN": _EXTREME,
    "MAX": _EXTREME,
}
# Requests that a finished talk may leave out: what was found, and how to write the answer.
_OPTIONAL = re.compile(r"If (?!.*\b(?:no|not)\b)|.*\bthe (?:answer|number)\b.*\b(?:as|in|given)\b")


def failure_of(task: ChatTask, trajectory: Trajectory) -> Failure:
    """The cause of a trial's failure; "undecided" where a program cannot tell.

    The query with the fewest differences from the gold decides. If its differences have several
    causes, each of which is enough, or may be none, the cause is undecided, unless it can differ in
    logic only. A wrong measure or limit is not blamed on the agent's SQL if the user never said it.
    """
    queries = [query.sql for query in queries_of(trajectory)]
    messages = trajectory.said_by("user")
    lost = _cause_of_loss(task.hidden.instruction, messages)
    is_adapt = task.public.flow == "adapt"
    if lost == "unresolved ambiguity" and (is_adapt or not queries):
        return lost
    if not queries or (is_adapt and not _answers(trajectory)):
        return "gave up"
    gold = read_query(task.hidden.gold_sql)
    attempts = [facts for sql in reversed(queries) if (facts := read_query(sql))]
    if not attempts:
        return "SQL"
    if gold is None:
        return "undecided"
    if _has_other_numbers(task.hidden.instruction, messages):
        return "undecided"
    compared = [(query_differences(gold, each), each) for each in attempts]
    nearest, attempt = min(compared, key=lambda each: len(each[0]))
    is_said = _is_aggregate_said(gold, messages) and not _requests_without_numbers(
        task.hidden.instruction, messages
    )
    changed: Failure = "SQL" if is_said else "undecided"
    cause = _cause(nearest, {**_CAUSES, "lost": lost, "changed": changed}, is_adapt)
    is_logic = not is_adapt and {*nearest} <= _LOGIC and differs_in_logic_only(gold, attempt)
    return changed if cause == "undecided" and nearest and is_logic else cause


def unstated_requests(instruction: str, messages: Sequence[str]) -> tuple[str, ...]:
    """The requests of an instruction that the user never stated.

    A request was said if one of the words that it alone has was, and one of its numbers if it has
    any.
    """
    words = content_words(" ".join(messages))
    without_number = _requests_without_numbers(instruction, messages)
    return tuple(
        request
        for request, alone in _own_words(instruction).items()
        if not alone & words or request in without_number
    )


def _requests_without_numbers(instruction: str, messages: Sequence[str]) -> tuple[str, ...]:
    """The requests with numbers of which a user said none."""
    numbers = set(_NUMBER.findall(" ".join(messages)))
    asked = {request: set(_NUMBER.findall(request)) for request in _own_words(instruction)}
    return tuple(request for request, needed in asked.items() if needed and not needed & numbers)


def _own_words(instruction: str) -> dict[str, frozenset[str]]:
    """The requests of an instruction that a finished talk needs, with the words each alone has."""
    written = sentences(instruction)
    words = [content_words(each) for each in written]
    own_words = {
        request: words[number].difference(*words[:number], *words[number + 1 :])
        for number, request in enumerate(written)
        if number and not _OPTIONAL.match(request)
    }
    return {request: alone for request, alone in own_words.items() if alone}


def _cause_of_loss(instruction: str, messages: Sequence[str]) -> Failure:
    """The cause if a query lacks a condition: the agent's SQL, unless the user did not say it.

    Undecided if the user may have said it in words of its own: in a message that says none of the
    other requests.
    """
    missing = unstated_requests(instruction, messages)
    if not missing:
        return "SQL"
    lines = {line for each in packaged("user_wordings").values() for line in each}
    others = [alone for request, alone in _own_words(instruction).items() if request not in missing]
    unplaced = [
        text
        for text in messages[1:]
        if text not in lines
        and text != END
        and all(alone.isdisjoint(content_words(text)) for alone in others)
    ]
    own_words = content_words(" ".join(unplaced)) - content_words(instruction)
    return "undecided" if own_words else "unresolved ambiguity"


def _is_aggregate_said(gold: QueryFacts, messages: Sequence[str]) -> bool:
    """True unless the gold takes a mean or an extreme and the user has no word for one."""
    words = _AGGREGATES.get(gold.results[0].aggregate) if gold.results else None
    return words is None or bool(words.search(" ".join(messages)))


def _has_other_numbers(instruction: str, messages: Sequence[str]) -> bool:
    """True if a user said numbers in place of those of the instruction."""
    instructed, stated = (set(_NUMBER.findall(text)) for text in (instruction, " ".join(messages)))
    return bool(instructed - stated and stated - instructed)


def _answers(trajectory: Trajectory) -> list[str]:
    return [text for message in trajectory.said_by("agent") for text in tagged_answers(message)]


def _cause(
    differences: Sequence[Difference], causes: Mapping[Difference, Failure], is_adapt: bool
) -> Failure:
    """The one cause that all differences have; undecided if there are several, or none.

    The machine's clock is enough whatever else is not understood.
    """
    if "clock" in differences and {*differences} <= {"clock", "unclear"}:
        return causes["clock"]
    possible = {causes[each] for each in differences}
    if len(possible) != 1 or (is_adapt and "some things" in differences):
        return "undecided"  # AdaptQA: the rest was not known, or known and not looked up
    (cause,) = possible
    return "clinical knowledge" if is_adapt and "other things" in differences else cause
