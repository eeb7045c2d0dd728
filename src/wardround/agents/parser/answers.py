"""Answers questions about a database at hand, with what was understood or why not.

It refuses a record whose test results a preparation for benchmarks moved to other patients. There
the tests of one patient at one time are random draws, so that some occur twice; in a true record
hardly any do.
"""

import asyncio
import re
from collections.abc import Callable, Coroutine, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from wardround.agents.parser.answer import Answer
from wardround.agents.parser.columns import column_types
from wardround.agents.parser.grammar.grammar import Composed, Grammar, NotComposed
from wardround.agents.parser.grammar.records import views_of
from wardround.agents.parser.grammar_file import StoredGrammar, holds_grammar, load_grammar
from wardround.agents.parser.parser import Parsed, Parser
from wardround.agents.parser.parser_file import load, with_current_values
from wardround.agents.parser.refusals import grammar_reasons, refusal_reasons
from wardround.core.errors import UserError
from wardround.ehr.database import Database
from wardround.ehr.query import answer_columns
from wardround.ehr.records import Views, dialect_of, records_of
from wardround.ehr.times import substitute_words

if TYPE_CHECKING:
    from wardround.agents.record_queries.answers import ModelAnswerer
    from wardround.models.client import LanguageModel


_PATIENTS = re.compile(r"\bpts\b", re.IGNORECASE)
_PATIENT = re.compile(r"\bpt\b(?=(?:'s)?\s*(?:#|no\.?|id|with|who|on)?\s*[\d-])", re.IGNORECASE)
_ANY_PATIENT = re.compile(r"\bpatients?\b|\bpts\b", re.IGNORECASE)
_BARE = re.compile(r"\bpt\b", re.IGNORECASE)


_NO_CONFIDENCE = (
    "The confidence of answers is not measured on this layout, so --penalty changes nothing.",
)

# Fewer results than these at a time that others share tell nothing.
_MIN_RESULTS = 200

# True records repeat below 0.1% of such results; shuffled ones 20% and more.
_MAX_REPEATED = 0.05

_PANELS = (
    "SELECT COUNT(*) AS results, COUNT(DISTINCT e.name) AS names FROM ({view}) e"
    " GROUP BY e.patient, e.time HAVING COUNT(*) > 1"
)

Shuffled = Literal["shuffled", "true", "unknown"]


@dataclass(frozen=True)
class Answerer:
    """Answers questions about one database.

    A question of a kind that was learned is answered where the parser is sure, and each of its
    words is explained and has its role; others are composed by the grammar, which uses each word
    or refuses.

    Attributes:
        notes: Sentences on all answers: what is not known of the record.
    """

    parser: Parser
    database: Database
    notes: tuple[str, ...] = ()

    @property
    def grammar(self) -> Grammar | None:
        """The grammar of the records; None for a layout without a map."""
        return self.parser.grammar

    @property
    def words(self) -> Mapping[str, str]:
        """SQL for the words that queries leave open."""
        return self.parser.words

    def answer(self, question: str) -> Answer:
        """Answer a question, or refuse it with reasons."""
        question = written_out(question)
        parsed = self.parser.answer(question, self.database)
        if parsed.sql is not None and not (parsed.unexplained or parsed.misread):
            return Answer(self._runnable(parsed.sql), parsed.confidence, parsed.understood)
        composed = self.parser.grammar.compose(question) if self.parser.grammar else None
        if isinstance(composed, Composed):
            return self._composed(composed)
        return self._refused(question, parsed, composed)

    def _composed(self, composed: Composed) -> Answer:
        confidence = self.parser.grammar_confidence
        return _answered(composed, confidence, self.parser.words)

    def _refused(self, question: str, parsed: Parsed, composed: NotComposed | None) -> Answer:
        reasons = tuple(refusal_reasons(question, parsed, composed, self.parser.grammar))
        return Answer(None, parsed.confidence, parsed.understood, reasons)

    def _runnable(self, sql: str) -> str:
        return substitute_words(sql, self.parser.words)


@dataclass(frozen=True)
class RecordAnswerer:
    """Answers questions about a database that there are no questions to learn from.

    The grammar reads them over the kinds of record of the database's map; it uses each word or
    refuses.

    Attributes:
        notes: Sentences on all answers.
    """

    stored: StoredGrammar
    notes: tuple[str, ...] = ()

    @property
    def grammar(self) -> Grammar:
        """The grammar of the records."""
        return self.stored.grammar

    @property
    def words(self) -> Mapping[str, str]:
        """SQL for the words that queries leave open."""
        return self.stored.words

    def answer(self, question: str) -> Answer:
        """Answer a question, or refuse it with reasons."""
        question, grammar = written_out(question), self.stored.grammar
        composed = grammar.compose(question)
        if isinstance(composed, NotComposed):
            reasons = tuple(grammar_reasons(question, composed, grammar))
            return Answer(None, None, (), reasons)
        return _answered(composed, None, self.stored.words)


