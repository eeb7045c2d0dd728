"""Parameters of tools: names that are not Python identifiers, aliases, explicit JSON schemas."""

from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from wardround.core.actions import Call
from wardround.core.errors import ToolError
from wardround.core.parameters import from_json_schema, from_signature
from wardround.core.tools import Toolbox, tool

SEARCH: dict[str, Any] = {
    "type": "object",
    "properties": {
        "patient": {"type": "string", "minLength": 1},
        "_count": {"type": "integer", "minimum": 1, "maximum": 50},
        "code:in": {"type": ["string", "null"]},
        "status": {"enum": ["active", "stopped"]},
    },
    "required": ["patient"],
    "additionalProperties": False,
}
Code = Annotated[str, Field(alias="code:in")]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


def search(**arguments: Any) -> str:
    """Searches medication requests."""
    return str(arguments)


SEARCH_TOOL = tool(search, name="MedicationRequest.search", parameters=SEARCH)


async def test_explicit_schema_is_passed_unchanged_with_its_names() -> None:
    assert SEARCH_TOOL.spec.parameters == SEARCH
    arguments = {"patient": "p1", "_count": 3, "code:in": None}
    toolbox = Toolbox([SEARCH_TOOL])
    assert await toolbox.run(Call("MedicationRequest.search", arguments)) == str(arguments)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({}, "MedicationRequest.search: argument 'patient': Field required"),
        ({"patient": ""}, "argument 'patient': String should have at least 1 character"),
        ({"patient": "p1", "_count": 51}, "argument '_count': Input should be less than"),
        ({"patient": "p1", "_count": "many"}, "argument '_count'"),
        ({"patient": "p1", "code:in": 3}, "argument 'code:in"),
        ({"patient": "p1", "status": "lost"}, "argument 'status': Input should be 'active' or"),
        ({"patient": "p1", "_sort": "date"}, "argument '_sort': Extra inputs"),
    ],
)
async def test_an_explicit_schema_is_checked(arguments: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ToolError, match=complaint):
        await SEARCH_TOOL.run(arguments)


async def test_an_alias_is_the_name_that_agents_use() -> None:
    def find(codes: Code, _count: Annotated[int, Field(ge=1)] = 10) -> str:
        """Finds.

        Args:
            codes: a value set.
        """
        return f"{codes} {_count}"

    result = tool(find)
    assert result.spec.parameters["properties"]["code:in"]["description"] == "a value set."
    assert result.spec.parameters["required"] == ["code:in"]
    assert await result.run({"code:in": "icd-10", "_count": 2}) == "icd-10 2"
    with pytest.raises(ToolError, match="argument 'code:in': Field required"):
        await result.run({"codes": "icd-10"})


def test_duplicate_parameter_names_are_refused() -> None:
    def find(first: Code, second: Code) -> str:
        return first + second

    with pytest.raises(ValueError, match="find: several parameters are called 'code:in'"):
        tool(find)


def test_schemas_of_one_function_are_distinguished() -> None:
    other = tool(search, parameters={"type": "object", "properties": {}})
    assert other.spec.parameters != SEARCH_TOOL.spec.parameters


@given(st.dictionaries(st.text(), VALUES, max_size=6), st.booleans())
async def test_arguments_of_any_name_arrive_as_they_were_given(
    arguments: dict[str, Any], described: bool
) -> None:
    schema = {"type": "object", "properties": {name: {} for name in arguments if described}}
    assert from_json_schema(schema).read(arguments) == arguments


@given(st.lists(st.text(min_size=1), unique=True, min_size=2, max_size=2), VALUES, VALUES)
def test_aliases_of_any_name_reach_their_parameters(
    names: list[str], first: object, second: object
) -> None:
    def pair(one: Any, two: Any) -> str:
        return repr((one, two))

    pair.__annotations__ = {
        "one": Annotated[Any, Field(alias=names[0])],
        "two": Annotated[Any, Field(alias=names[1])],
    }
    made = from_signature(pair)
    assert made.read({names[1]: second, names[0]: first}) == {"one": first, "two": second}
    assert list(made.schema["properties"]) == names
