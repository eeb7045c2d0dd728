"""Tools: a typed Python function becomes something an agent can call by JSON."""

import inspect
import re
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from wardround.core.actions import Call
from wardround.core.errors import ToolError


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """What an agent is told of a tool. `parameters` is a JSON schema, `price` in budget units."""

    name: str
    description: str
    parameters: dict[str, Any]
    price: float = 0.0


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool in the environment: its description, its argument model and its function."""

    spec: ToolSpec
    arguments: type[BaseModel]
    function: Callable[..., str | Awaitable[str]]

    async def run(self, arguments: dict[str, Any]) -> str:
        """Checks the arguments and calls the function.

        Raises:
            ToolError: an argument is missing, unknown or of the wrong type, or the tool refuses.
        """
        try:
            checked = self.arguments.model_validate(arguments)
        except ValidationError as error:
            raise ToolError(f"{self.spec.name}: {_first_problem(error)}") from None
        given = {name: getattr(checked, name) for name in type(checked).model_fields}
        result = self.function(**given)
        return await result if inspect.isawaitable(result) else result


def tool(
    function: Callable[..., str | Awaitable[str]], *, name: str | None = None, price: float = 0.0
) -> Tool:
    """Makes a tool of a function whose parameters are annotated and described in its docstring.

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
    known_as = name or function.__name__
    # Rooms make their tools anew for each trial, of functions that differ in what they hold alone.
    defaults = repr(getattr(function, "__defaults__", None))
    key = (getattr(function, "__code__", function), defaults, known_as)
    if key not in _FORMS:
        _FORMS[key] = _form(function, known_as)
    summary, model, schema = _FORMS[key]
    return Tool(ToolSpec(known_as, summary, schema, price), model, function)


_FORMS: dict[Any, tuple[str, type[BaseModel], dict[str, Any]]] = {}


def _form(
    function: Callable[..., Any], known_as: str
) -> tuple[str, type[BaseModel], dict[str, Any]]:
    """What a function's docstring and parameters say: summary, argument model, JSON schema."""
    summary, described = _read_docstring(function)
    fields: dict[str, Any] = {}
    for parameter in inspect.signature(function, eval_str=True).parameters.values():
        default = ... if parameter.default is parameter.empty else parameter.default
        note = described.get(parameter.name)
        fields[parameter.name] = (parameter.annotation, Field(default, description=note))
    model = create_model(known_as, __config__=ConfigDict(extra="forbid"), **fields)
    return summary, model, _schema(model)


class Toolbox:
    """The tools of one trial, called by name."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._tools = {tool.spec.name: tool for tool in tools}

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """What an agent may be told, in the order given."""
        return tuple(tool.spec for tool in self._tools.values())

    def with_tool(self, tool: Tool) -> "Toolbox":
        """The same tools and one more."""
        return Toolbox([*self._tools.values(), tool])

    async def run(self, call: Call) -> str:
        """Runs a call.

        Raises:
            ToolError: there is no such tool, or the tool was used wrongly.
        """
        if call.tool not in self._tools:
            known = ", ".join(self._tools)
            raise ToolError(f"There is no tool named {call.tool!r}; the tools are: {known}.")
        return await self._tools[call.tool].run(call.arguments)


def _read_docstring(function: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    """The text before `Args:`, and each parameter's description in it."""
    text = inspect.getdoc(function) or ""
    summary, _, arguments = text.partition("\nArgs:\n")
    arguments = re.split(r"\n\S", arguments)[0]
    found = re.findall(r"^ {4}(\w+)[^:\n]*: (.*(?:\n {5,}.*)*)", arguments, re.MULTILINE)
    return summary.strip(), {name: " ".join(note.split()) for name, note in found}


def _schema(model: type[BaseModel]) -> dict[str, Any]:
    schema = model.model_json_schema()
    schema.pop("title", None)
    for properties in schema.get("properties", {}).values():
        properties.pop("title", None)
    return schema


def _first_problem(error: ValidationError) -> str:
    problem = error.errors(include_url=False)[0]
    where = ".".join(map(str, problem["loc"])) or "arguments"
    return f"argument {where!r}: {problem['msg']}."
