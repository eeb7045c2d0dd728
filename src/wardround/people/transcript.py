"""Formats a conversation as text for prompts, without tool calls."""

from collections.abc import Iterable

from wardround.core.trajectory import Event, Said


def transcript(events: Iterable[Event], speakers: Iterable[str] = ("user", "agent")) -> str:
    """Formats the speakers' messages, a paragraph each.

    Tool calls are left out: a person does not see them, so they must not affect the verdict on
    what the person said.

    >>> print(transcript([Said("user", "How many?"), Said("agent", "Twelve.")]))
    User: How many?
    <BLANKLINE>
    Agent: Twelve.
    """
    included = set(speakers)
    messages = (event for event in events if isinstance(event, Said) and event.speaker in included)
    return "\n\n".join(f"{event.speaker.capitalize()}: {event.text}" for event in messages)
