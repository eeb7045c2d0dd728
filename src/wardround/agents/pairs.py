"""Questions with their SQL, for agents to learn from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from wardround.ehr.records import RecordMap


class Pair(NamedTuple):
    """A question and its SQL; None where the records cannot answer it."""

    question: str
    sql: str | None


@dataclass(frozen=True, slots=True)
class TrainingPairs:
    """Pairs from a pair source.

    Attributes:
        pairs: Questions worded as users ask them.
        background: Further pairs for kinds that the others lack.
        words: SQL for the words that queries leave open, such as `current_time`.
        records: The record map whose kinds of record are the tables of the SQL; questions are read
            by it alone where there are no pairs.
    """

    pairs: Sequence[Pair]
    background: Sequence[Pair] = ()
    words: Mapping[str, str] = field(default_factory=dict)
    records: RecordMap | None = None
