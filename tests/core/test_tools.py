"""Tools made from typed functions."""

import asyncio

import pytest

from wardround.core.actions import Call
from wardround.core.errors import ToolError
from wardround.core.tools import Toolbox, tool


def beds(ward: str, free: bool = False, k: int = 10) -> str:
    """Lists the beds of a ward.

    Only beds that exist are listed.

    Args:
        ward: the ward's name,
            as it is written on its door.
        free: whether to list free beds only.
        k: how many.

    Returns:
        Text.
    """
    return f"{ward} {free} {k}"


async def ask(question: str) -> str:
    """Asks the person at the desk."""
    await asyncio.sleep(0)
    return f"you asked {question}"


def test_description_and_schema_come_from_the_function() -> None:
    spec = tool(beds, price=2.0).spec
    assert spec.name == "beds"
    assert spec.description == "Lists the beds of a ward.\n\nOnly beds that exist are listed."
    assert spec.price == 2.0
    assert spec.parameters["required"] == ["ward"]
    assert spec.parameters["properties"]["ward"] == {
        "type": "string",
        "description": "the ward's name, as it is written on its door.",
    }
    assert spec.parameters["properties"]["k"]["default"] == 10
    assert spec.parameters["additionalProperties"] is False


@pytest.mark.parametrize(
    ("call", "result"),
    [
        (Call("beds", {"ward": "icu"}), "icu False 10"),
        (Call("beds", {"ward": "icu", "free": True, "k": 3}), "icu True 3"),
        (Call("ask", {"question": "why"}), "you asked why"),
    ],
)
async def test_a_call_reaches_the_function(call: Call, result: str) -> None:
    assert await Toolbox([tool(beds), tool(ask)]).run(call) == result


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (Call("beds", {}), "beds: argument 'ward': Field required"),
        (Call("beds", {"ward": "icu", "k": "many"}), "argument 'k'"),
        (Call("beds", {"ward": "icu", "colour": 1}), "argument 'colour'"),
        (Call("chairs", {}), "no tool named 'chairs'; the tools are: beds"),
    ],
)
async def test_wrong_arguments_are_tool_errors(call: Call, complaint: str) -> None:
    with pytest.raises(ToolError, match=complaint):
        await Toolbox([tool(beds)]).run(call)
