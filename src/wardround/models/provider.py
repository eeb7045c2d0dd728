"""Models at providers through pydantic-ai, with wardround's own errors and retries."""

import logging
import os
import re
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelResponse
from pydantic_ai.models import Model, infer_model
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIChatModelSettings
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers import Provider, infer_provider, infer_provider_class
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from pydantic_ai.settings import ModelSettings as ProviderSettings
from pydantic_ai.settings import merge_model_settings

from wardround.core.errors import UserError
from wardround.models.bounds import added_tokens, bounded, tokens
from wardround.models.exchange import USED_TOKENS, Answer, Request
from wardround.models.http_client import LeanOpenAI
from wardround.models.model import ModelSettings
from wardround.models.retry import (
    FAULTS,
    RetryPolicy,
    describe,
    display_name,
    is_transient,
    translate,
    with_retries,
)
from wardround.models.translate import from_response, to_messages, to_parameters, to_settings

log = logging.getLogger(__name__)

NO_KEY = "no-key-needed"
"""Sent to a server without a named key; a provider's own key never goes to another server."""

_COMPATIBLE = OpenAIModelProfile(
    supports_json_schema_output=True, openai_chat_supports_max_completion_tokens=False
)


class ProviderSource:
    """Answers requests by a provider, with retries after transient faults."""

    def __init__(self, settings: ModelSettings, first_wait: float = 1.0) -> None:
        self._settings = settings
        self._policy = RetryPolicy(settings.retries, first_wait, settings.max_wait)
        self._model = open_provider(settings)

    async def __call__(self, request: Request) -> Answer:
        """Sends a request, with retries after transient faults.

        Raises:
            ConversationTooLongError: the messages exceed the model's context window.
            InfraError: the provider failed more often than the settings allow.
            UserError: the provider rejects the key or does not have the model.
        """
        messages = to_messages(request.messages)
        parameters = to_parameters(request, self._model.profile)
        settings = self._with_effort(to_settings(request, self._settings.timeout))

        token_counts = USED_TOKENS.get([])
        USED_TOKENS.set(token_counts)
        start = len(token_counts)

        async def ask() -> Answer:
            before = len(token_counts)
            response = await model_request(
                self._model,
                messages,
                model_settings=settings,
                model_request_parameters=parameters,
                instrument=False,
            )
            usage = response.usage
            reply = from_response(response, request)
            counts = token_counts[start:]  # of failed attempts too
            if len(token_counts) == before:
                counts.append((tokens(usage.input_tokens), tokens(usage.output_tokens)))
            read, written = (added_tokens(*of_all) for of_all in zip(*counts, strict=True))
            return Answer(reply, read, written, self._cost(response, read, written))

        answer, retries = await with_retries(
            ask,
            self._policy,
            faults=FAULTS,
            transient=is_transient,
            give_up=lambda failed, stopped: translate(
                failed, self._settings, self._keys(), stopped
            ),
            waiting=self._announce,
            seed=lambda: request.key,
        )
        return bounded(replace(answer, retries=retries))

    async def close(self) -> None:
        """Closes the connections."""
        client: Any = getattr(self._model, "client", None)
        if hasattr(client, "close"):
            await client.close()

    def _announce(self, error: Exception, wait: str) -> None:
        """Logs a waiting request, which could be mistaken for a frozen run."""
        reason = describe(error, self._settings, self._keys())
        log.warning("%s: %s; the next try is in %s.", display_name(self._settings), reason, wait)

    def _keys(self) -> set[str]:
        """The API keys sent to the provider."""
        client: Any = getattr(self._model, "client", None)
        named = os.environ.get(self._settings.api_key_env or "", "")
        key = getattr(client, "api_key", None)
        sent = {named, key if isinstance(key, str) else ""}
        return sent - {"", NO_KEY}

    def _with_effort(self, settings: ProviderSettings) -> ProviderSettings:
        """Adds the reasoning effort; for the user's own server regardless of the model."""
        effort = self._settings.reasoning_effort
        if effort is None:
            return settings
        if self._settings.base_url is None:
            return merge_model_settings(settings, ProviderSettings(thinking=effort)) or settings
        openai = OpenAIChatModelSettings(openai_reasoning_effort=effort)
        return merge_model_settings(settings, openai) or settings

    def _cost(self, response: ModelResponse, read: int | None, written: int | None) -> float | None:
        """US dollars at the user's price, else the list price; None if it is unknown."""
        input_price, output_price = self._settings.input_price, self._settings.output_price
        if input_price is not None and output_price is not None:
            if read is None or written is None:
                return None
            return (read * input_price + written * output_price) / 1e6
        if self._settings.base_url is not None:
            return None
        try:
            return float(response.cost().total_price)
        except (LookupError, ValueError):
            return None


