"""Writes the instruction of a simulated user: a person's wishes, one sentence each."""

from collections.abc import Iterator, Mapping
from functools import cache
from random import Random
from typing import Any

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
    return random.choice(wordings()[frame]).format(**slots)


@cache
def wordings() -> Mapping[str, tuple[str, ...]]:
    """The ways to say each frame, by its name: "goal.drug.one"."""
    return dict(_frames(read_toml(__package__, "wordings.toml"), ""))


def _frames(table: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, entry in table.items():
        if isinstance(entry, list):
            yield prefix + name, tuple(entry)
        else:
            yield from _frames(entry, f"{prefix}{name}.")
