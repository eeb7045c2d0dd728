"""The settings of a run: temperature and reasoning effort as in the paper (5.1)."""

from typing import Any

from wardround.apps.command_line.choices import chosen_settings
from wardround.runs.settings import RunSettings


def _settings(**typed: Any) -> RunSettings:
    return chosen_settings("assist", typed)


def test_a_role_s_reasoning_effort_is_sent_to_named_providers_only() -> None:
    def effort(**typed: Any) -> str | None:
        return _settings(**typed).models["agent"].reasoning_effort

    url = "http://127.0.0.1:9/v1"
    assert effort(model="openai:gpt-5") == "high"
    assert effort(model="openai:gpt-5", reasoning_effort="low") == "low"
    assert effort(role_model=["agent=openai:gpt-5"]) == "high"
    assert effort(role_model=[f"agent=openai:local,base_url={url}"]) is None
    assert effort(model="openai:local", base_url=url) is None
    assert _settings(model="openai:gpt-5").models["agent"].temperature == 0.2
    typed = _settings(model="openai:gpt-5", temperature="0.7")
    assert typed.models["agent"].temperature == 0.7
