"""The parser learnt from pairs of questions and SQL."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import NamedTuple, get_args

from wardround.agents.pairs import Pair
from wardround.agents.parser.attempts import Candidate
from wardround.agents.parser.columns import Types, column_types
from wardround.agents.parser.confidence import (
    PARTS,
    Calibration,
    Evidence,
    best_threshold,
    calibrated,
)
from wardround.agents.parser.deciding import Decider, decider
from wardround.agents.parser.features import features
from wardround.agents.parser.kinds import (
    Kinds,
    Speech,
    find_ignored,
    find_kinds,
    find_shapes,
    find_speech,
)
from wardround.agents.parser.linking import ValueIndex
from wardround.agents.parser.parser import Parser
from wardround.agents.parser.reading import Reading, read
from wardround.agents.parser.running import rows_of
from wardround.core.errors import UserError
from wardround.ehr.database import Database
from wardround.ehr.times import Dialect

# Which share of the kinds, and of the other pairs, is kept out of training to see how sure one can
# be: of a question of a known kind in new words, and of one of a kind met in other words at most.
# Of the questions that records cannot answer more are kept out: hospitals ask more of them.
_KINDS_OUT = 0.15
_PAIRS_OUT = 0.15
_REFUSED_OUT = 0.4

# How many questions kept out are answered.
_CHECKED = 600

# What a wrong answer costs where the threshold is chosen (EHRSQL, RS(10)).
_PENALTY = 10.0

_UNSURE = Calibration((0.0,) * PARTS, (1.0,) * PARTS, (0.0,) * (PARTS + 1))


class Material(NamedTuple):
    """Pairs, read and sorted into kinds."""

    pairs: list[Pair]
    readings: list[Reading]
    features: list[tuple[str, ...]]
    kinds: Kinds
    usable: list[int]


def train(
    pairs: Sequence[Pair],
    database: Database,
    background: Sequence[Pair] = (),
    words: Mapping[str, str] | None = None,
    told: Callable[[str], None] = lambda step: None,
) -> Parser:
    """A parser that has learnt from pairs.

    Args:
        pairs: Questions with their SQL, as they are asked.
        database: What they are asked about; its values are what questions name.
        background: Further pairs, for kinds that the others lack; their wording counts less.
        words: SQL for the words that queries leave open, as `current_time`.
        told: Hears of each step that begins.

    Raises:
        UserError: If no pair has a query that can be taken apart, or the database is on an engine
            whose times are not understood.
    """
    told("reading")
    types = column_types(database)
    every = [*pairs, *background]
    index, speech, ignored, material = _material(every, database, types)
    told("learning")
    whole = _decider(material, material.usable)
    parser = Parser(
        database,
        index,
        tuple(material.kinds.variants),
        speech,
        tuple(ignored),
        whole,
        _UNSURE,
        0.5,
        dict(words or {}),
        _fingerprint(every, database),
    )
    told("checking")
    evidence, right = _checked(parser, material, len(pairs))
    if len(set(right)) < 2:
        return parser
    calibration = calibrated(evidence, right)
    sure = [calibration.confidence(one) for one in evidence]
    return replace(parser, calibration=calibration, threshold=best_threshold(sure, right, _PENALTY))


def kinds_of(pairs: Sequence[Pair], database: Database) -> list[int | None]:
    """The kind of each pair, as the parser tells kinds apart; None where there is no SQL."""
    return _material(list(pairs), database, column_types(database))[-1].kinds.of_pairs


def _material(
    pairs: list[Pair], database: Database, types: Types
) -> tuple[ValueIndex, Speech, list[str], Material]:
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
    return index, speech, ignored, Material(pairs, readings, said, kinds, usable)


def _dialect(database: Database) -> Dialect:
    dialects: tuple[Dialect, ...] = get_args(Dialect)
    for known in dialects:
        if known == database.dialect:
            return known
    raise UserError(
        f"Database {database.url} is on {database.dialect}; the parser writes the SQL of "
        f"{', '.join(dialects)} only."
    )


def _decider(material: Material, those: Sequence[int]) -> Decider:
    return decider(
        material.kinds.descriptions,
        [material.features[at] for at in those],
        [material.kinds.of_pairs[at] for at in those],
    )


def _checked(parser: Parser, material: Material, asked: int) -> tuple[list[Evidence], list[bool]]:
    """What a parser that lacks some pairs makes of them, and whether it is right."""
    out = _kept_out(material, asked)
    kept = [at for at in material.usable if at not in out]
    known = {material.kinds.of_pairs[at] for at in kept}
    variants = tuple(one for one in parser.variants if one.kind in known)
    lacking = replace(parser, decider=_decider(material, kept), variants=variants)
    those = sorted(out)
    random.Random(0).shuffle(those)
    evidence: list[Evidence] = []
    right: list[bool] = []
    for at in those[:_CHECKED]:
        candidates, found = lacking.weighed(material.readings[at])
        evidence.append(found)
        sql = material.pairs[at].sql
        right.append(bool(candidates and sql) and _same_answer(parser, candidates[0], sql or ""))
    return evidence, right


def _kept_out(material: Material, asked: int) -> set[int]:
    chance = random.Random(0)
    of_pairs = material.kinds.of_pairs
    own = [at for at in material.usable if at < asked]
    kinds = sorted({kind for at in own if (kind := of_pairs[at]) is not None})
    # Questions that are learnt from alone are of all kinds that will be asked.
    share = _KINDS_OUT if asked < len(material.pairs) else 0.0
    gone = set(chance.sample(kinds, int(len(kinds) * share)))
    return {
        at
        for at in own
        if of_pairs[at] in gone
        or chance.random() < (_REFUSED_OUT if of_pairs[at] is None else _PAIRS_OUT)
    }


def _same_answer(parser: Parser, candidate: Candidate, sql: str) -> bool:
    gold = rows_of(sql, parser.database, parser.words)
    if gold is None or candidate.rows is None:
        return False
    return sorted(map(repr, gold)) == sorted(map(repr, candidate.rows))


def _fingerprint(pairs: Sequence[Pair], database: Database) -> str:
    digest = sha256(database.fingerprint().encode())
    for pair in pairs:
        digest.update(f"{pair.question}\0{pair.sql}\0".encode())
    return digest.hexdigest()
