"""Trains a parser on pairs sorted into kinds, and calibrates it on held-out questions."""

import random
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, TypeVar

from wardround.agents.declarations import ParserTraining
from wardround.agents.pairs import Pair, TrainingPairs
from wardround.agents.parser.attempts import Candidate
from wardround.agents.parser.candidate_search import CandidateSearch
from wardround.agents.parser.columns import ColumnTypes, column_types, read_values
from wardround.agents.parser.confidence import (
    INPUTS,
    Calibration,
    Evidence,
    Outcome,
    fit_calibration,
)
from wardround.agents.parser.grammar.grammar import Composed, Grammar, grammar_of, read_grammar
from wardround.agents.parser.grammar_file import StoredGrammar, save_grammar
from wardround.agents.parser.kind_classifier import KindClassifier, features, fit_classifier
from wardround.agents.parser.kinds import QuestionKinds, find_kinds
from wardround.agents.parser.parser import Parser
from wardround.agents.parser.parser_file import save
from wardround.agents.parser.query_search import query_rows, run_search
from wardround.agents.parser.question_reader import Reading, read
from wardround.agents.parser.slot_rules import find_ignored, find_slot_rules, group_by_shape
from wardround.agents.parser.value_index import ValueIndex
from wardround.agents.parser.word_alignment import WordAlignment, align_words
from wardround.core import plugins
from wardround.core.errors import UserError
from wardround.core.work import WorkContext, WorkResult
from wardround.ehr.database import Database, QueryError, open_database
from wardround.ehr.records import dialect_of, stored_records
from wardround.ehr.records.record_tables import kind_of_table, table_views


@dataclass(frozen=True)
class TrainingData:
    """Pairs with their readings and kinds, and what they were read with.

    Attributes:
        features: The features of each question.
        usable: The numbers of the pairs to learn from.
    """

    pairs: Sequence[Pair]
    readings: Sequence[Reading]
    features: Sequence[tuple[str, ...]]
    kinds: QuestionKinds
    usable: Sequence[int]
    index: ValueIndex
    columns: ColumnTypes

    def classifier(self, without: Collection[int] = ()) -> KindClassifier:
        """Fit a classifier on all usable pairs but some."""
        used = [at for at in self.usable if at not in without]
        return fit_classifier(
            self.kinds.descriptions,
            [self.features[at] for at in used],
            [self.kinds.of_pairs[at] for at in used],
        )

    def alignment(self, without: Collection[int] = ()) -> WordAlignment:
        """Align the words of all usable pairs but some with their queries."""
        used = [at for at in self.usable if at not in without]
        return align_words(
            self.kinds.descriptions,
            [self.readings[at] for at in used],
            [self.kinds.of_pairs[at] for at in used],
        )


def read_training_data(
    pairs: Sequence[Pair], database: Database, columns: ColumnTypes
) -> TrainingData:
    """Read pairs with the values of a database.

    Args:
        pairs: The pairs.
        database: The database.
        columns: The types of its columns.

    Raises:
        UserError: If no pair has a query that can be taken apart, or the parser does not write the
            database's SQL dialect.
    """
    groups = group_by_shape(pairs, dialect_of(database))
    if not groups:
        raise UserError("No question has SQL to learn from; give questions with their queries.")
    rules = find_slot_rules(groups, pairs, columns)
    index = ValueIndex(read_values(rules.domains, database))
    readings = [read(pair.question, index) for pair in pairs]
    ignored = find_ignored(pairs, readings)
    if ignored:
        index = ValueIndex(index.domains, ignored)
        readings = [
            read(item.question, index) if item.mentions_any(ignored) else item for item in readings
        ]
    kinds = find_kinds(groups, pairs, readings, columns, rules)
    usable = [
        at for at, pair in enumerate(pairs) if pair.sql is None or kinds.of_pairs[at] is not None
    ]
    sets = [features(reading) for reading in readings]
    return TrainingData(list(pairs), readings, sets, kinds, usable, index, columns)


# Default cost of a wrong answer: RS(10) (Lee et al. 2024).
PENALTY = 10.0

# Training questions to measure the grammar's confidence on, and a prior of right answers.
_COMPOSED = 400
_PRIOR_RIGHT, _PRIOR_TOTAL = 9, 10

_UNCALIBRATED = Calibration((0.0,) * INPUTS, (1.0,) * INPUTS, (0.0,) * (INPUTS + 1))

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


def train_file(
    database: str, pairs: TrainingPairs, seed: int, progress: Callable[[str], None], to: Path
) -> None:
    """Train on a database before a run, and write the parser to a file.

    Without pairs it is the grammar of the database's records alone. Pairs about records of a map
    are learned on tables of these records.

    Args:
        database: A file or URL.
        pairs: What to learn from.
        seed: Not used: training draws from fixed seeds.
        progress: Called with each step as it begins.
        to: The file to write.

    Raises:
        UserError: As `train`.
    """
    with closing(open_database(database)) as opened:
        if pairs.pairs:
            save(train(pairs, opened, progress), to)
        elif pairs.records:
            progress("reading")
            save_grammar(StoredGrammar(grammar_of(pairs.records, opened), pairs.words), to)


