"""The parser: a question in, SQL out, with how sure it is and what it understood."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf, log, prod

import numpy as np

from wardround.agents.parser.abstention_rules import (
    Doubt,
    nothing_called,
    several_values,
    something_missing,
)
from wardround.agents.parser.attempts import (
    Attempt,
    Candidate,
    alike,
    comes_before,
    in_other_columns,
    is_longer,
)
from wardround.agents.parser.columns import Types, column_types
from wardround.agents.parser.confidence import NOTHING, Calibration, Evidence
from wardround.agents.parser.explanation import explained
from wardround.agents.parser.features import features
from wardround.agents.parser.form_sql import sql_of
from wardround.agents.parser.kind_classifier import Decider, Likely
from wardround.agents.parser.kinds import Speech, Variant
from wardround.agents.parser.log_linear import Floats
from wardround.agents.parser.query_runner import rows_of
from wardround.agents.parser.question_reader import Reading, laid_out, read
from wardround.agents.parser.slot_filling import Fitted, fitted
from wardround.agents.parser.spell_checker import CHANCE as SLIP
from wardround.agents.parser.spell_checker import Slip, without_slips
from wardround.agents.parser.value_aliases import OtherNames
from wardround.agents.parser.value_linker import ValueIndex
from wardround.ehr.database import Database

# How many kinds are laid on a question, and how many of the queries are run.
_KINDS = 25
_RUN = 3

# What fits so much worse than the best is not run (a logarithm).
_BEHIND = 6.0

# A query that finds nothing is no answer, unless nothing else is nearly as good (a logarithm).
_EMPTY = 3.0

# Which share of the confidence that an answer needs makes a doubt worth asking about.
_WORTH_ASKING = 0.5

# What it costs, as a logarithm, that a name is no value's own.
_NEAR = 1.0

# Numbers of more digits name somebody or something.
_NAMING = 4


@dataclass(frozen=True)
class Parsed:
    """What the parser makes of a question.

    A conversation asks what `doubts` say and puts the answer into the question, or takes the query
    of the choice that is meant. A refusal without a doubt is of something that records do not
    hold, or of a wording that is not understood.

    Attributes:
        sql: The query that it answers with; None where it refuses.
        confidence: The chance that the best query is right.
        guess: The best query, whether or not it is answered with; None where there is none.
        understood: The kind of question, the values and the times understood, a sentence each.
        doubts: What a person has to say first; none where the question is answered.
    """

    sql: str | None
    confidence: float
    guess: str | None
    understood: tuple[str, ...]
    doubts: tuple[Doubt, ...] = ()

    @property
    def explanation(self) -> str:
        """What was understood, in one text."""
        return " ".join(self.understood)


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
        """The query for a question, or a refusal with what a person has to say first."""
        best, *others = self._attempts(question)
        understood = explained(best.fitted, best.reading, best.slips)
        doubts = tuple(self._doubts(best, others))
        sure = best.confidence >= self.threshold and not doubts
        return Parsed(best.sql if sure else None, best.confidence, best.sql, understood, doubts)

    def _attempts(self, question: str) -> list[Attempt]:
        """What the question says as it is, and with other names and slips put right; best first.

        Names as the database has them count most, unless they are parts of longer ones.
        """
        exact = read(question, self.index)
        text, slips = without_slips(question, self._names.strange, self._names.words)
        reading = read(text, self.index) if slips else exact
        ways = self._names.find(reading)
        attempts = [self._attempt(laid_out(text, reading.words, way), slips) for way in ways]
        if not any(is_longer(way, reading) for way in ways):
            as_it_is = [self._attempt(exact), *([self._attempt(reading, slips)] if slips else [])]
            attempts = [*as_it_is, *attempts]
        first, *others = sorted(attempts, key=self._worth, reverse=True)
        own = [one for one in others if self._is_sure(one) and comes_before(one, first)][:1]
        return [*own, first, *(one for one in others if one not in own)]

    def _worth(self, attempt: Attempt) -> tuple[bool, int, float]:
        return self._is_sure(attempt), attempt.named, attempt.score

    def _is_sure(self, attempt: Attempt) -> bool:
        return attempt.confidence >= self.threshold

    def _attempt(self, reading: Reading, slips: tuple[Slip, ...] = ()) -> Attempt:
        candidates, evidence = self.weighed(reading)
        if not candidates:
            return Attempt(reading, slips, (), -inf, 0.0)
        near = [one.near.chance for one in candidates[0].fitted.filled if one.near]
        doubtful = prod(near) * prod(SLIP for _ in slips)
        score = candidates[0].score + log(doubtful) - _NEAR * len(near)
        sure = self.calibration.confidence(evidence) * doubtful
        return Attempt(reading, slips, tuple(candidates), score, sure)

    def _doubts(self, best: Attempt, others: Sequence[Attempt]) -> Iterator[Doubt]:
        """What is ambiguous in the best query, or else what no query is found for."""
        fitted, reading = best.fitted, best.reading
        several = fitted and several_values(fitted, reading, self._types)
        if several and best.confidence >= _WORTH_ASKING * self.threshold:
            yield several
        elif self._is_sure(best):
            yield from in_other_columns(best, others) if best.near or best.nought else ()
        else:
            absent = [nothing_called(name) for name in self._names.absent(reading)]
            yield from absent or in_other_columns(best, others) or self._missing(best)

    def _missing(self, best: Attempt) -> Iterator[Doubt]:
        """What the likeliest kind of question needs and does not get."""
        said = features(best.reading)
        scores = self.decider.kinds(said).scores
        likeliest = int(np.argmax(scores))
        fits = best.fitted is not None and best.fitted.variant.kind == likeliest
        if fits or self.decider.odds(said) < 0 or self._names.unexplained(best.reading):
            return
        missing = something_missing(self._by_kind.get(likeliest, ()), best.reading)
        if missing:
            yield missing

    @cached_property
    def _types(self) -> Types:
        return column_types(self.database)

    @cached_property
    def _names(self) -> OtherNames:
        words = self.decider.whole.vocabulary
        known = (feature[2:] for feature in words if feature.startswith(("w ", "i ")))
        return OtherNames(self.index, frozenset(known))

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
            if candidates and candidates[0].score - score > _BEHIND:
                break
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
        others = (one.score for one in candidates[1:] if not alike(one, best))
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
