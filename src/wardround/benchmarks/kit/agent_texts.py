"""Texts that agents read: tool results, error messages and a trial's limits."""

import re
from typing import Any

import orjson

from wardround.core.actions import Call
from wardround.core.errors import ToolError
from wardround.core.limits import Limits
from wardround.core.tools import Toolbox, error_text
from wardround.ehr.database import ResultTable


def as_json(value: Any) -> str:
    """Serializes a value as JSON; values unknown to JSON, such as dates, become strings."""
    return orjson.dumps(value, default=str).decode()


def result_json(result: ResultTable) -> str:
    """Serializes a query's result as JSON: columns, rows, and a flag if rows were cut off."""
    return as_json({"columns": result.columns, "rows": result.rows, "truncated": result.truncated})


async def tool_text(tools: Toolbox, call: Call) -> str:
    """Runs a tool call and returns its result, or its error, as the agent reads it."""
    try:
        return await tools.run(call)
    except ToolError as error:
        return error_text(error)


def limit_words(limits: Limits) -> dict[str, object]:
    """Returns a trial's limits by the placeholders that prompts use."""
    return {
        "actions": limits.actions,
        "seconds": f"{limits.seconds:g}",
        "statement_seconds": f"{limits.statement_seconds:g}",
    }


def token_estimate(text: str) -> int:
    """Estimates a text's tokens independently of any model: words and punctuation marks.

    >>> token_estimate("stay_id, outtime")
    3
    """
    return len(re.findall(r"\w+|[^\w\s]", text))