def train(
    training: TrainingPairs,
    database: Database,
    progress: Callable[[str], None] = lambda step: None,
    penalty: float = PENALTY,
) -> Parser:
    """Train a parser.

    Args:
        training: What to learn from.
        database: The database that the questions are about; its values are what questions name.
        progress: Called with each step as it begins.
        penalty: What a wrong answer costs, where a right one scores 1: sets the threshold.

    Raises:
        UserError: If no pair has a query that can be taken apart, or the parser does not write the
            database's SQL dialect.
    """
    if training.records is None:
        grammar = read_grammar(column_types(database), database)
        return _trained(training, database, column_types(database), grammar, progress, penalty)
    grammar = grammar_of(training.records, database)
    with stored_records(training.records, database) as tables:
        columns = {t: each for t, each in column_types(tables).items() if kind_of_table(t)}
        of_tables = replace(grammar, views=table_views(grammar.views))
        parser = _trained(training, tables, columns, of_tables, progress, penalty)
    return replace(parser, grammar=grammar, records=training.records)


def _trained(
    training: TrainingPairs,
    database: Database,
    columns: ColumnTypes,
    grammar: Grammar | None,
    progress: Callable[[str], None],
    penalty: float,
) -> Parser:
    """The parser of a database whose tables the pairs name."""
    progress("reading")
    data = read_training_data([*training.pairs, *training.background], database, columns)
    progress("learning")
    parser = Parser(
        data.index,
        data.columns,
        tuple(data.kinds.variants),
        data.classifier(),
        _UNCALIBRATED,
        threshold=0.5,
        alignment=data.alignment(),
        grammar=grammar,
        words=dict(training.words),
    )
    progress("checking")
    parser = replace(parser, grammar_confidence=_grammar_confidence(parser, data, database))
    answers = cross_validate(parser, data, len(training.pairs), database)
    correct = [answer.is_correct for answer in answers]
    if len(set(correct)) < 2:
        return parser
    calibration = fit_calibration([answer.evidence for answer in answers], correct)
    outcomes = tuple(
        Outcome(calibration.confidence(answer.evidence), answer.is_correct, answer.is_answerable)
        for answer in answers
    )
    return replace(parser, calibration=calibration, outcomes=outcomes).with_penalty(penalty)


def train_parser(options: ParserTraining, context: WorkContext[object]) -> WorkResult:
    """Trains the parser on questions with their SQL, published or generated.

    Raises:
        UserError: The file is there already, or there is nothing to learn from.
    """
    to = options.to
    _check_writable(to)
    if options.tasks is None and not options.made:
        raise UserError("There is nothing to learn from; name --tasks, or leave --made above 0.")
    with closing(open_database(options.database)) as database:
        context.progress(0, None, "making questions …")
        source = plugins.load(plugins.PAIR_SOURCES, "published" if options.tasks else "made")
        pairs = source(database.url, options.seed, str(options.tasks or ""), options.made)
        parser = train(
            pairs, database, lambda step: context.progress(0, None, f"{step} …"), options.penalty
        )
        save(parser, to)
    kinds = len({variant.kind for variant in parser.variants})
    note = (
        f"{to}: {kinds} kinds of questions in {len(parser.variants)} forms; "
        f"answers from a confidence of {parser.threshold:.2f} on."
    )
    return WorkResult(notes=(note,))


def _check_writable(to: Path) -> None:
    """Fails before minutes of training, not after them."""
    if to.exists():
        raise UserError(f"{to} is there already; name another file for the parser.")
    try:
        to.touch(exist_ok=False)
        to.unlink()
    except OSError as error:
        raise UserError(
            f"The parser cannot be written to {to} ({error.strerror}); name another file."
        ) from None


def _grammar_confidence(parser: Parser, data: TrainingData, database: Database) -> float:
    """The share of right answers among the training questions that the grammar composes."""
    if parser.grammar is None:
        return 0.0
    chosen = random.Random(0).sample(data.usable, min(_COMPOSED, len(data.usable)))
    right, total = _PRIOR_RIGHT, _PRIOR_TOTAL
    for at in chosen:
        composed = parser.grammar.compose(data.readings[at].question)
        if isinstance(composed, Composed):
            gold = data.pairs[at].sql
            try:
                is_right = bool(gold) and have_same_rows(composed.sql, gold or "", parser, database)
            except QueryError:  # cut off: neither right nor wrong
                continue
            total += 1
            right += is_right
    return right / total


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