def _answered(composed: Composed, confidence: float | None, words: Mapping[str, str]) -> Answer:
    sql = substitute_words(composed.sql, words)
    columns = answer_columns(composed.query)
    understood = (*composed.understood, *composed.linked)
    return Answer(sql, confidence, understood, columns=columns)


def open_answerer(
    database: Database,
    trained: Callable[[], Path],
    *,
    is_current: bool = False,
    penalty: float | None = None,
    record_map: Path | None = None,
    model: "LanguageModel | None" = None,
    run: Callable[[Coroutine[Any, Any, Any]], Any] = asyncio.run,
) -> "Answerer | RecordAnswerer | ModelAnswerer":
    """An answerer with the values that the database has now.

    Args:
        database: The database.
        trained: Gives the file of the trained parser, or of the grammar of the database's record
            map; called once the record is known to be fit.
        is_current: Whether the file was trained on the database as it is now.
        penalty: The cost of a wrong answer; by default the cost set in training.
        record_map: A record map of the database's own.
        model: A language model that writes the queries; the parser then stands beside it.
        run: Runs a coroutine in the event loop that holds the model's connections.

    Raises:
        UserError: The record is shuffled, or the file holds no parser, or one that was trained on
            other tables; with a model, there is no record map.
    """
    parser = _open_parser(database, trained, is_current, penalty)
    if model is None:
        return parser
    from wardround.agents.record_queries.answers import open_model_answerer

    return open_model_answerer(parser, database, records_of(database, record_map), model, run)


def _open_parser(
    database: Database, trained: Callable[[], Path], is_current: bool, penalty: float | None
) -> Answerer | RecordAnswerer:
    notes = tuple(_record_notes(database))
    path = trained()
    if holds_grammar(path):
        return RecordAnswerer(load_grammar(path), _NO_CONFIDENCE if penalty is not None else ())
    parser = load(path)
    if not is_current:
        parser = with_current_values(parser, database)
    if penalty is not None:
        parser = parser.with_penalty(penalty)
    return Answerer(parser, database, notes)


def _record_notes(database: Database) -> Iterator[str]:
    """Refuse a record whose results are not their patients' own; note where nothing tells.

    Results of one day do not tell: a test may be repeated on it.
    """
    views = views_of(column_types(database), dialect_of(database))
    if views is None or "lab" in views.dated:
        return
    match shuffled_values(views, database):
        case "shuffled":
            raise UserError(
                f"Database {database.url} has its clinical values shuffled between patients, so "
                "its answers would be true of nobody; prepare the release again with `wardround "
                "data prepare --keep-record`."
            )
        case "unknown":
            yield (
                "It is not known if this record is true: it has too few laboratory tests to tell "
                "if a preparation shuffled values between patients."
            )


def written_out(question: str) -> str:
    """The question with "pt" and "pts" written out where they are patients.

    "PT" is a laboratory test where the question names its patients by another word.

    >>> written_out("How many pts got heparin?"), written_out("last glucose of pt 10032")
    ('How many patients got heparin?', 'last glucose of patient 10032')
    >>> written_out("What was the last PT of patient 10032?")
    'What was the last PT of patient 10032?'
    >>> written_out("Is the pt female?")
    'Is the patient female?'
    """
    if not _ANY_PATIENT.search(question) and not _PATIENT.search(question):
        return _BARE.sub("patient", question)
    return _PATIENT.sub("patient", _PATIENTS.sub("patients", question))


def shuffled_values(records: Views, database: Database) -> Shuffled:
    """Tell shuffled records from true ones by repeated laboratory results.

    Args:
        records: The records of the database's layout.
        database: The database.
    """
    if "lab" not in records.sql:
        return "unknown"
    panels = _PANELS.format(view=records.sql["lab"])
    sql = f"SELECT SUM(results), SUM(results - names) FROM ({panels}) p"  # noqa: S608
    ((results, repeated),) = database.execute(sql, rows=1).rows
    if int(results or 0) < _MIN_RESULTS:
        return "unknown"
    return "shuffled" if int(repeated or 0) > _MAX_REPEATED * int(results or 0) else "true"
