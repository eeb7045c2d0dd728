"""The parameters of a tool: the JSON schema that agents see, and validation of arguments."""

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.fields import FieldInfo

_TYPES: dict[str, Any] = {
    "array": list[Any],
    "boolean": bool,
    "integer": int,
    "null": None,
    "number": int | float,
    "object": dict[str, Any],
    "string": str,
}
_NUMBER_LIMITS = {
    "minimum": "ge",
    "exclusiveMinimum": "gt",
    "maximum": "le",
    "exclusiveMaximum": "lt",
}
_LIMITS: dict[str, dict[str, str]] = {
    "array": {"minItems": "min_length", "maxItems": "max_length"},
    "integer": _NUMBER_LIMITS,
    "number": _NUMBER_LIMITS,
    "string": {"minLength": "min_length", "maxLength": "max_length", "pattern": "pattern"},
}
"""Pydantic's name of each JSON Schema limit, by type."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of a tool.

    Agents use the schema's names, which need not be Python identifiers (`_count`, `code:in`).

    Attributes:
        schema: the JSON schema that agents see.
        model: validates the arguments; its fields are numbered, with the schema's names as aliases.
        keywords: the keyword of the tool's function for each field.
        defaults: True to pass omitted arguments on with their defaults.
    """

    schema: Mapping[str, Any]
    model: type[BaseModel]
    keywords: Mapping[str, str]
    defaults: bool

    def read(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Keyword arguments for the tool's function.

        Raises:
            pydantic.ValidationError: an argument is missing, unknown or of the wrong type.
        """
        checked = self.model.model_validate(arguments)
        values = {
            keyword: getattr(checked, field)
            for field, keyword in self.keywords.items()
            if self.defaults or field in checked.model_fields_set
        }
        return {**values, **(checked.model_extra or {})}


def from_signature(function: Callable[..., Any]) -> Parameters:
    """Parameters from a function's annotations, with descriptions from its docstring.

    A parameter is known to agents by its alias, if it has one:

    >>> from typing import Annotated
    >>> def search(code_in: Annotated[str, Field(alias="code:in")], _count: int = 10) -> str:
    ...     '''Searches.'''
    >>> from_signature(search).read({"code:in": "icd-10"})
    {'code_in': 'icd-10', '_count': 10}

    Raises:
        ValueError: two parameters have the same name for agents.
    """
    notes = read_docstring(function)[1]
    fields: dict[str, tuple[Any, FieldInfo]] = {}
    keywords: dict[str, str] = {}
    signature = inspect.signature(function, eval_str=True).parameters
    for number, (name, parameter) in enumerate(signature.items()):
        default = ... if parameter.default is parameter.empty else parameter.default
        alias = FieldInfo.from_annotation(parameter.annotation).alias or name
        info: FieldInfo = Field(default, alias=alias, description=notes.get(name))
        fields[f"field_{number}"] = (parameter.annotation, info)
        keywords[f"field_{number}"] = name
    aliases = [str(info.alias) for _, info in fields.values()]
    if repeated := {alias for alias in aliases if aliases.count(alias) > 1}:
        name = getattr(function, "__name__", "the tool")
        raise ValueError(f"{name}: several parameters are called {min(repeated)!r}.")
    model = _model(fields, extra="forbid")
    return Parameters(_without_titles(model.model_json_schema()), model, keywords, defaults=True)


def from_json_schema(schema: dict[str, Any]) -> Parameters:
    """Parameters from an explicit JSON schema of an object.

    Checks types, limits and enumerations of the properties. Does not check nested schemas or
    properties without a `type` (`anyOf`, `$ref`). Omitted arguments are not passed on.

    >>> schema = {"type": "object", "properties": {"_count": {"type": "integer"}}}
    >>> from_json_schema(schema).read({"_count": 3})
    {'_count': 3}
    """
    required = schema.get("required", ())
    fields: dict[str, tuple[Any, FieldInfo]] = {}
    keywords: dict[str, str] = {}
    for number, (name, described) in enumerate(schema.get("properties", {}).items()):
        default: Any = ... if name in required else None
        info: FieldInfo = Field(default, alias=name)
        fields[f"field_{number}"] = (_annotation(described), info)
        keywords[f"field_{number}"] = name
    extra: Literal["allow", "forbid"] = (
        "allow" if schema.get("additionalProperties", True) else "forbid"
    )
    return Parameters(schema, _model(fields, extra), keywords, defaults=False)


def read_docstring(function: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    """The text before `Args:`, and the description of each parameter in it."""
    text = inspect.getdoc(function) or ""
    summary, _, arguments = text.partition("\nArgs:\n")
    arguments = re.split(r"\n\S", arguments)[0]
    descriptions = re.findall(r"^ {4}(\w+)[^:\n]*: (.*(?:\n {5,}.*)*)", arguments, re.MULTILINE)
    return summary.strip(), {name: " ".join(note.split()) for name, note in descriptions}


def _model(
    fields: dict[str, tuple[Any, FieldInfo]], extra: Literal["allow", "forbid"]
) -> type[BaseModel]:
    definitions: dict[str, Any] = dict(fields)
    return create_model(
        "Arguments", __config__=ConfigDict(extra=extra, regex_engine="python-re"), **definitions
    )


def _annotation(schema: dict[str, Any]) -> Any:
    """The Python type of one property, limits included."""
    if "enum" in schema:
        return Literal[tuple(schema["enum"])]
    types = schema.get("type", [])
    names = [types] if isinstance(types, str) else types
    return reduce(or_, (_limited(name, schema) for name in names)) if names else Any


def _limited(name: str, schema: dict[str, Any]) -> Any:
    names = _LIMITS.get(name, {})
    limits = {names[key]: value for key, value in schema.items() if key in names}
    return Annotated[_TYPES[name], Field(**limits)] if limits else _TYPES[name]


def _without_titles(schema: dict[str, Any]) -> dict[str, Any]:
    schema.pop("title", None)
    for properties in schema.get("properties", {}).values():
        properties.pop("title", None)
    return schema
