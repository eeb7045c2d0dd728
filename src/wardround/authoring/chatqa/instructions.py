"""Writes the instruction of a simulated user: a person's wishes, one sentence each."""

from collections.abc import Iterator
from random import Random

from wardround.authoring.chatqa.increments import Increment, Wish
from wardround.core.packaged_data import read_toml


def increment_instruction(draft: Increment, random: Random) -> str:
    """The instruction of a question whose conditions are told one by one."""
    return " ".join(_sentences((draft.asked, *draft.wishes), random))


def _sentences(wishes: tuple[Wish, ...], random: Random) -> Iterator[str]:
    for wish in wishes:
        section, _, name = wish.frame.partition(".")
        ways = read_toml(__package__, "wordings.toml")[section][name]
        yield random.choice(ways).format(**wish.slots)
