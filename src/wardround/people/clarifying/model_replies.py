"""Extracts the user's reply from a model's output."""

import re
from collections.abc import Sequence

from wardround.models.messages import Message
from wardround.models.model import Model

TRIES = 3
_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.S | re.I)
_TAGGED = re.compile(r"<s>(.*?)(?:</s>|\Z)", re.S | re.I)
_SPEAKER = re.compile(r"^\W*(?:user|answer|response|reply)\s*:\s*", re.I)


async def spoken_reply(model: Model, messages: Sequence[Message]) -> str:
    """Returns the user's reply; empty if the model gives none in three tries.

    Raises:
        InfraError: The provider failed.
    """
    for _ in range(TRIES):
        reply = await model.chat(messages)
        if text := spoken_part(reply.text):
            return text
    return ""


def spoken_part(written: str) -> str:
    """Strips thoughts, tags, quotes and the speaker's name.

    >>> spoken_part('<think>age</think> User: <s>"Older than 80."</s>')
    'Older than 80.'
    >>> spoken_part("<think>I cannot")
    ''
    """
    text = _THOUGHT.sub(" ", written)
    if tagged := _TAGGED.findall(text):
        text = next((text_part for text_part in reversed(tagged) if text_part.strip()), "")
    return re.sub(r"</?s>", " ", _SPEAKER.sub("", text.strip())).strip().strip("\"'").strip()
