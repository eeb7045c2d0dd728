"""Instructions written without sight of the grammar, carried out in whole talks.

The agent answers each new piece with "Anything else?". Once the user has nothing new to say, it
gives its next report, if it has one left.
"""

import asyncio
import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import orjson
import pytest

from wardround.people.patterns import packaged
from wardround.people.person import END
from wardround.people.scripted_user import ScriptedUser

HERE = Path(__file__).parent
# 25, 30: a word that is held back is also in another request, or in the double check.
HELD_OUT_MISSES = [25, 30]
# Worded by a small language model, which dropped conditions (12) or named in a requirement what
# must not be said (8).
WORDED_MISSES = [8, 12]

# 13: "Bring up the age only after …" is said. 18: so is "be content with". 26: "If the agent gives
# the result anyway" passes for an answer to go on from. 33: "the number" is in both branches.
LATER_MISSES = [13, 18, 26, 33]


def cases(path: str) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in (HERE / path).read_bytes().splitlines()]


CASES = cases("held_out_instructions.jsonl")
SEEDS = range(3)
LONGEST = 40


def talk(instruction: str, reports: tuple[str, ...], seed: int) -> list[tuple[str, str]]:
    """Pairs of what the agent said and what the user answered; the first agent turn is empty."""

    async def live() -> list[tuple[str, str]]:
        user, left = ScriptedUser(instruction, seed), list(reports)
        turns = [("", (await user.open()).text)]
        while turns[-1][1] != END and len(turns) < LONGEST:
            message = left.pop(0) if left and _waits(turns[-1][1]) else "Anything else?"
            turns.append((message, (await user.reply(message)).text))
        return turns

    return asyncio.run(live())


def _waits(text: str) -> bool:
    """True if the user has nothing new to say."""
    wordings = packaged("user_wordings")
    return text in wordings["press"] or text.endswith(tuple(wordings["check"]))


def times_said(alternatives: list[str], turns: list[tuple[str, str]]) -> int:
    """Counts the mentions of any of the alternatives; overlapping ones count once."""
    text = "\n".join(user for _, user in turns)
    return max(_count(words, text) for words in alternatives)


def times_written(alternatives: list[str], instruction: str) -> int:
    """Counts the mentions of any of the alternatives in the instruction itself, at least 1."""
    return max(1, *(_count(words, instruction) for words in alternatives))


def _count(words: str, text: str) -> int:
    """Counts the places where a text has words that begin as these do."""
    wanted = words.lower().replace("don't", "do not")
    plain = text.lower().replace("don't", "do not")
    return len(re.findall(rf"(?<!\w){re.escape(wanted)}", plain))


def held_items(case: dict[str, Any]) -> list[dict[str, Any]]:
    """The requirements that wait for a cue."""
    return [{"cue": held["cue"], "say": words} for held in case["held"] for words in held["say"]]


def defects(case: dict[str, Any], seed: int) -> Iterator[str]:
    instruction, held = case["instruction"], held_items(case)
    alone = talk(instruction, (), seed)
    for alternatives in case["say"]:
        if not 1 <= times_said(alternatives, alone) <= times_written(alternatives, instruction):
            yield f"{alternatives} is said {times_said(alternatives, alone)} times"
    for item in held:
        if times_said(item["say"], alone):
            yield f"{item['say']} is said without its cue"
    for number, item in enumerate(held):
        if not any(_is_held(case, number, cues, seed) for cues in _reports(held, number)):
            yield f"{item['say']} is not said after its cue"
    cued = [talk(instruction, (item["cue"],), seed) for item in held]
    for words in case["never"]:
        if any(times_said([words], turns) for turns in (alone, *cued)):
            yield f"{words!r} is said"


def _reports(held: list[dict[str, Any]], number: int) -> Iterator[tuple[int, ...]]:
    """The items whose cues the agent gives in turn: any earlier ones, and this one last."""
    for count in range(number + 1):
        for earlier in combinations(range(number), count):
            yield (*earlier, number)


def _is_held(case: dict[str, Any], number: int, cues: tuple[int, ...], seed: int) -> bool:
    """True if an item is said once, after its cue, and no other item before its own."""
    held = held_items(case)
    turns = talk(case["instruction"], tuple(held[cue]["cue"] for cue in cues), seed)
    agent = [message for message, _ in turns]
    for item in held:
        heard = agent.index(item["cue"]) if item["cue"] in agent else len(turns)
        if times_said(item["say"], turns[:heard]):
            return False
    words = held[number]["say"]
    return 1 <= times_said(words, turns) <= times_written(words, case["instruction"])


def misses(cases: list[dict[str, Any]]) -> list[int]:
    """The numbers of the instructions that are not carried out, from 1."""
    return [
        number
        for number, case in enumerate(cases, 1)
        if any(any(defects(case, seed)) for seed in SEEDS)
    ]


def test_held_out_instructions_but_for_the_known_misses() -> None:
    assert misses(CASES) == HELD_OUT_MISSES


@pytest.mark.parametrize(
    ("name", "known"),
    [("development", []), ("styles", []), ("worded", WORDED_MISSES), ("later", LATER_MISSES)],
)
def test_development_instructions_but_for_the_known_misses(name: str, known: list[int]) -> None:
    assert misses(cases(f"fixtures/instructions_{name}.jsonl")) == known
