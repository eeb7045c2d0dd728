"""What samples agree on: they vote by what their queries give, not by how they are written."""

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
        sql: its query; None where it says that there is no answer, or says nothing.
        result: what its query gives, alike for like results; `NO_ANSWER` where it says so, None
            where the query fails or the sample could not be read.
    """

    sql: str | None
    result: str | None


@dataclass(frozen=True, slots=True)
class Decision:
    """What comes of the votes.

    Attributes:
        sql: the query to answer with, None to abstain.
        confidence: how sure one may be of that, from 0 to 1.
        reason: why there is none.
    """

    sql: str | None
    confidence: float
    reason: str = ""


def decide(votes: Sequence[Vote], threshold: float) -> Decision:
    """The first query of those that most samples agree with, or none.

    Samples that failed agree with nobody and count all the same. Of two results with as many
    votes the one that was drawn first is taken.

    Args:
        votes: at least one.
        threshold: the least share of votes that an answer needs.

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
    """What `run_sql` returned, in a form that is the same for the same rows; None for an error.

    Columns may be called anything and rows come in any order; numbers are taken at three decimals.

    >>> result_of('{"columns": ["n"], "rows": [[2.0001], [1]], "truncated": false}')
    '[["1.0"],["2.0"]]'
    >>> result_of("Error: no such table")
    """
    if not text.startswith("{"):
        return None
    found, _ = JSONDecoder().raw_decode(text)  # what is left of a budget may follow
    rows = [[_cell(cell) for cell in row] for row in found["rows"]]
    return orjson.dumps(sorted(rows)).decode()


def _cell(value: Any) -> str:
    try:
        return str(round(float(value), DECIMALS))
    except (TypeError, ValueError):
        return str(value)
