"""Hostile agents of an audit are graded by programs alone."""

from typing import Any, NoReturn

import pytest

from wardround.apps.command_line.choices import chosen_settings
from wardround.assessment.audit import attempts
from wardround.core.confinement import ORACLE
from wardround.core.errors import UserError
from wardround.runs.settings import RunSettings


def test_attacks_are_graded_without_the_judges_model(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[RunSettings] = []

    def open_benchmark(settings: RunSettings, models: Any) -> NoReturn:
        opened.append(settings)
        raise UserError("That is all.")

    monkeypatch.setattr(attempts, "open_benchmark", open_benchmark)
    roles = ("judge=test:judge", "patient=test:patient")
    settings = chosen_settings("assist", {"agent": ORACLE, "role_model": roles})
    assert set(settings.models) == {"judge", "patient"}
    with pytest.raises(UserError, match="That is all"):
        attempts.attempted(settings, [])
    assert [set(each.models) for each in opened] == [{"patient"}]
