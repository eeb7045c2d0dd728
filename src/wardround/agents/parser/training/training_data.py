"""Training pairs with their readings and kinds, and the values that they were read with."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from wardround.agents.pairs import Pair
from wardround.agents.parser.columns import ColumnTypes, read_values
from wardround.agents.parser.kind_classifier import KindClassifier, features, fit_classifier
from wardround.agents.parser.names.value_index import ValueIndex
from wardround.agents.parser.question_reader import Reading, read
from wardround.agents.parser.training.kinds import QuestionKinds, find_kinds
from wardround.agents.parser.training.slot_rules import (
    find_ignored,
    find_slot_rules,
    group_by_shape,
)
from wardround.agents.parser.word_alignment import WordAlignment, align_words
from wardround.core.errors import UserError
from wardround.ehr.database import Database
from wardround.ehr.records import dialect_of


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
