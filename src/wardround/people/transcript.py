"""A talk as text, for prompts: who said what, tool calls left out."""

from collections.abc import Iterable

from wardround.core.trajectory import Event, Said


def transcript(events: Iterable[Event], speakers: Iterable[str] = ("user", "agent")) -> str:
    """What the speakers said, a paragraph each.

    Tool calls are left out: a person in the room does not see them, so they cannot excuse or
    convict what the person said.

    >>> print(transcript([Said("user", "How many?"), Said("agent", "Twelve.")]))
    User: How many?
    <BLANKLINE>
    Agent: Twelve.
    """
    heard = set(speakers)
    said = (event for event in events if isinstance(event, Said) and event.speaker in heard)
    return "\n\n".join(f"{event.speaker.capitalize()}: {event.text}" for event in said)
