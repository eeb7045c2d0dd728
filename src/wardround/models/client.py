"""Language models, opened once by their settings and bound to a role in each trial."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING

import orjson
from pydantic import BaseModel, ValidationError

from wardround.core.errors import MalformedAnswerError
from wardround.core.tools import ToolSpec
from wardround.core.trajectory import Requested
from wardround.models.bounds import added_tokens, with_bounds
from wardround.models.exchange import USED_TOKENS, Request, Source
from wardround.models.messages import Message, Reply
from wardround.models.model import Model, ModelSettings, Schema
from wardround.models.own_model import own_model

if TYPE_CHECKING:
    from wardround.models.cache import ResponseCache
    from wardround.models.recording import Recorder, Recording
from wardround.models.exchange import Answer

REPAIRS = 2


async def _no_close() -> None:
    """Closes a source without resources."""


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """An opened model; `bind` gives it a role in a trial.

    Attributes:
        settings: its name and parameters.
        source: answers its requests.
        close: closes its connections; to be awaited in the event loop that used them.
    """

    settings: ModelSettings
    source: Source
    close: Callable[[], Awaitable[None]] = _no_close

    def bind(self, role: str, record: Callable[[Requested], None], seed: int | None) -> Model:
        """Returns the model for one role.

        Args:
            role: the asking role: "agent", "user", "validator"...
            record: called with each answered request.
            seed: the role's seed in this trial; sent if the settings say so.
        """
        return _BoundModel(self.settings, self.source, role, record, seed)


def open_model(
    settings: ModelSettings,
    *,
    cache: "ResponseCache | None" = None,
    recorder: "Recorder | None" = None,
    first_wait: float = 1.0,
) -> LanguageModel:
    """Opens a model at its provider, without a request.

    Args:
        settings: its name and parameters.
        cache: consulted first, and stores all new answers; none by default.
        recorder: records all exchanges, including cached ones; none by default.
        first_wait: seconds to wait after the first provider fault; doubled with each.

    Raises:
        UserError: the provider is unknown or not installed, or has no key.
    """
    source, close = _source(settings, first_wait)
    if cache is not None:
        source = cache.before(source)
    if recorder is not None:
        source = recorder.around(source)
    return LanguageModel(settings, source, close)


def _source(
    settings: ModelSettings, first_wait: float
) -> tuple[Source, Callable[[], Awaitable[None]]]:
    """The source of the model's answers, and the function that closes it."""
    if (named_model := own_model(settings)) is not None:
        return with_bounds(named_model), _no_close
    from wardround.models.provider import ProviderSource

    provider = ProviderSource(settings, first_wait)
    return provider, provider.close


def replayed(settings: ModelSettings, recording: "Recording") -> LanguageModel:
    """A model that answers from a recording only; its settings must be those of the recording."""
    return LanguageModel(settings, recording.answer)


@dataclass(frozen=True, slots=True)
class _BoundModel:
    settings: ModelSettings
    source: Source
    role: str
    record: Callable[[Requested], None]
    seed: int | None

    @property
    def name(self) -> str:
        """The model's name, as in the settings."""
        return self.settings.name

    async def chat(self, messages: Sequence[Message], tools: Sequence[ToolSpec] = ()) -> Reply:
        """Asks for the next message."""
        return await self._ask(replace(self._request(messages), tools=tuple(tools)))

    async def structured(self, messages: Sequence[Message], schema: type[Schema]) -> Schema:
        """Asks for an answer of a schema; invalid answers are sent back with their errors."""
        request = replace(
            self._request(messages),
            schema=schema.model_json_schema(),
            schema_name=schema.__name__,
        )
        repairs = 0
        while True:
            reply = await self._ask(request)
            try:
                return read_answer(reply, schema)
            except ValidationError as error:
                if repairs == REPAIRS:
                    raise MalformedAnswerError(
                        f"Model {self.name!r} gave no {schema.__name__} in {repairs + 1} tries: "
                        f"{describe(error)}."
                    ) from None
                again = ask_again(reply, error, schema)
            request = replace(request, messages=request.messages + again)
            repairs += 1

    def _request(self, messages: Sequence[Message]) -> Request:
        seed = self.seed if self.settings.seeded else None
        return Request(
            model=self.settings.name,
            base_url=self.settings.base_url,
            messages=tuple(messages),
            temperature=self.settings.temperature,
            reasoning_effort=self.settings.reasoning_effort,
            max_tokens=self.settings.max_tokens,
            seed=None if seed is None else seed % 2**31,  # in the range of every provider
        )

    async def _ask(self, request: Request) -> Reply:
        return (await answered(self.source, request, self.role, self.record)).reply


async def answered(
    source: Source, request: Request, role: str, record: Callable[[Requested], None]
) -> Answer:
    """The answer to a request, recorded for a role; tokens of failed requests are recorded too."""
    started = perf_counter()
    used: list[tuple[int | None, int | None]] = []
    USED_TOKENS.set(used)
    try:
        answer = await source(request)
    except BaseException:
        if used:
            read, written = (added_tokens(*counts) for counts in zip(*used, strict=True))
            seconds = perf_counter() - started
            record(Requested(role, request.model, read, written, None, seconds))
        raise
    record(
        Requested(
            role=role,
            model=request.model,
            input_tokens=answer.input_tokens,
            output_tokens=answer.output_tokens,
            cost=answer.cost,
            seconds=perf_counter() - started,
            retries=answer.retries,
            cached=answer.cached,
        )
    )
    return answer


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


"""The most repair requests after an invalid answer."""


def read_answer(reply: Reply, schema: type[Schema]) -> Schema:
    r"""Parses the outermost JSON object in a reply, ignoring text around it.

    >>> class Verdict(BaseModel):
    ...     passed: bool
    >>> read_answer(Reply('Here it is:\n```json\n{"passed": true}\n```'), Verdict)
    Verdict(passed=True)

    Raises:
        pydantic.ValidationError: there is no JSON object, or it does not match the schema.
    """
    text = reply.text
    start, end = text.find("{"), text.rfind("}")
    return schema.model_validate_json(text[start : end + 1] if 0 <= start < end else text)


def ask_again(reply: Reply, error: ValidationError, schema: type[BaseModel]) -> tuple[Message, ...]:
    """The messages of a repair request: the invalid answer and its errors."""
    invalid = Message("assistant", reply.text)
    json_schema = orjson.dumps(schema.model_json_schema()).decode()
    cut_off = " It was cut off: be shorter." if reply.finish_reason == "length" else ""
    text = (
        f"That answer does not have the form asked for ({describe(error)}).{cut_off} "
        f"Answer again with one JSON object and nothing else. Its JSON schema is: {json_schema}"
    )
    return (invalid, Message("user", text))


def describe(error: ValidationError) -> str:
    """The errors field by field, without the values."""
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    return "; ".join(f"{_field_path(problem['loc'])}: {problem['msg']}" for problem in problems)


def _field_path(location: tuple[int | str, ...]) -> str:
    return ".".join(map(str, location)) or "answer"
