"""A model whose replies come from a Python function, for tests and benchmarks."""

from collections.abc import Callable, Sequence

from wardround.core.tools import ToolSpec
from wardround.models.client import LanguageModel
from wardround.models.exchange import Answer, Request
from wardround.models.messages import Message, Reply
from wardround.models.settings import ModelSettings


def scripted(
    answer: Callable[[Sequence[Message], Sequence[ToolSpec]], Reply], name: str = "scripted"
) -> LanguageModel:
    """A model whose replies come from a function; a structured answer is a reply with JSON.

    >>> import asyncio
    >>> echo = scripted(lambda messages, tools: Reply(messages[-1].text.upper()))
    >>> model = echo.bind("user", print, seed=None)
    >>> asyncio.run(model.chat([Message("user", "ward 3")])).text  # doctest: +ELLIPSIS
    Requested(role='user', model='scripted', input_tokens=0, output_tokens=0, cost=0.0, ...)
    'WARD 3'
    """

    async def source(request: Request) -> Answer:
        return Answer(answer(request.messages, request.tools), cost=0.0)

    return LanguageModel(ModelSettings(name=name), source)
