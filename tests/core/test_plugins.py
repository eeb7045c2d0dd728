"""Plug-ins are found by name, and what is missing is said."""

import pytest

from wardround.core import plugins
from wardround.core.errors import UserError


def test_name_and_path_load_the_same_object() -> None:
    from wardround.agents.declarations import TOOLS

    assert plugins.load("wardround.agents", "tools") is TOOLS
    assert plugins.load("wardround.agents", "wardround.agents.declarations:TOOLS") is TOOLS
    assert "tools" in plugins.names("wardround.agents")


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("nobody", "no agent named 'nobody'; installed are: json, parser, react, sql, t5, tools"),
        ("no.such.module:thing", "cannot be imported"),
        ("wardround.core.seeds:nothing", "cannot be imported"),
    ],
)
def test_missing_plug_in_is_reported(name: str, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        plugins.load("wardround.agents", name)
