"""Trains a parser on pairs sorted into kinds, and calibrates it on held-out questions."""

import random
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from wardround.agents.declarations import ParserTraining
from wardround.agents.pairs import TrainingPairs
from wardround.agents.parser.columns import ColumnTypes, column_types
from wardround.agents.parser.confidence import INPUTS, Calibration, Outcome, fit_calibration
from wardround.agents.parser.grammar.grammar import Composed, Grammar, grammar_of, read_grammar
from wardround.agents.parser.grammar_file import StoredGrammar, save_grammar
from wardround.agents.parser.parser import Parser
from wardround.agents.parser.parser_file import save
from wardround.agents.parser.training.cross_validation import cross_validate, have_same_rows
from wardround.agents.parser.training.training_data import TrainingData, read_training_data
from wardround.core import plugins
from wardround.core.errors import UserError
from wardround.core.work import WorkContext, WorkResult
from wardround.ehr.database import Database, QueryError, open_database
from wardround.ehr.records import stored_records
from wardround.ehr.records.record_tables import kind_of_table, table_views

# Default cost of a wrong answer: RS(10) (Lee et al. 2024).
PENALTY = 10.0

# Training questions to measure the grammar's confidence on, and a prior of right answers.
_COMPOSED = 400
_PRIOR_RIGHT, _PRIOR_TOTAL = 9, 10

_UNCALIBRATED = Calibration((0.0,) * INPUTS, (1.0,) * INPUTS, (0.0,) * (INPUTS + 1))


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
        penalty: The cost of a wrong answer, where a right one scores 1: sets the threshold.

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
