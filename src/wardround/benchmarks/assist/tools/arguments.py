"""Reads the arguments of a call: other spellings, placeholders, types and values."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias

from wardround.benchmarks.assist.tools.catalogue import SESSION, CatalogueTool, ToolParameter
from wardround.ehr.terms.chinese import english

Shapes: TypeAlias = Literal["paper", "strict"]
# `paper`: results as published; `strict`: the same without the faults of the published tools.
PAPER: Final = "paper"
STRICT: Final = "strict"
_CJK = re.compile(r"[\u4e00-\u9fff]")
_DAY_OR_TIME = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d(:\d\d(:\d\d(\.\d+)?)?)?(Z|[+-]\d\d:\d\d)?)?")
_WORDS = ("drug", "test", "diagnosis", "route", "frequency", "service")


class ArgumentError(Exception):
    """An argument that a tool cannot use; the sentence names it, the fault and the remedy."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of a call as its tool reads them.

    Attributes:
        values: the values by parameter; those that were not given are missing.
        notes: sentences about what was read otherwise, or left out.
    """

    values: Mapping[str, Any]
    notes: tuple[str, ...] = ()


def read_arguments(tool: CatalogueTool, given: Mapping[str, Any]) -> Arguments:
    """The arguments of a call; unknown ones are left out and placeholders count as not given.

    Raises:
        ArgumentError: one is missing, of the wrong type, or has a value that it does not take.
    """
    values: dict[str, Any] = {}
    notes: list[str] = []
    for name, value in given.items():
        parameter = _parameter(tool, name)
        if parameter is None:
            notes.append(f"The argument {name} is unknown and was left out.")
        elif is_placeholder(value):
            continue
        elif parameter.name == name or parameter.name not in given:
            notes += [f"{name} was read as {parameter.name}."] if parameter.name != name else []
            values[parameter.name] = _value(parameter, value)
    for each in tool.parameters.values():
        # The session's id is known, whatever is given.
        if each.required and each.name not in values and each.name != SESSION:
            raise ArgumentError(f"{tool.name} needs the argument {each.name}; give it.")
    return Arguments(values, tuple(notes))


def is_placeholder(value: Any) -> bool:
    """True for values that stand for none: nothing, 0, and blank text."""
    return value is None or (not isinstance(value, bool) and value == 0) or not str(value).strip()


def is_chinese(text: str) -> bool:
    """True for a text with Chinese characters."""
    return _CJK.search(text) is not None


def _parameter(tool: CatalogueTool, name: str) -> ToolParameter | None:
    if name in tool.parameters:
        return tool.parameters[name]
    return next((each for each in tool.parameters.values() if name in each.aliases), None)


def _value(parameter: ToolParameter, value: Any) -> Any:
    if parameter.kind == "number":
        return _number(parameter.name, value)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ArgumentError(f"{parameter.name} is a text, not {value!r}.")
    # JSON can hold a lone half of a character, which a server cannot encode.
    text = str(value).strip().encode(errors="replace").decode()
    if parameter.kind == "instant":
        return _instant(parameter.name, text)
    return _listed(parameter, text) if parameter.values else _english(parameter, text)


def _number(name: str, value: Any) -> int:
    text = str(value).strip()
    if isinstance(value, bool) or not re.fullmatch(r"\d{1,15}(\.0+)?", text, re.ASCII):
        raise ArgumentError(f"{name} is a whole number, not {value!r}.")
    return int(float(text))


def _instant(name: str, text: str) -> str:
    """A date, or a time with `T` before the hour."""
    fault = ArgumentError(f"{name} is a date such as 2150-03-04, not {text!r}.")
    if not _DAY_OR_TIME.fullmatch(text):
        raise fault
    try:
        datetime.fromisoformat(text)
    except ValueError:
        raise fault from None
    return text.replace(" ", "T")


def _listed(parameter: ToolParameter, text: str) -> str:
    """One of the values that a parameter takes, in either language and any case."""
    english_name = english(text, parameter.kind) if parameter.kind in _TABLES else None  # type: ignore[arg-type]
    for candidate in (text, english_name or ""):
        if candidate.casefold() in parameter.values:
            return candidate.casefold()
    raise ArgumentError(f"{parameter.name} is one of {', '.join(parameter.values)}, not {text!r}.")


def _english(parameter: ToolParameter, text: str) -> str:
    """A term by its English name if it is given in Chinese; other texts as they are."""
    if parameter.kind not in _WORDS or not is_chinese(text):
        return text
    return english(text, parameter.kind) or text  # type: ignore[arg-type]


_TABLES = ("status", "category", "priority")
