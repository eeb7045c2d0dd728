"""Plug-ins are found by name, and what is missing is said."""

import pytest

from wardround.core import plugins
from wardround.core.errors import UserError


def test_an_installed_name_and_a_path_both_lead_to_the_object() -> None:
    from wardround.agents.native_tools import open_agents

    assert plugins.load("wardround.agents", "tools") is open_agents
    assert plugins.load("wardround.agents", "wardround.agents.native_tools:open_agents") is (
        open_agents
    )
    assert "chatqa" in plugins.names("wardround.benchmarks")


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("nobody", "no agent named 'nobody'; installed are: json, parser, react, sql, t5, tools"),
        ("no.such.module:thing", "cannot be imported"),
        ("wardround.core.seeds:nothing", "cannot be imported"),
    ],
)
def test_what_is_not_there_is_named(name: str, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        plugins.load("wardround.agents", name)
