"""Conversations with agents that ask, answer early and report absence.

An agent of the fixture gives the last of its replies whose cue the user has said so far.
"""

import asyncio
import re
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import orjson

from tests.cases import for_each
from wardround.people.patterns import packaged
from wardround.people.person import END
from wardround.people.scripted_user import ScriptedUser
from wardround.people.sentences import sentences

CASES = [
    orjson.loads(line)
    for line in (Path(__file__).parent / "fixtures/dialogues.jsonl").read_bytes().splitlines()
]
SEEDS = range(25)
# The opening and the end token beside eight turns of content.
LONGEST = 10


def talk(case: dict[str, Any], seed: int) -> list[str]:
    """The user's turns."""

    async def live() -> list[str]:
        user = ScriptedUser(case["instruction"], seed)
        turns = [(await user.open()).text]
        while turns[-1] != END and len(turns) < 30:
            so_far = "\n".join(turns)
            reply = [line for cue, line in case["agent"] if cue in so_far][-1]
            turns.append((await user.reply(reply)).text)
        return turns

    return asyncio.run(live())


def checks(turns: list[str]) -> list[int]:
    """The turns with a double check."""
    return [
        n
        for n, text in enumerate(turns)
        if text.endswith(tuple(packaged("user_wordings")["check"]))
    ]


@for_each(product(CASES, SEEDS))
def test_talk(case: dict[str, Any], seed: int) -> None:
    turns = talk(case, seed)
    whole = "\n".join(turns)
    in_order = [whole.find(piece) for piece in case["raised"]]
    assert -1 not in in_order, case["raised"]
    assert in_order == sorted(in_order)
    assert all(whole.count(piece) == 1 for piece in [*case["raised"], *case.get("all", [])])
    assert not any(piece in whole for piece in case.get("never", []))
    assert turns[-1] == END
    assert len(turns) <= LONGEST
    assert checks(turns) == [len(turns) - 2]
    assert all(len(sentences(re.sub(r"^(Okay|Right)\. ", "", text))) <= 2 for text in turns)
    leave = packaged("user_wordings")["leave"]
    assert not any(a in leave and b in leave for a, b in pairwise(turns))
