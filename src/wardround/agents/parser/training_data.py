"""Pairs read and sorted into kinds, as a parser learns from them."""

from collections.abc import Collection, Sequence
from typing import NamedTuple, get_args

from wardround.agents.pairs import Pair
from wardround.agents.parser.columns import Types
from wardround.agents.parser.features import features
from wardround.agents.parser.kind_classifier import Decider, decider
from wardround.agents.parser.kinds import (
    Kinds,
    Speech,
    find_ignored,
    find_kinds,
    find_shapes,
    find_speech,
)
from wardround.agents.parser.question_reader import Reading, read
from wardround.agents.parser.value_linker import ValueIndex
from wardround.core.errors import UserError
from wardround.ehr.database import Database
from wardround.ehr.times import Dialect


class Material(NamedTuple):
    """Pairs, read and sorted into kinds.

    Attributes:
        features: What each question is like.
        usable: The numbers of the pairs that something is learnt from.
    """

    pairs: list[Pair]
    readings: list[Reading]
    features: list[tuple[str, ...]]
    kinds: Kinds
    usable: list[int]

    def decider(self, without: Collection[int] = ()) -> Decider:
        """What tells the kinds apart, learnt from all pairs but some."""
        those = [at for at in self.usable if at not in without]
        return decider(
            self.kinds.descriptions,
            [self.features[at] for at in those],
            [self.kinds.of_pairs[at] for at in those],
        )


def find_material(
    pairs: Sequence[Pair], database: Database, types: Types
) -> tuple[ValueIndex, Speech, list[str], Material]:
    """What there is to learn from pairs, and what questions name.

    Raises:
        UserError: If no pair has a query that can be taken apart, or the database is on an engine
            whose times are not understood.
    """
    shapes = find_shapes(pairs, _dialect(database))
    if not shapes:
        raise UserError("No question has SQL to learn from; give questions with their queries.")
    speech = find_speech(shapes, pairs, types)
    index = ValueIndex(speech.domains, database)
    readings = [read(pair.question, index) for pair in pairs]
    ignored = find_ignored(pairs, readings)
    if ignored:
        index = ValueIndex(speech.domains, database, ignored)
        readings = [read(one.question, index) if one.says_any(ignored) else one for one in readings]
    kinds = find_kinds(shapes, pairs, readings, types, speech)
    usable = [
        at for at, pair in enumerate(pairs) if pair.sql is None or kinds.of_pairs[at] is not None
    ]
    said = [features(reading) for reading in readings]
    return index, speech, ignored, Material(list(pairs), readings, said, kinds, usable)


def _dialect(database: Database) -> Dialect:
    dialects: tuple[Dialect, ...] = get_args(Dialect)
    for known in dialects:
        if known == database.dialect:
            return known
    raise UserError(
        f"Database {database.url} is on {database.dialect}; the parser writes the SQL of "
        f"{', '.join(dialects)} only."
    )
