"""Recorded people repeat their messages and end the conversation only if they did then."""

import pytest

from wardround.core.errors import InfraError
from wardround.core.trajectory import Called, Event, Noted, Returned, Said, Trajectory
from wardround.people.person import RecordedPerson, Utterance

TALK: list[Event] = [Said("user", "hello"), Said("agent", "yes?"), Said("user", "bye")]


async def test_the_lines_come_in_order_and_the_last_one_ends_the_talk() -> None:
    person = RecordedPerson(Trajectory([*TALK, Noted("validation", {})]), "user")
    assert await person.open() == Utterance("hello")
    assert await person.reply("anything") == Utterance("bye", ends=True)
    with pytest.raises(InfraError):
        await person.reply("more")


async def test_a_talk_that_was_cut_off_does_not_end_with_the_persons_last_line() -> None:
    after: list[Event] = [Called("look", {}), Returned("look", "seen")]
    person = RecordedPerson(Trajectory([*TALK, *after]), "user")
    await person.open()
    assert await person.reply("anything") == Utterance("bye", ends=False)


async def test_nobody_in_the_recording_says_nothing() -> None:
    with pytest.raises(InfraError):
        await RecordedPerson(Trajectory(), "user").open()
