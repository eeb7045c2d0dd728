"""The parser learnt from pairs of questions and SQL."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

from wardround.agents.pairs import Pair
from wardround.agents.parser.columns import column_types
from wardround.agents.parser.confidence import PARTS, Calibration, best_threshold, calibrated
from wardround.agents.parser.cross_validation import checked
from wardround.agents.parser.parser import Parser
from wardround.agents.parser.training_data import find_material
from wardround.ehr.database import Database

# What a wrong answer costs where the threshold is chosen (EHRSQL, RS(10)).
_PENALTY = 10.0

_UNSURE = Calibration((0.0,) * PARTS, (1.0,) * PARTS, (0.0,) * (PARTS + 1))


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
    every = [*pairs, *background]
    index, speech, ignored, material = find_material(every, database, column_types(database))
    told("learning")
    parser = Parser(
        database,
        index,
        tuple(material.kinds.variants),
        speech,
        tuple(ignored),
        material.decider(),
        _UNSURE,
        0.5,
        dict(words or {}),
        _fingerprint(every, database),
    )
    told("checking")
    evidence, right = [], []
    for one in checked(parser, material, len(pairs)):
        evidence.append(one.evidence)
        right.append(one.right)
    if len(set(right)) < 2:
        return parser
    calibration = calibrated(evidence, right)
    sure = [calibration.confidence(one) for one in evidence]
    return replace(parser, calibration=calibration, threshold=best_threshold(sure, right, _PENALTY))


def _fingerprint(pairs: Sequence[Pair], database: Database) -> str:
    digest = sha256(database.fingerprint().encode())
    for pair in pairs:
        digest.update(f"{pair.question}\0{pair.sql}\0".encode())
    return digest.hexdigest()
