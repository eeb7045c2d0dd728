"""A language model of your own: a Python function that answers requests."""

import asyncio
import inspect
import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, TypeAlias

from wardround.core import plugins
from wardround.core.errors import InfraError, UserError, WardroundError
from wardround.models.exchange import Answer, Request
from wardround.models.messages import Reply
from wardround.models.model import ModelSettings

GROUP = "wardround.models"

AnswerFunction: TypeAlias = Callable[[Request], Any]
"""Takes a `Request` and returns its answer, or an awaitable of it: a text, `Reply` or `Answer`."""


class FunctionSource:
    """Answers requests by calling a function, on a worker thread if it is not async."""

    def __init__(self, function: AnswerFunction, name: str) -> None:
        self._function = function
        self._name = name

    async def __call__(self, request: Request) -> Answer:
        """The function's answer.

        Raises:
            InfraError: the function raised an exception other than wardround's own, or returned
                a value that is not an answer.
        """
        try:
            returned = await self._answer(request)
        except WardroundError:
            raise
        except Exception as error:
            raise InfraError(
                f"Model {self._name!r} failed ({type(error).__name__}: {error})."
            ) from error
        match returned:
            case str():
                return Answer(Reply(returned))
            case Reply():
                return Answer(returned)
            case Answer():
                return returned
        raise InfraError(
            f"Model {self._name!r} returned {type(returned).__name__}: return a text, a Reply or "
            "an Answer."
        )

    async def _answer(self, request: Request) -> Any:
        if inspect.iscoroutinefunction(self._function):
            return await self._function(request)
        returned = await asyncio.to_thread(self._function, request)
        return await returned if inspect.isawaitable(returned) else returned


def own_model(settings: ModelSettings) -> FunctionSource | None:
    """The function behind an installed model or `module:function`; None for other names.

    Names of providers take precedence over those of modules.

    Raises:
        UserError: it cannot be imported, or is not a function.
    """
    name = settings.name
    if settings.base_url is not None or not _is_own(name):
        return None
    function = plugins.load(GROUP, name)
    if not callable(function):
        raise UserError(f"The model {name!r} is not a function; name one that answers a request.")
    return FunctionSource(function, name)


def _is_own(name: str) -> bool:
    module, colon, _ = name.partition(":")
    if not colon:
        return name in plugins.names(GROUP)
    if "" not in sys.path:  # an installed command does not look in the current folder by itself
        sys.path.insert(0, "")
    try:
        if find_spec(module) is None:
            return False
    except (ImportError, ValueError):
        return False
    if "." in module:  # no provider has such a name, and their libraries are slow to import
        return True
    from wardround.models.provider import is_provider

    return not is_provider(module)
