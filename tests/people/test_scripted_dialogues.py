"""Talks with agents that ask, answer early and report absence: what the user raises, and when.

An agent of the fixture gives the last of its replies whose cue the user has said so far.
"""

import asyncio
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import orjson
import pytest

from wardround.people.end_token import END
from wardround.people.patterns import packaged
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
        said = [(await user.open()).text]
        while said[-1] != END and len(said) < 30:
            heard = "\n".join(said)
            reply = [line for cue, line in case["agent"] if cue in heard][-1]
            said.append((await user.reply(reply)).text)
        return said

    return asyncio.run(live())


def checks(said: list[str]) -> list[int]:
    """The turns with a double check."""
    return [n for n, text in enumerate(said) if text.endswith(tuple(packaged("wording")["check"]))]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['category']}: {case['agent'][-1]}")
@pytest.mark.parametrize("seed", SEEDS)
def test_talk(case: dict[str, Any], seed: int) -> None:
    said = talk(case, seed)
    whole = "\n".join(said)
    in_order = [whole.find(piece) for piece in case["raised"]]
    assert -1 not in in_order, case["raised"]
    assert in_order == sorted(in_order)
    assert all(whole.count(piece) == 1 for piece in [*case["raised"], *case.get("all", [])])
    assert not any(piece in whole for piece in case.get("never", []))
    assert said[-1] == END
    assert len(said) <= LONGEST
    assert checks(said) == [len(said) - 2]
    assert all(len(sentences(re.sub(r"^(Okay|Right)\. ", "", text))) <= 2 for text in said)
    leave = packaged("wording")["leave"]
    assert not any(a in leave and b in leave for a, b in pairwise(said))
