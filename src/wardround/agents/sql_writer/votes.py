"""Votes of samples, by the results of their queries, not by their texts."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from json import JSONDecoder
from typing import Any

import orjson

DECIMALS = 3
NO_ANSWER = "no answer"


@dataclass(frozen=True, slots=True)
class Vote:
    """One sample.

    Attributes:
        sql: its query; None if the sample could not be read.
        result: the query's result in a canonical form; `NO_ANSWER` if the sample says that there
            is none, None if the query failed, was not tried, or the sample could not be read.
    """

    sql: str | None
    result: str | None


@dataclass(frozen=True, slots=True)
class Decision:
    """The outcome of a vote.

    Attributes:
        sql: the query to submit, None to abstain.
        confidence: the confidence in that, from 0 to 1.
        reason: why there is no query.
    """

    sql: str | None
    confidence: float
    reason: str = ""


def decide(votes: Sequence[Vote], threshold: float) -> Decision:
    """Chooses the first query with the result that most samples have, or none.

    Samples without a result count towards the total. Of two results with equal votes the one
    sampled first wins.

    Args:
        votes: at least one.
        threshold: the least share of votes for an answer.

    >>> decide([Vote("a", "[1]"), Vote("b", "[1]"), Vote("c", None)], 0.5)
    Decision(sql='a', confidence=0.6666666666666666, reason='')
    >>> decide([Vote("a", "[1]"), Vote(None, "no answer"), Vote("c", None)], 0.5).sql is None
    True
    """
    counts = Counter(vote.result for vote in votes if vote.result is not None)
    if not counts:
        return Decision(None, 1.0, "no sample gives a query that runs")
    [(result, number)] = counts.most_common(1)
    share = number / len(votes)
    if result == NO_ANSWER:
        return Decision(None, share, f"{number} of {len(votes)} samples see no answer")
    if share < threshold:
        return Decision(None, 1 - share, f"only {number} of {len(votes)} samples agree")
    return Decision(next(vote.sql for vote in votes if vote.result == result), share)


def result_of(text: str) -> str | None:
    """The result of a query in canonical form; None for an error.

    Column names and the order of rows do not count; numbers are rounded to three decimals.

    >>> result_of('{"columns": ["n"], "rows": [[2.0001], [1]], "truncated": false}')
    '[["1.0"],["2.0"]]'
    >>> result_of("Error: no such table")
    """
    if not text.startswith("{"):
        return None
    found, _ = JSONDecoder().raw_decode(text)  # the rest of the budget may follow
    rows = [[_cell(cell) for cell in row] for row in found["rows"]]
    return orjson.dumps(sorted(rows)).decode()


def _cell(value: Any) -> str:
    try:
        return str(round(float(value), DECIMALS))
    except (TypeError, ValueError):
        return str(value)
