"""Answers to held-out questions, by parsers that have not seen their kinds or wordings."""

import random
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeVar

from wardround.agents.parser.attempts import Candidate
from wardround.agents.parser.candidate_search import CandidateSearch
from wardround.agents.parser.confidence import Evidence
from wardround.agents.parser.parser import Parser
from wardround.agents.parser.query_search import query_rows, run_search
from wardround.agents.parser.training.training_data import TrainingData
from wardround.ehr.database import Database, QueryError

_FOLDS = 3

# The shares of kinds, wordings and unanswerable questions held out in each fold. Hospitals ask
# more unanswerable questions than the training data holds, so more of them are held out.
_KINDS_SHARE = 0.15
_WORDINGS_SHARE = 0.15
_UNANSWERABLE_SHARE = 0.33

# Held-out questions to answer in each fold.
_SAMPLE = 250

_QUOTED_OR_NOT = re.compile(r"'(?:[^']|'')*'|[^']+")

Group = TypeVar("Group", int, str)


class HeldOutAnswer(NamedTuple):
    """The answer to a question that was held out."""

    evidence: Evidence
    is_correct: bool
    is_answerable: bool


def cross_validate(
    parser: Parser, data: TrainingData, asked: int, database: Database
) -> list[HeldOutAnswer]:
    """Answer held-out questions of each fold with a parser that has not seen them.

    Args:
        parser: One trained on all pairs.
        data: What it was trained on.
        asked: How many of the pairs are worded as users ask; the background pairs come after them.
        database: What queries are tried on.
    """
    return [
        answer
        for fold in range(_FOLDS)
        for answer in _fold_answers(parser, data, held_out(data, asked, fold), database)
    ]


def _fold_answers(
    parser: Parser, data: TrainingData, out: set[int], database: Database
) -> Iterator[HeldOutAnswer]:
    known = {data.kinds.of_pairs[at] for at in data.usable if at not in out}
    variants = tuple(variant for variant in parser.variants if variant.kind in known)
    unaware = CandidateSearch(variants, data.classifier(without=out), data.alignment(without=out))
    for at in random.Random(0).sample(sorted(out), min(_SAMPLE, len(out))):
        search = unaware.run(data.readings[at])
        sql = data.pairs[at].sql
        try:
            candidates, evidence = run_search(search, database, parser.words)
            is_correct = bool(candidates and sql) and _is_correct(
                candidates[0], sql or "", parser, database
            )
        except QueryError:  # cut off: neither right nor wrong
            continue
        yield HeldOutAnswer(evidence, is_correct, sql is not None)


def held_out(data: TrainingData, asked: int, fold: int) -> set[int]:
    """The numbers of the pairs held out in a fold: whole kinds, and whole wordings."""
    parts = [at for at in data.usable if at < asked]
    kinds = {at: data.kinds.of_pairs[at] for at in parts}
    # Without background pairs, the training questions cover all kinds and wordings to come.
    is_complete = asked == len(data.pairs)
    wordings = {at: str(at) if is_complete else " ".join(data.readings[at].masked) for at in parts}
    known = (kind for kind in kinds.values() if kind is not None)
    out_kinds = _sampled(known, fold, 0.0 if is_complete else _KINDS_SHARE)
    answerable = (wordings[at] for at in parts if kinds[at] is not None)
    unanswerable = (wordings[at] for at in parts if kinds[at] is None)
    out_wordings = _sampled(answerable, fold, _WORDINGS_SHARE)
    out_unanswerable = _sampled(unanswerable, fold, _UNANSWERABLE_SHARE)
    return {
        at
        for at in parts
        if (
            wordings[at] in out_unanswerable
            if kinds[at] is None
            else kinds[at] in out_kinds or wordings[at] in out_wordings
        )
    }


def _sampled(groups: Iterable[Group], fold: int, share: float) -> set[Group]:
    """A random share of the groups, disjoint from those of other folds."""
    distinct = sorted(set(groups))
    random.Random(0).shuffle(distinct)
    size = int(len(distinct) * share)
    return set(distinct[fold * size : (fold + 1) * size])


def _is_correct(candidate: Candidate, sql: str, parser: Parser, database: Database) -> bool:
    if candidate.rows is None or is_same_text(candidate.sql, sql):
        return candidate.rows is not None
    gold = query_rows(sql, database, parser.words)
    return gold is not None and sorted(map(repr, gold)) == sorted(map(repr, candidate.rows))


def have_same_rows(first: str, second: str, parser: Parser, database: Database) -> bool:
    """True if two queries run and return the same distinct rows."""
    rows = query_rows(first, database, parser.words)
    gold = query_rows(second, database, parser.words)
    return rows is not None and gold is not None and set(rows) == set(gold)


def is_same_text(first: str, second: str) -> bool:
    """True if two queries differ at most in spacing and case outside of quotes."""
    return _normalized(first) == _normalized(second)


def _normalized(sql: str) -> str:
    def normalize(piece: re.Match[str]) -> str:
        return piece[0] if piece[0][0] == "'" else "".join(piece[0].split()).lower()

    return _QUOTED_OR_NOT.sub(normalize, sql)
