"""The parser: a question in, SQL out, with how sure it is and what it understood."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from wardround.agents.parser.confidence import NOTHING, Calibration, Evidence
from wardround.agents.parser.deciding import Decider, Likely
from wardround.agents.parser.explaining import explained
from wardround.agents.parser.features import features
from wardround.agents.parser.filling import sql_of
from wardround.agents.parser.fitting import Fitted, fitted
from wardround.agents.parser.kinds import Speech, Variant
from wardround.agents.parser.linking import ValueIndex
from wardround.agents.parser.model import Floats
from wardround.agents.parser.reading import Reading, read
from wardround.agents.parser.running import Rows, rows_of
from wardround.ehr.database import Database

# How many kinds are laid on a question, and how many of the queries are run.
_KINDS = 25
_RUN = 3

# A query that finds nothing is no answer, unless nothing else is nearly as good (a logarithm).
_EMPTY = 3.0

# Numbers of more digits name somebody or something.
_NAMING = 4


@dataclass(frozen=True)
class Parsed:
    """What the parser makes of a question.

    Attributes:
        sql: The query that it answers with; None where it refuses.
        confidence: The chance that the best query is right.
        guess: The best query, whether or not it is answered with; None where there is none.
        explanation: The kind of question, the values and the times understood, in words.
    """

    sql: str | None
    confidence: float
    guess: str | None
    explanation: str


@dataclass(frozen=True)
class Candidate:
    """A query for a question.

    Attributes:
        score: How well it fits, as a logarithm.
        rows: What it gives; None where it fails.
    """

    fitted: Fitted
    sql: str
    score: float
    rows: Rows | None

    @property
    def empty(self) -> bool:
        """Whether nothing is found."""
        return not any(cell is not None for row in self.rows or () for cell in row)


@dataclass(frozen=True)
class Parser:
    """What was learnt from pairs of questions and SQL, on a database.

    Attributes:
        variants: The forms of SQL.
        speech: What questions name.
        ignored: Values that they say without meaning them.
        threshold: The least confidence with which it answers.
        words: SQL for the words that queries leave open, as `current_time`.
        learnt_from: The fingerprint of the pairs and the database.
    """

    database: Database
    index: ValueIndex
    variants: tuple[Variant, ...]
    speech: Speech
    ignored: tuple[str, ...]
    decider: Decider
    calibration: Calibration
    threshold: float
    words: Mapping[str, str] = field(default_factory=dict)
    learnt_from: str = ""

    def answer(self, question: str) -> Parsed:
        """The query for a question, or a refusal."""
        reading = read(question, self.index)
        candidates, evidence = self.weighed(reading)
        if not candidates:
            return Parsed(None, 0.0, None, explained(None))
        confidence = self.calibration.confidence(evidence)
        best = candidates[0]
        sql = best.sql if confidence >= self.threshold else None
        return Parsed(sql, confidence, best.sql, explained(best.fitted))

    def weighed(self, reading: Reading) -> tuple[list[Candidate], Evidence]:
        """The best queries for a question, best first, and how far they are to be trusted."""
        said = features(reading)
        likely = self.decider.kinds(said)
        candidates = self._run(self._fitted(reading, likely.scores))
        return candidates, self._evidence(reading, said, likely, candidates)

    @cached_property
    def _by_kind(self) -> dict[int, list[Variant]]:
        variants: dict[int, list[Variant]] = defaultdict(list)
        for variant in self.variants:
            variants[variant.kind].append(variant)
        return variants

    def _fitted(self, reading: Reading, scores: Floats) -> list[tuple[float, Fitted]]:
        """The forms that fit, the best of each kind, best first."""
        found: list[tuple[float, Fitted]] = []
        for kind in np.argsort(-scores, kind="stable"):
            laid = [fitted(variant, reading) for variant in self._by_kind.get(int(kind), ())]
            fits = [one for one in laid if one]
            if fits:
                best = min(fits, key=lambda one: one.cost)
                found.append((float(scores[kind]) - best.cost, best))
            if len(found) == _KINDS:
                break
        return sorted(found, key=lambda one: -one[0])

    def _run(self, likely: Sequence[tuple[float, Fitted]]) -> list[Candidate]:
        """The first few queries run; one that finds nothing goes behind those that do."""
        candidates: list[Candidate] = []
        for score, one in likely:
            sql = _written(one)
            if sql is None:
                continue
            candidate = Candidate(one, sql, score, rows_of(sql, self.database, self.words))
            lower = score - _EMPTY if candidate.empty else score
            candidates.append(Candidate(one, sql, lower, candidate.rows))
            if len(candidates) == _RUN:
                break
        return sorted(candidates, key=lambda candidate: -candidate.score)

    def _evidence(
        self,
        reading: Reading,
        said: Sequence[str],
        likely: Likely,
        candidates: Sequence[Candidate],
    ) -> Evidence:
        if not candidates:
            return NOTHING
        best = candidates[0]
        others = (one.score for one in candidates[1:] if not _alike(one.rows, best.rows))
        kind = best.fitted.variant.kind
        known = self.decider.whole.vocabulary
        strangers = sum(one.value >= 10**_NAMING for one in reading.numbers)
        return Evidence(
            best.score,
            best.score - max(others, default=best.score - 8.0),
            best.fitted.cost,
            self.decider.odds(said),
            float(likely.form[kind]),
            float(likely.event[kind]),
            float(likely.whole[kind]),
            1 - self.decider.whole.known_share(said),
            float(sum(one.startswith("w ") and one not in known for one in said)),
            float(strangers),
            float(best.empty),
        )


def _written(one: Fitted) -> str | None:
    """The query; None where a time of the question cannot stand in it."""
    try:
        return sql_of(one)
    except (TypeError, IndexError):
        return None


def _alike(one: Rows | None, other: Rows | None) -> bool:
    return one is not None and other is not None and set(one) == set(other)
