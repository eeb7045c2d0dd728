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
# Requests that a finished talk may leave out: what was found, and how to write the answer.
_OPTIONAL = re.compile(r"If (?!.*\b(?:no|not)\b)|.*\bthe (?:answer|number)\b.*\b(?:as|in|given)\b")


def failure_of(task: ChatTask, trajectory: Trajectory) -> Failure:
    """The cause of a trial's failure; "undecided" where a program cannot tell.

    The query with the fewest differences from the gold decides. If its differences have several
    causes, each of which is enough, or may be none, the cause is undecided, unless it can differ in
    logic only.
    """
    queries = [query.sql for query in queries_of(trajectory)]
    lost = _cause_of_loss(task.hidden.instruction, trajectory.said_by("user"))
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
    if _has_other_numbers(task.hidden.instruction, trajectory.said_by("user")):
        return "undecided"
    found = [(query_differences(gold, each), each) for each in attempts]
    nearest, attempt = min(found, key=lambda each: len(each[0]))
    cause = _cause(nearest, {**_CAUSES, "lost": lost}, is_adapt)
    is_logic = not is_adapt and {*nearest} <= _LOGIC and differs_in_logic_only(gold, attempt)
    return "SQL" if cause == "undecided" and nearest and is_logic else cause


def unsaid(instruction: str, said: Sequence[str]) -> tuple[str, ...]:
    """The requests of an instruction that a user did not come to say.

    A request was said if one of the words that it alone has was.
    """
    words = content_words(" ".join(said))
    of = [content_words(each) for each in sentences(instruction)]
    return tuple(
        request
        for number, request in enumerate(sentences(instruction)[1:], 1)
        if not _OPTIONAL.match(request)
        and (alone := of[number].difference(*of[:number], *of[number + 1 :]))
        and not alone & words
    )


def _cause_of_loss(instruction: str, said: Sequence[str]) -> Failure:
    """The cause if a query lacks a condition: the agent's SQL, unless the user did not say it.

    Undecided if the user may have said it in words of its own.
    """
    if not unsaid(instruction, said):
        return "SQL"
    lines = {line for each in packaged("user_wordings").values() for line in each}
    own = " ".join(text for text in said[1:] if text not in lines and text != END)
    return (
        "undecided" if content_words(own) - content_words(instruction) else "unresolved ambiguity"
    )


def _has_other_numbers(instruction: str, said: Sequence[str]) -> bool:
    """True if a user said numbers in place of those of the instruction."""
    wanted, given = (set(_NUMBER.findall(text)) for text in (instruction, " ".join(said)))
    return bool(wanted - given and given - wanted)


def _answers(trajectory: Trajectory) -> list[str]:
    return [text for message in trajectory.said_by("agent") for text in tagged_answers(message)]


def _cause(
    differences: Sequence[Difference], causes: Mapping[Difference, Failure], is_adapt: bool
) -> Failure:
    """The one cause that all differences have; undecided if there are several, or none."""
    found = {causes[each] for each in differences}
    if len(found) != 1 or (is_adapt and "some things" in differences):
        return "undecided"  # AdaptQA: the rest was not known, or known and not looked up
    (cause,) = found
    return "clinical knowledge" if is_adapt and "other things" in differences else cause
