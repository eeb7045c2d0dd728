"""Trials as chats for training: their form, their rewards, and whose values they hold."""

import json
from pathlib import Path

import pytest

import wardround
from tests.apps.commands import Cli
from wardround.core import plugins
from wardround.core.trajectory import Called, Event, Returned, Said, StageStarted
from wardround.runs.chat_dataset import CARD, CHATS, chat_messages, data_card
from wardround.runs.settings import RunSettings

SITE = Path(__file__).parents[1] / "plugin" / "site"
TRIAGE = "triage_plugin.declaration:BENCHMARK"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(SITE))
    return wardround.run(TRIAGE, agent="oracle", out=tmp_path / "run").folder


def test_trials_that_count_are_chats(cli: Cli, tmp_path: Path, run: Path) -> None:
    to = tmp_path / "chats"
    wrote = cli("export", "chats", run, "--to", to)
    assert wrote.code == 0, wrote.err
    lines = [json.loads(line) for line in (to / CHATS).read_text("utf-8").splitlines()]
    assert {(line["task"], line["passed"], line["reward"]) for line in lines} == {
        ("stroke", True, 1.0),
        ("cough", True, 1.0),
    }
    assert [m["role"] for m in lines[0]["messages"]] == ["system", "user", "assistant"]
    card = (to / CARD).read_text("utf-8")
    assert f"    path: {CHATS}\n" in card.split("---")[1]
    # Nobody knows whose records a benchmark from elsewhere has.
    assert "If these are of real patients" in card
    again = cli("export", "chats", run, "--to", to)
    assert again.code == 2
    assert "exists already" in again.err


def test_a_call_and_its_result_share_an_id() -> None:
    events: list[Event] = [
        Said("user", "How many beds?"),
        Called("beds", {"ward": "west"}),
        Returned("beds", "12"),
        StageStarted("next", "And doctors?"),
        Called("staff", {}),
        Returned("staff", "3"),
        Said("agent", "三名"),
    ]
    messages = list(chat_messages(events))
    assert [m["role"] for m in messages] == [
        *("user", "assistant", "tool", "user", "assistant", "tool", "assistant")
    ]
    assert messages[1]["tool_calls"][0]["function"] == {
        "name": "beds",
        "arguments": '{"ward":"west"}',
    }
    assert messages[1]["tool_calls"][0]["id"] == messages[2]["tool_call_id"]
    assert messages[4]["tool_calls"][0]["id"] == messages[5]["tool_call_id"] != "call-1"
    assert messages[-1] == {"role": "assistant", "content": "三名"}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [({}, "no real patient"), ({"databases": {"ward": "ward.duckdb"}}, "records ward.")],
    ids=["shipped", "named"],
)
def test_the_card_of_shipped_records_says_so(options: dict[str, object], sentence: str) -> None:
    name = plugins.names(plugins.BENCHMARKS)[0]
    assert plugins.is_own(plugins.BENCHMARKS, name)
    settings = RunSettings.model_validate({"benchmark": name, "agent": "oracle", **options})
    assert sentence in data_card(settings, 3)
