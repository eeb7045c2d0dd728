"""Tools: typed Python functions that agents call with JSON arguments."""

import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from pydantic import ValidationError

from wardround.core.actions import Call
from wardround.core.errors import ToolError
from wardround.core.parameters import (
    Parameters,
    from_json_schema,
    from_signature,
    read_docstring,
)


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as agents see it.

    Attributes:
        parameters: a JSON schema.
        price: the price of a call in budget units.
        role: the work that tools of several benchmarks do under different names, such as
            `run_query`, by which agents without a language model find it; "" for other tools.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    price: float = 0.0
    role: str = ""

    def as_json(self) -> dict[str, Any]:
        """The name, description and parameters, as JSON values."""
        return {
            "name": self.name,
            "description": self.description,
            "parameters": self.parameters,
        }

    def call(self, *values: Any, **named: Any) -> Call:
        """A call with values in the order of the parameters, and others by their names.

        Values that the tool does not take are left out.

        >>> rows = {"type": "object", "properties": {"sql": {}, "k": {}}}
        >>> ToolSpec("execute", "", rows).call("SELECT 1", k=5, confidence=0.5)
        Call(tool='execute', arguments={'sql': 'SELECT 1', 'k': 5})
        """
        parameters = self.parameters.get("properties", {})
        given = {**dict(zip(parameters, values, strict=False)), **named}
        return Call(self.name, {name: given[name] for name in given if name in parameters})


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool in the environment: its description, its parameters and its function."""

    spec: ToolSpec
    parameters: Parameters
    function: Callable[..., str | Awaitable[str]]

    async def run(self, arguments: Mapping[str, Any]) -> str:
        """Checks the arguments and calls the function.

        Raises:
            ToolError: an argument is missing, unknown or of the wrong type, or the tool refuses.
        """
        try:
            given = self.parameters.read(arguments)
        except ValidationError as error:
            raise ToolError(f"{self.spec.name}: {_first_problem(error)}") from None
        result = self.function(**given)
        return await result if inspect.isawaitable(result) else result


def tool(
    function: Callable[..., str | Awaitable[str]],
    *,
    name: str | None = None,
    price: float = 0.0,
    role: str = "",
    parameters: dict[str, Any] | None = None,
) -> Tool:
    """Makes a tool of a function whose parameters are annotated and described in its docstring.

    Args:
        function: the function; its docstring is the tool's description.
        name: the tool's name, which may hold dots; the function's own by default.
        price: the price of a call in budget units.
        role: its role, if it does work that other benchmarks have tools for too.
        parameters: a JSON schema that replaces the function's annotations; the function is then
            called with the schema's names as keywords and can accept any by `**arguments`.

    >>> def ward_list(floor: int, k: int = 10) -> str:
    ...     '''Lists the wards of a floor.
    ...
    ...     Args:
    ...         floor: the floor's number.
    ...         k: how many at most.
    ...     '''
    ...     return f"{k} wards on floor {floor}"
    >>> tool(ward_list).spec.parameters["properties"]["floor"]["description"]
    "the floor's number."
    """
    # Cached by code: each trial makes its tools from functions that differ only in their closures.
    defaults = repr(getattr(function, "__defaults__", None))
    explicit = None if parameters is None else orjson.dumps(parameters)
    key = (getattr(function, "__code__", function), defaults, explicit)
    if key not in _READ:
        summary, _ = read_docstring(function)
        signature = from_signature(function) if parameters is None else from_json_schema(parameters)
        _READ[key] = summary, signature
    summary, signature = _READ[key]
    spec = ToolSpec(name or function.__name__, summary, signature.schema, price, role)
    return Tool(spec, signature, function)


_ERROR = "Error:"
_READ: dict[Any, tuple[str, Parameters]] = {}
"""Cache of descriptions and parameters by function."""


class Toolbox:
    """The tools of a trial, by name."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._tools = {tool.spec.name: tool for tool in tools}

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools as agents see them, in the given order."""
        return tuple(tool.spec for tool in self._tools.values())

    def with_tool(self, tool: Tool) -> "Toolbox":
        """A toolbox with one more tool."""
        return Toolbox([*self._tools.values(), tool])

    async def run(self, call: Call) -> str:
        """Runs a call.

        Raises:
            ToolError: there is no such tool, or the tool was used wrongly.
        """
        if call.tool not in self._tools:
            tool_names = ", ".join(self._tools)
            raise ToolError(f"There is no tool named {call.tool!r}; the tools are: {tool_names}.")
        return await self._tools[call.tool].run(call.arguments)


def error_text(error: ToolError) -> str:
    """A refused call's error, as the agent reads it."""
    return f"{_ERROR} {error}"


def is_error(text: str) -> bool:
    """True if a tool's result is an `error_text`."""
    return text.startswith(_ERROR)


def _first_problem(error: ValidationError) -> str:
    problem = error.errors(include_url=False)[0]
    where = ".".join(map(str, problem["loc"])) or "arguments"
    return f"argument {where!r}: {problem['msg']}."
