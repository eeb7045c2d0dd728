"""What a parser makes of questions that were kept out of its training."""

import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple, TypeVar

from wardround.agents.parser.attempts import Candidate
from wardround.agents.parser.confidence import Evidence
from wardround.agents.parser.parser import Parser
from wardround.agents.parser.query_runner import rows_of
from wardround.agents.parser.training_data import Material

# So many times a part of the questions is kept out of training, to see how sure one can be of a
# question of a known kind in new words, and of one of a kind met in other words at most.
_TURNS = 3

# Which share of the kinds, and of the wordings, is kept out each time. Of the questions that
# records cannot answer more are kept out: hospitals ask more of them.
_KINDS_OUT = 0.15
_WORDINGS_OUT = 0.15
_REFUSED_OUT = 0.33

# How many of the questions kept out are answered each time.
_CHECKED = 250

_PIECE = re.compile(r"'(?:[^']|'')*'|[^']+")

Group = TypeVar("Group", int, str)


class Checked(NamedTuple):
    """A question that was kept out: what was known of the answer, and whether it was right."""

    evidence: Evidence
    right: bool


def checked(parser: Parser, material: Material, asked: int) -> list[Checked]:
    """What parsers that lack some questions make of these.

    Args:
        parser: One that has learnt from all.
        material: What it has learnt from.
        asked: How many of the pairs are questions as they are asked; the others come after them.
    """
    return [
        one
        for turn in range(_TURNS)
        for one in _turn(parser, material, kept_out(material, asked, turn))
    ]


def _turn(parser: Parser, material: Material, out: set[int]) -> Iterator[Checked]:
    of_pairs = material.kinds.of_pairs
    known = {of_pairs[at] for at in material.usable if at not in out}
    variants = tuple(one for one in parser.variants if one.kind in known)
    lacking = replace(parser, decider=material.decider(out), variants=variants)
    for at in random.Random(0).sample(sorted(out), min(_CHECKED, len(out))):
        candidates, evidence = lacking.weighed(material.readings[at])
        sql = material.pairs[at].sql
        right = bool(candidates and sql) and _same_answer(parser, candidates[0], sql or "")
        yield Checked(evidence, right)


def kept_out(material: Material, asked: int, turn: int) -> set[int]:
    """The questions that are kept out at one turn: whole kinds, and whole wordings."""
    own = [at for at in material.usable if at < asked]
    kinds = {at: material.kinds.of_pairs[at] for at in own}
    # Questions that are learnt from alone are of all kinds and in all words that will be asked.
    alone = asked == len(material.pairs)
    words = {at: str(at) if alone else " ".join(material.readings[at].masked) for at in own}
    known = (kind for kind in kinds.values() if kind is not None)
    gone = _drawn(known, turn, 0.0 if alone else _KINDS_OUT)
    said = _drawn((words[at] for at in own if kinds[at] is not None), turn, _WORDINGS_OUT)
    refused = _drawn((words[at] for at in own if kinds[at] is None), turn, _REFUSED_OUT)
    return {
        at
        for at in own
        if (words[at] in refused if kinds[at] is None else kinds[at] in gone or words[at] in said)
    }


def _drawn(groups: Iterable[Group], turn: int, share: float) -> set[Group]:
    """A share of the groups by chance, other ones at each turn."""
    distinct = sorted(set(groups))
    random.Random(0).shuffle(distinct)
    size = int(len(distinct) * share)
    return set(distinct[turn * size : (turn + 1) * size])


def _same_answer(parser: Parser, candidate: Candidate, sql: str) -> bool:
    if candidate.rows is None or looks_alike(candidate.sql, sql):
        return candidate.rows is not None
    gold = rows_of(sql, parser.database, parser.words)
    return gold is not None and sorted(map(repr, gold)) == sorted(map(repr, candidate.rows))


def looks_alike(one: str, other: str) -> bool:
    """Whether two queries differ in blanks and in the case of their words at most."""
    return _plain(one) == _plain(other)


def _plain(sql: str) -> str:
    return _PIECE.sub(lambda one: one[0] if one[0][0] == "'" else _bare(one[0]), sql)


def _bare(text: str) -> str:
    return "".join(text.split()).lower()
