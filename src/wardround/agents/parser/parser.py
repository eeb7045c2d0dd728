"""The parser: reads a question and searches for the SQL that answers it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf, log, prod
from typing import TypeVar

import numpy as np

from wardround.agents.parser.abstention_rules import (
    Doubt,
    ambiguous_values,
    missing_slot,
    unknown_name,
)
from wardround.agents.parser.attempts import (
    Attempt,
    ambiguous_column,
    exact_name_wins,
    extends_exact_name,
)
from wardround.agents.parser.candidate_search import CandidateSearch
from wardround.agents.parser.columns import ColumnTypes
from wardround.agents.parser.confidence import Calibration, Outcome, best_threshold
from wardround.agents.parser.grammar.grammar import Grammar
from wardround.agents.parser.kind_classifier import KindClassifier, features
from wardround.agents.parser.names.alias_finder import AliasFinder
from wardround.agents.parser.names.spell_checker import PROBABILITY as CORRECTION_PROBABILITY
from wardround.agents.parser.names.spell_checker import Correction, corrected
from wardround.agents.parser.names.value_index import ValueIndex
from wardround.agents.parser.query_search import Search, advance, run_search, without_repeats
from wardround.agents.parser.question_reader import Reading, read, with_mentions
from wardround.agents.parser.sql.forms import Variant
from wardround.agents.parser.sql.query_roles import misread_roles
from wardround.agents.parser.sql.query_words import explain
from wardround.agents.parser.word_alignment import WordAlignment
from wardround.ehr.database import Database
from wardround.ehr.records import RecordMap
from wardround.ehr.records.record_tables import table_views, with_views_text

T = TypeVar("T")

# Ask only above this fraction of the answer threshold.
_DOUBT_THRESHOLD = 0.5

# Log penalty for a name that matches no database value.
_ALIAS_PENALTY = 1.0


@dataclass(frozen=True)
class Parsed:
    """The result of parsing a question.

    A refusal without a doubt is about something that records do not hold, or in a wording that is
    not understood.

    Attributes:
        sql: The query to answer with, or None to refuse.
        confidence: The probability that the best query is right.
        guess: The best query, even where it is refused; None where there is none.
        understood: The kind of question, its values and times, a sentence each.
        doubts: Questions for a person to settle first; empty where the question is answered.
        unexplained: The words of the question that the best query leaves unused.
        misread: The words whose role the best query does not have, such as "after".
    """

    sql: str | None
    confidence: float
    guess: str | None
    understood: tuple[str, ...]
    doubts: tuple[Doubt, ...] = ()
    unexplained: tuple[str, ...] = ()
    misread: tuple[str, ...] = ()

    @property
    def explanation(self) -> str:
        """The explanation as one text."""
        return " ".join(self.understood)


@dataclass(frozen=True)
class Parser:
    """A parser trained on pairs of questions and SQL; it holds no database.

    Attributes:
        index: The values that questions can name.
        columns: The types of the database's columns.
        variants: The SQL forms of all kinds.
        threshold: The least confidence to answer with.
        alignment: Which words which kinds explain.
        grammar: The grammar over the database's records; None for a layout that it does not know.
        grammar_confidence: The probability that what the grammar composes is right.
        outcomes: Answers to held-out questions, which thresholds are chosen on.
        words: SQL for the words that queries leave open, such as `current_time`.
        records: The map whose kinds of record are the tables of the forms; None if the forms name
            the database's own.
    """

    index: ValueIndex
    columns: ColumnTypes
    variants: tuple[Variant, ...]
    classifier: KindClassifier
    calibration: Calibration
    threshold: float
    alignment: WordAlignment
    grammar: Grammar | None = None
    grammar_confidence: float = 0.0
    outcomes: tuple[Outcome, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict)
    records: RecordMap | None = None

    @property
    def dialects(self) -> set[str]:
        """The SQL dialect that it writes."""
        return {variant.form.dialect for variant in self.variants}

    def with_penalty(self, penalty: float) -> "Parser":
        """The parser with the threshold for a penalty of a wrong answer."""
        if not self.outcomes:
            return self
        return replace(self, threshold=best_threshold(self.outcomes, penalty))

    def answer(self, question: str, database: Database) -> Parsed:
        """Parse a question with a database at hand."""
        return run_search(self.parse(question), database, self.words)

    def parse(self, question: str) -> Search[Parsed]:
        """Search for the query that answers a question, or refuse with doubts."""
        best, *rest = yield from self._with_views(without_repeats(self._attempts(question)))
        understood = explain(best.filled, best.reading, best.corrections)
        doubts = tuple(self._doubts(best, rest))
        is_answered = best.confidence >= self.threshold and not doubts
        sql = self._runnable(best.sql) if best.sql else None
        return Parsed(
            sql if is_answered else None,
            best.confidence,
            sql,
            understood,
            doubts,
            self._unexplained(best),
            self._misread(best),
        )

    def _with_views(self, search: Search[T]) -> Search[T]:
        """A search whose queries read the database's own tables."""
        step = advance(search)
        while isinstance(step, str):
            step = advance(search, (yield self._runnable(step)))
        return step

    def _runnable(self, sql: str) -> str:
        """A query of the database's own tables."""
        if self.records is None:
            return sql
        return with_views_text(sql, self.records, self.variants[0].form.dialect)

    def _unexplained(self, best: Attempt) -> tuple[str, ...]:
        words = best.reading.words
        return tuple(words[at].text for at in self.alignment.unexplained(best.filled, best.reading))

    def _misread(self, best: Attempt) -> tuple[str, ...]:
        records = self.grammar.views if self.grammar else None
        if records and self.records:
            records = table_views(records)
        return misread_roles(best.filled, best.reading, records) if best.filled else ()

    def _attempts(self, question: str) -> Search[list[Attempt]]:
        """Attempts at the question as it stands, and with aliases and corrections; best first.

        Exact names take precedence unless they are parts of longer ones.
        """
        exact = read(question, self.index)
        text, corrections = corrected(question, self._aliases.is_unknown, self._aliases.words)
        reading = read(text, self.index) if corrections else exact
        alternatives = self._aliases.find(reading)
        attempts: list[Attempt] = []
        if not any(extends_exact_name(mentions, reading) for mentions in alternatives):
            attempts.append((yield from self._attempt(exact)))
            if corrections:
                attempts.append((yield from self._attempt(reading, corrections)))
        for mentions in alternatives:
            alternative = with_mentions(text, reading.words, mentions)
            attempts.append((yield from self._attempt(alternative, corrections)))
        first, *rest = sorted(attempts, key=self._rank, reverse=True)
        exact_names = [
            item for item in rest if self._is_sure(item) and exact_name_wins(item, first)
        ]
        preferred = exact_names[:1]
        return [*preferred, first, *(item for item in rest if item not in preferred)]

    def _rank(self, attempt: Attempt) -> tuple[bool, int, float]:
        return self._is_sure(attempt), attempt.named_words, attempt.score

    def _is_sure(self, attempt: Attempt) -> bool:
        return attempt.confidence >= self.threshold

    def _attempt(
        self, reading: Reading, corrections: tuple[Correction, ...] = ()
    ) -> Search[Attempt]:
        candidates, evidence = yield from self._search.run(reading)
        if not candidates:
            return Attempt(reading, corrections, (), -inf, 0.0)
        aliases = [slot.alias.probability for slot in candidates[0].filled.slots if slot.alias]
        probability = prod(aliases) * prod(CORRECTION_PROBABILITY for _ in corrections)
        score = candidates[0].score + log(probability) - _ALIAS_PENALTY * len(aliases)
        confidence = self.calibration.confidence(evidence) * probability
        return Attempt(reading, corrections, tuple(candidates), score, confidence)

    def _doubts(self, best: Attempt, rest: Sequence[Attempt]) -> Iterator[Doubt]:
        """Ambiguities of the best query, or reasons why there is none."""
        ambiguous = best.filled and ambiguous_values(best.filled, best.reading, self.columns)
        if ambiguous and best.confidence >= _DOUBT_THRESHOLD * self.threshold:
            yield ambiguous
        elif self._is_sure(best):
            if best.aliases or best.is_null:
                yield from ambiguous_column(best, rest)
        else:
            absent = [unknown_name(name) for name in self._aliases.absent_drugs(best.reading)]
            yield from absent or ambiguous_column(best, rest) or self._missing(best)

    def _missing(self, best: Attempt) -> Iterator[Doubt]:
        """Slots of the top kind that the question leaves unfilled."""
        known = features(best.reading)
        scores = self.classifier.scores(known).total
        top = int(np.argmax(scores))
        is_filled = best.filled is not None and best.filled.variant.kind == top
        if is_filled or self.classifier.answerable_log_odds(known) < 0:
            return
        if self._aliases.has_unknown_words(best.reading):
            return
        missing = missing_slot(self._search.by_kind.get(top, ()), best.reading)
        if missing:
            yield missing

    @cached_property
    def _aliases(self) -> AliasFinder:
        vocabulary = self.classifier.whole.vocabulary
        known = (feature[2:] for feature in vocabulary if feature.startswith(("w ", "i ")))
        return AliasFinder(self.index, frozenset(known))

    @cached_property
    def _search(self) -> CandidateSearch:
        return CandidateSearch(self.variants, self.classifier, self.alignment)
