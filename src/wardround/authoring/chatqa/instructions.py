"""Writes the instruction of a simulated user: a person's wishes, one sentence each."""

from collections.abc import Mapping
from random import Random

from wardround.authoring.chatqa.increments import Increment
from wardround.authoring.chatqa.turns.turn import Turn
from wardround.core.packaged_data import read_toml


def increment_instruction(draft: Increment, random: Random) -> str:
    """The instruction of a question whose conditions are told one by one."""
    wishes = (draft.asked, *draft.wishes)
    return " ".join(_said(wish.frame, wish.slots, random) for wish in wishes)


def turn_instruction(turn: Turn, random: Random) -> str:
    """The instruction of a request that finds nothing, and of what is wanted then."""
    return f"{_said(turn.frame, turn.slots, random)} {_said(f'form.{turn.form}', {}, random)}"


def _said(frame: str, slots: Mapping[str, str], random: Random) -> str:
    section, _, name = frame.partition(".")
    ways: list[str] = read_toml(__package__, "wordings.toml")[section][name]
    return random.choice(ways).format(**slots)
