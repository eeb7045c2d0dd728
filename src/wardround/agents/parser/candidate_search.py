"""Searches for the queries that fit a reading best, and gathers the evidence for the first."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wardround.agents.parser.attempts import Candidate, is_unasked_time, same_rows
from wardround.agents.parser.confidence import NO_QUERY, Evidence
from wardround.agents.parser.grammar.lexicon import operator_words
from wardround.agents.parser.kind_classifier import KindClassifier, KindScores, features
from wardround.agents.parser.log_linear import Floats
from wardround.agents.parser.query_search import Search
from wardround.agents.parser.question_reader import Reading
from wardround.agents.parser.slot_filling import FilledForm, fill_form
from wardround.agents.parser.sql.forms import Variant
from wardround.agents.parser.sql.generator import render_sql
from wardround.agents.parser.tokens import number
from wardround.agents.parser.word_alignment import WordAlignment

# Kinds filled in, and resulting queries tried.
_KINDS = 25
_TRIED = 3

# Skip candidates more than 6 nats behind the best.
_MAX_GAP = 6.0

# Log penalty for a query that returns nothing.
_EMPTY_PENALTY = 3.0

# Log penalty for a query that returns times where no word asks for one.
_UNASKED_PENALTY = 6.0

# More digits: an identifier, not a quantity.
_QUANTITY_DIGITS = 4

# The margin where no other candidate gives another answer.
_FULL_MARGIN = 8.0


@dataclass(frozen=True)
class CandidateSearch:
    """Fills the forms of likely kinds and tries the best queries.

    Attributes:
        variants: The SQL forms of all kinds.
        classifier: Scores the kinds.
        alignment: Tells which words of a question a query leaves unused.
    """

    variants: Sequence[Variant]
    classifier: KindClassifier
    alignment: WordAlignment

    def run(self, reading: Reading) -> Search[tuple[list[Candidate], Evidence]]:
        """Search for the best queries of a reading, best first, and the evidence for the first."""
        evidence = features(reading)
        scores = self.classifier.scores(evidence)
        candidates = yield from self._tried(self._filled_forms(reading, scores.total), reading)
        return candidates, self._evidence(reading, evidence, scores, candidates)

    @cached_property
    def by_kind(self) -> Mapping[int, Sequence[Variant]]:
        """The variants of each kind."""
        variants: dict[int, list[Variant]] = defaultdict(list)
        for variant in self.variants:
            variants[variant.kind].append(variant)
        return variants

    def _filled_forms(self, reading: Reading, scores: Floats) -> list[tuple[float, FilledForm]]:
        """The best filled form of each likely kind with its score, best first."""
        scored: list[tuple[float, FilledForm]] = []
        for kind in np.argsort(-scores, kind="stable"):
            variants = self.by_kind.get(int(kind), ())
            filled = [form for variant in variants if (form := fill_form(variant, reading))]
            if filled:
                best = min(filled, key=lambda form: form.cost)
                scored.append((float(scores[kind]) - best.cost, best))
            if len(scored) == _KINDS:
                break
        return sorted(scored, key=lambda entry: -entry[0])

    def _tried(
        self, forms: Sequence[tuple[float, FilledForm]], reading: Reading
    ) -> Search[list[Candidate]]:
        """Try the first few queries; rank those whose results do not answer behind the others."""
        candidates: list[Candidate] = []
        for score, form in forms:
            if candidates and candidates[0].score - score > _MAX_GAP:
                break
            sql = _rendered(form)
            if sql is None:
                continue
            candidate = Candidate(form, sql, score, (yield sql))
            penalty = _EMPTY_PENALTY if candidate.is_empty else 0.0
            penalty += _UNASKED_PENALTY if is_unasked_time(candidate, reading) else 0.0
            candidates.append(Candidate(form, sql, score - penalty, candidate.rows))
            if len(candidates) == _TRIED:
                break
        return sorted(candidates, key=lambda candidate: -candidate.score)

    def _evidence(
        self,
        reading: Reading,
        features: Sequence[str],
        scores: KindScores,
        candidates: Sequence[Candidate],
    ) -> Evidence:
        if not candidates or is_unasked_time(candidates[0], reading):
            return NO_QUERY
        best = candidates[0]
        kind = best.filled.variant.kind
        unused = [reading.words[at].text for at in self.alignment.unexplained(best.filled, reading)]
        rest = (candidate.score for candidate in candidates[1:] if not same_rows(candidate, best))
        whole = self.classifier.whole
        unknown = (item for item in features if item not in whole.vocabulary)
        return Evidence(
            score=best.score,
            form=float(scores.form[kind]),
            event=float(scores.event[kind]),
            whole=float(scores.whole[kind]),
            margin=best.score - max(rest, default=best.score - _FULL_MARGIN),
            cost=best.filled.cost,
            answerable=self.classifier.answerable_log_odds(features),
            unexplained=float(len(unused)),
            unused_numbers=float(sum(map(_is_number, unused))),
            unused_operators=float(sum(word in operator_words() for word in unused)),
            unknown_share=1 - whole.known_share(features),
            unknown_words=float(sum(item.startswith("w ") for item in unknown)),
            unknown_ids=float(
                sum(number.value >= 10**_QUANTITY_DIGITS for number in reading.numbers)
            ),
            is_empty=float(best.is_empty),
        )


def _is_number(word: str) -> bool:
    """True for a number, or a word with one: "3", "four", "40s"; "one" may be a pronoun."""
    is_named = number(word) is not None and word != "one"
    return is_named or any(letter.isdigit() for letter in word)


def _rendered(form: FilledForm) -> str | None:
    """The query, or None where a time of the question does not fit its place."""
    try:
        return render_sql(form)
    except (TypeError, IndexError):
        return None
