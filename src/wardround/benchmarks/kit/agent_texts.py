"""Texts that agents read: a trial's limits as words of their rules, and the results of tools."""

import re
from typing import Any

import orjson

from wardround.core.actions import Call
from wardround.core.errors import ToolError
from wardround.core.limits import Limits
from wardround.core.tools import Toolbox
from wardround.ehr.database import ResultTable

_ERROR = "Error:"


def as_json(value: Any) -> str:
    """A value as JSON text; what JSON does not know, such as a date, as its own text."""
    return orjson.dumps(value, default=str).decode()


def result_json(result: ResultTable) -> str:
    """The result of a query as JSON text: columns, rows, and whether rows were cut off."""
    return as_json({"columns": result.columns, "rows": result.rows, "truncated": result.truncated})


async def tool_text(tools: Toolbox, call: Call) -> str:
    """The result of a tool call, or its error, as the agent reads it."""
    try:
        return await tools.run(call)
    except ToolError as error:
        return error_text(error)


def error_text(error: ToolError) -> str:
    """The text of a refused call, as the agent reads it."""
    return f"{_ERROR} {error}"


def is_error(text: str) -> bool:
    """True if a tool's result is an `error_text`."""
    return text.startswith(_ERROR)


def limit_words(limits: Limits) -> dict[str, object]:
    """Actions, seconds and seconds a statement, for the placeholders of a prompt."""
    return {
        "actions": limits.actions,
        "seconds": f"{limits.seconds:g}",
        "statement_seconds": f"{limits.statement_seconds:g}",
    }


def token_estimate(text: str) -> int:
    """A model-independent estimate of a text's tokens: its words and signs.

    >>> token_estimate("stay_id, outtime")
    3
    """
    return len(re.findall(r"\w+|[^\w\s]", text))
