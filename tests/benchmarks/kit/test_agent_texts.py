"""Texts that tools return to agents: rows as JSON, and errors."""

from wardround.benchmarks.kit.agent_texts import result_json, tool_text
from wardround.core.actions import Call
from wardround.core.errors import ToolError
from wardround.core.tools import Toolbox, is_error, tool
from wardround.ehr.database import ResultTable


def refuse() -> str:
    """Refuses."""
    raise ToolError("There is no such table.")


def answer() -> str:
    """Answers."""
    return "yes"


async def test_refused_call_returns_an_error() -> None:
    tools = Toolbox([tool(refuse), tool(answer)])
    assert await tool_text(tools, Call("refuse", {})) == "Error: There is no such table."
    assert await tool_text(tools, Call("answer", {})) == "yes"
    assert is_error("Error: There is no such table.")
    assert not is_error("yes")


def test_a_result_is_json_with_its_columns() -> None:
    result = ResultTable(("day", "n"), [("2100-01-31", 1)], truncated=True)
    expected = '{"columns":["day","n"],"rows":[["2100-01-31",1]],"truncated":true}'
    assert result_json(result) == expected
