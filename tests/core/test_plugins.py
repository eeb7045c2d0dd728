"""Plug-ins are loaded by name, and missing ones are reported."""

from typing import get_args

import pytest

from wardround.core import plugins
from wardround.core.errors import UserError
from wardround.core.installed_packages import EntryPoint


def test_name_and_path_load_the_same_object() -> None:
    from wardround.agents.declarations import TOOLS

    assert plugins.load("wardround.agents", "tools") is TOOLS
    assert plugins.load("wardround.agents", "wardround.agents.declarations:TOOLS") is TOOLS
    assert "tools" in plugins.names("wardround.agents")


def test_work_is_named_without_its_kind() -> None:
    whole = [point.name for point in plugins.installed(plugins.WORK)]
    for kind in get_args(plugins.WorkKind):
        names = plugins.names(plugins.work(kind))
        assert names
        assert {f"{kind}.{name}" for name in names} == {n for n in whole if n.startswith(kind)}
        place = plugins.load(plugins.work(kind), names[0])
        assert place is plugins.load(plugins.WORK, f"{kind}.{names[0]}")


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        (
            "nobody",
            "no agent named 'nobody'; installed are: clerk, fhir, json, parser, query, react,",
        ),
        ("no.such.module:thing", "cannot be imported"),
        ("wardround.core.seeds:nothing", "cannot be imported"),
    ],
)
def test_missing_plug_in_is_reported(name: str, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        plugins.load("wardround.agents", name)


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("tools", True),
        ("wardround.agents.native_tools:open_agents", True),
        ("wardroundish.agents:open_agents", False),
        ("os:system", False),
        ("exec:node agent.js", False),
        ("theirs", False),
        ("nobody", True),  # which the loader refuses by name
    ],
)
def test_own_code_is_distinguished_from_third_party_code(
    monkeypatch: pytest.MonkeyPatch, name: str, own: bool
) -> None:
    points = [*plugins.installed(plugins.AGENTS), EntryPoint("theirs", "ward.mine:A", "x")]
    monkeypatch.setattr(plugins, "installed", lambda group: points)
    assert plugins.is_own(plugins.AGENTS, name) is own
