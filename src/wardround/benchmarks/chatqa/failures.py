"""The cause of an agent's failure, as far as the trajectory decides it (Lee et al. 2025, 5.3)."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from wardround.benchmarks.chatqa.answers import tagged_answers
from wardround.benchmarks.chatqa.judge import queries_of
from wardround.benchmarks.chatqa.tasks import ChatTask
from wardround.benchmarks.kit.evidence import nearest
from wardround.core.trajectory import Trajectory
from wardround.people.patterns import content_words
from wardround.people.sentences import sentences

Failure: TypeAlias = Literal[
    "value linking",
    "SQL",
    "clinical knowledge",
    "rule of the database",
    "unresolved ambiguity",
    "gave up",
    "undecided",
]
Texts: TypeAlias = Mapping[str, frozenset[str]]

_DIALECT = "sqlite"
# Requests that a finished talk may leave out: what was found, and how to write the answer.
_OPTIONAL = re.compile(r"If (?!.*\b(?:no|not)\b)|.*\bthe (?:answer|number)\b.*\b(?:as|in|given)\b")
_TIME = re.compile(r"[\d\s:.+-]*|[+-]?\d+ \w+|start of \w+|(?:%\w\W?)+")


def failure_of(task: ChatTask, trajectory: Trajectory) -> Failure:
    """The cause of a trial's failure; "undecided" where a program cannot tell.

    The query that is nearest to the gold is compared with it: a condition of the gold that it
    lacks without another in its place, or another aggregate, is SQL; other texts for a column of
    the gold are value linking, or in AdaptQA, if none is the gold's, clinical knowledge.
    """
    queries = [query.sql for query in queries_of(trajectory)]
    if unsaid(task.hidden.instruction, trajectory.said_by("user")):
        return "unresolved ambiguity"
    if not queries or (task.public.flow == "adapt" and not _answers(trajectory)):
        return "gave up"
    gold, attempt = _parsed(task.hidden.gold_sql), _parsed(nearest(task.hidden.gold_sql, queries))
    if attempt is None:
        return "SQL"
    if gold is None:
        return "undecided"
    return _difference(gold, attempt, task.public.flow)


def unsaid(instruction: str, said: Sequence[str]) -> tuple[str, ...]:
    """The requests of an instruction that a user did not come to say.

    A request was said if one of the words that it alone has was.
    """
    words = content_words(" ".join(said))
    requests = sentences(instruction)[1:]
    of = [content_words(each) for each in requests]
    return tuple(
        request
        for number, request in enumerate(requests)
        if not _OPTIONAL.match(request)
        and (alone := of[number].difference(*of[:number], *of[number + 1 :]))
        and not alone & words
    )


def _answers(trajectory: Trajectory) -> list[str]:
    return [text for message in trajectory.said_by("agent") for text in tagged_answers(message)]


def _parsed(sql: str) -> exp.Query | None:
    try:
        tree = sqlglot.parse_one(sql, dialect=_DIALECT)
    except SqlglotError:
        return None
    return tree if isinstance(tree, exp.Query) else None


def _difference(gold: exp.Query, attempt: exp.Query, flow: str) -> Failure:
    if _reads_clock(attempt) and not _reads_clock(gold):
        return "rule of the database"
    wanted, given = _texts(gold), _texts(attempt)
    lost = (wanted.keys() - given.keys()) | (_numbers(gold) - _numbers(attempt))
    added = (given.keys() - wanted.keys()) | (_numbers(attempt) - _numbers(gold))
    if lost:
        # A condition may be written by other columns or units.
        return "undecided" if added else "SQL"
    if _has_other_result(gold, attempt):
        return "SQL"
    missing = {column: _uncovered(texts, given[column]) for column, texts in wanted.items()}
    if any(missing.values()):
        none_is_right = any(missing[column] == wanted[column] for column in wanted)
        return "clinical knowledge" if flow == "adapt" and none_is_right else "value linking"
    # Patterns may match more than the gold's texts.
    return "undecided" if added or given != wanted else "SQL"


def _reads_clock(tree: exp.Query) -> bool:
    """True if a query reads the clock of the machine, which the rules of the database forbid."""
    clock = exp.CurrentDate, exp.CurrentTime, exp.CurrentTimestamp
    return any(tree.find_all(*clock)) or any(
        each.is_string and each.name.lower() == "now" for each in tree.find_all(exp.Literal)
    )


def _texts(tree: exp.Query) -> Texts:
    """The texts and patterns that columns are compared with, in lower case."""
    texts: defaultdict[str, set[str]] = defaultdict(set)
    for test in tree.find_all(exp.EQ, exp.NEQ, exp.In, exp.Like, exp.ILike):
        column = test.this.find(exp.Column)
        if column is None:
            continue
        for literal in test.find_all(exp.Literal):
            text = literal.name.lower().strip()
            if literal.is_string and not _TIME.fullmatch(text):
                texts[_origin(column)].add(text)
    return {column: frozenset(found) for column, found in texts.items()}


def _origin(column: exp.Column) -> str:
    """The stored column behind one of a subquery, by name in lower case."""
    select = column.find_ancestor(exp.Select)
    while select is not None:
        for source in select.find_all(exp.Subquery):
            if source.alias and source.alias == column.table:
                for each in source.this.selects:
                    if each.alias_or_name == column.name and (stored := each.find(exp.Column)):
                        return str(stored.name).lower()
        select = select.find_ancestor(exp.Select)
    return str(column.name).lower()


def _numbers(tree: exp.Query) -> set[str]:
    """The numbers that columns are compared with by their order."""
    return {
        each.name
        for test in tree.find_all(exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)
        for each in test.find_all(exp.Literal)
        if not each.is_string
    }


def _has_other_result(gold: exp.Query, attempt: exp.Query) -> bool:
    """True if a query returns another aggregate than the gold, or counts repetitions."""
    wanted, given = _aggregates(gold), _aggregates(attempt)
    if wanted and given and wanted != given:
        return True
    is_distinct = bool(attempt.find(exp.Distinct, exp.Group))
    return "Count" in given and bool(gold.find(exp.Distinct)) and not is_distinct


def _aggregates(tree: exp.Query) -> set[str]:
    select = tree.find(exp.Select)
    results = select.expressions if select else []
    return {type(each).__name__ for result in results for each in result.find_all(exp.AggFunc)}


def _uncovered(wanted: frozenset[str], given: frozenset[str]) -> frozenset[str]:
    """The texts of the gold that no text or pattern of the attempt matches."""
    return frozenset(text for text in wanted if not any(_covers(each, text) for each in given))


def _covers(pattern: str, text: str) -> bool:
    """True if a text is a pattern's, or a pattern is a part of a gold's pattern."""
    if "%" not in pattern:
        return pattern == text
    return pattern.strip("%") in text
