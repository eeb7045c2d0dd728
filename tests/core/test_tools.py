"""Tools made from typed functions."""

import asyncio

import pytest

from wardround.core.actions import Call
from wardround.core.errors import ToolError, UserError
from wardround.core.task import Briefing
from wardround.core.tools import Toolbox, ToolSpec, tool


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


ROLES = Briefing(
    "",
    (
        ToolSpec("try_it", "", {"properties": {"sql": {}, "k": {}}}, role="run_query"),
        ToolSpec("look", "", {"properties": {}}),
    ),
)


def test_a_tool_is_found_by_its_role_and_called_in_the_order_of_its_parameters() -> None:
    assert ROLES.has_tool("run_query")
    call = ROLES.tool("run_query").call("SELECT 1", 5, confidence=0.5)
    assert call == Call("try_it", {"sql": "SELECT 1", "k": 5})


def test_a_role_that_no_tool_has_is_named() -> None:
    assert not ROLES.has_tool("abstain")
    with pytest.raises(UserError, match="needs a tool with the role 'abstain'"):
        ROLES.tool("abstain")
