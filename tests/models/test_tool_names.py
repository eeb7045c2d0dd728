"""One-to-one translation of tool and parameter names for providers."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.core.errors import UserError
from wardround.core.tools import ToolSpec
from wardround.models.translate import (
    LONGEST,
    names_by_provider_name,
    our_arguments,
    provider_arguments,
    provider_name,
    provider_parameters,
)

LETTERS = string.ascii_letters + "_"
NAMES = st.builds(
    str.__add__,
    st.sampled_from(LETTERS),
    st.text(LETTERS + string.digits + ".-", max_size=LONGEST - 1),
)


@given(st.lists(NAMES, unique_by=provider_name))
def test_tool_names_round_trip(names: list[str]) -> None:
    ours = names_by_provider_name(names)
    assert [ours[provider_name(name)] for name in names] == names
    assert all(len(name) <= LONGEST and "." not in name for name in ours)


@given(st.lists(NAMES, unique=True))
def test_the_translation_is_one_to_one_or_refused(names: list[str]) -> None:
    sent = {provider_name(name) for name in names}
    if len(sent) == len(names):
        assert len(names_by_provider_name(names)) == len(names)
    else:
        with pytest.raises(UserError, match="have the same name"):
            names_by_provider_name(names)


@given(NAMES.filter(lambda name: "." not in name))
def test_names_without_dots_are_unchanged(name: str) -> None:
    assert provider_name(name) == name


def test_a_collision_names_both_tools() -> None:
    with pytest.raises(UserError, match=r"'Patient\.read' and 'Patient-read' have the same name"):
        names_by_provider_name(["Patient.read", "Patient-read"])


@pytest.mark.parametrize("name", ["x" * 65, "", "two words", "1st", ".hidden", "größe"])
def test_invalid_tool_names_are_refused(name: str) -> None:
    with pytest.raises(UserError, match="cannot be sent to a language model: use at most 64"):
        names_by_provider_name([name])


def tool_with(parameters: list[str]) -> ToolSpec:
    schema = {"type": "object", "properties": {name: {} for name in parameters}}
    return ToolSpec("Patient.search", "", {**schema, "required": parameters})


@given(st.lists(st.text(), unique=True))
def test_arguments_round_trip_or_are_refused(names: list[str]) -> None:
    tool, arguments = tool_with(names), {name: number for number, name in enumerate(names)}
    sent = provider_arguments(arguments)
    if len(sent) < len(names):
        with pytest.raises(UserError, match="Two parameters of the tool"):
            provider_parameters(tool)
    else:
        assert our_arguments(sent, tool) == arguments
        schema = provider_parameters(tool)
        assert list(schema["properties"]) == schema["required"] == list(sent)
        assert not set("".join(sent)) - set(LETTERS + string.digits + ".-")


def test_unknown_arguments_keep_their_names() -> None:
    assert our_arguments({"code-in": 1, "more": 2}, tool_with(["code:in"])) == {
        "code:in": 1,
        "more": 2,
    }
