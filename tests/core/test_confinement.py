"""The record of an agent's confinement in `run.json`."""

from dataclasses import replace
from typing import Any

import pytest

from wardround.core.confinement import Confinement, Kind, read_confinement


@pytest.mark.parametrize("kind", Kind)
def test_the_record_is_read_as_it_was_written(kind: Kind) -> None:
    confinement = Confinement(kind, ("landlock", "seccomp"), ("net", "read:/models"))
    assert read_confinement({"confinement": confinement.as_json()}, "mine:open") == confinement


@pytest.mark.parametrize(
    ("run", "agent", "kind"),
    [
        ({"not_isolated": ["agent"]}, "mine:open", Kind.OBJECT),
        ({}, "mine:open", Kind.UNCONFINED),
        ({}, "exec:node agent.js", Kind.UNCONFINED),
        ({}, "parser", Kind.OWN),
        ({}, "oracle", Kind.OWN),
    ],
)
def test_runs_without_the_record(run: dict[str, Any], agent: str, kind: Kind) -> None:
    assert read_confinement(run, agent).kind is kind


def test_only_own_agents_go_without_a_sentence() -> None:
    silent = [kind for kind in Kind if not Confinement(kind, ("seccomp",)).sentence()]
    assert silent == [Kind.OWN]
    confined = Confinement(Kind.CONFINED, ("namespaces", "seccomp"))
    assert "by namespaces and seccomp; allowed: nothing more" in confined.sentence()
    assert "allowed: net, env:KEY" in replace(confined, allowed=("net", "env:KEY")).sentence()