def open_provider(settings: ModelSettings) -> Model:
    """Opens a model, without a request.

    Raises:
        UserError: the provider is unknown or not installed, or has no key.
    """
    kind, _, model = settings.name.partition(":")
    if not kind or not model:
        raise UserError(
            f"The model name {settings.name!r} names no provider: write it as PROVIDER:MODEL, "
            "for example openai:gpt-4o-mini, or your own as module:function."
        )
    return _at_url(settings, kind, model) if settings.base_url else _at_provider(settings, kind)


def is_provider(name: str) -> bool:
    """True if pydantic-ai knows a provider of this name, installed or not."""
    try:
        infer_provider_class(name)
    except ImportError:
        return True
    except ValueError:
        return False
    return True


def server_of(settings: ModelSettings) -> str:
    """The address at which a provider's model is asked, without a password; "" if it is not known.

    It needs no key. Environment variables such as `OPENAI_BASE_URL` are followed.
    """
    try:
        model = infer_model(settings.name, _provider_maker(NO_KEY))
    except Exception as error:  # each provider's client has its own exceptions
        log.info("the server of a model is not known: %s", type(error).__name__)
        return ""
    address = urlsplit(model.base_url or "")
    return address._replace(netloc=address.netloc.rpartition("@")[2]).geturl()


def _at_url(settings: ModelSettings, kind: str, model: str) -> Model:
    if kind not in ("openai", "openai-chat"):
        raise UserError(
            f"The model {settings.name!r} cannot be used with `base_url`: it is for "
            f"OpenAI-compatible servers, whose models are named openai:{model}."
        )
    if not str(settings.base_url).startswith(("http://", "https://")):
        raise UserError(
            f"The `base_url` {settings.base_url!r} of model {settings.name!r} must start with "
            "http:// or https://."
        )
    client = LeanOpenAI(str(settings.base_url), _key(settings) or NO_KEY)
    provider = OpenAICompatibleProvider("openai-compatible", openai_client=client)
    return OpenAIChatModel(model, provider=provider, profile=_COMPATIBLE)


def _at_provider(settings: ModelSettings, kind: str) -> Model:
    if not is_provider(kind):
        raise UserError(
            f"The provider {kind!r} of model {settings.name!r} is not known: use one such as "
            "openai, anthropic or google, openai:NAME with `base_url`, or your own as "
            "module:function."
        )
    maker = _provider_maker(_key(settings))
    try:
        model = infer_model(settings.name, maker)
    except ImportError as error:
        raise UserError(_missing_package(settings.name, str(error))) from error
    except Exception as error:  # each provider's client has its own exceptions
        raise UserError(_missing_key(settings.name, str(error))) from error
    client: Any = getattr(model, "client", None)
    if hasattr(client, "max_retries"):
        client.max_retries = 0  # only our retries, which are counted
    return model


def _provider_maker(key: str | None) -> Any:
    if key is None:
        return infer_provider

    def make(kind: str) -> Provider[Any]:
        maker: Any = infer_provider_class(kind)
        provider: Provider[Any] = maker(api_key=key)
        return provider

    return make


def _key(settings: ModelSettings) -> str | None:
    """The API key from the environment variable named in the settings."""
    if settings.api_key_env is None:
        return None
    key = os.environ.get(settings.api_key_env)
    if not key:
        raise UserError(
            f"The environment variable {settings.api_key_env}, which `api_key_env` of model "
            f"{settings.name!r} names, is not set: set it to the key."
        )
    return key


def _missing_package(name: str, error: str) -> str:
    extra = re.search(r"pydantic-ai-slim\[([\w-]+)\]", error)
    package = f"pydantic-ai-slim[{extra[1]}]" if extra else "the provider's package"
    return f"The model {name!r} needs a package that is not installed: pip install '{package}'."


def _missing_key(name: str, error: str) -> str:
    variable = re.search(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b", error)
    if variable is None:
        return f"The model {name!r} cannot be opened: {error}"
    return (
        f"The model {name!r} needs a key: set the environment variable {variable[0]}, "
        "or name another one with `api_key_env`."
    )
