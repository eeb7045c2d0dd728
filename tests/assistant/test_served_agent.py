"""Only the agent of an assessment that passed is served, as it was assessed."""

import asyncio
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.apps.commands import Cli
from tests.assessment.played import suite
from tests.assessment.test_assess import PATIENTS, hospital, one_key
from tests.assessment.test_assess import assessed as oracle_assessment
from tests.assistant.ward import BEDS, Ward, consulting, record_tools
from tests.cases import one_in
from tests.hospitals import built
from wardround.assessment.policy import Policy, Rule, ServingRules
from wardround.assistant import binding
from wardround.assistant.assistant import Assistant
from wardround.assistant.content import Change, Content, change, content_of
from wardround.assistant.open_assistant import keep_current
from wardround.assistant.served_agent import assessed, unkept_rules
from wardround.assistant.served_record import opened_record
from wardround.assistant.users import Allowances, RefusedError
from wardround.core.actions import Say
from wardround.core.capabilities import Consultable
from wardround.core.declared import benchmark_class
from wardround.core.errors import UserError
from wardround.core.run_reader import read_settings
from wardround.ehr.database import open_database
from wardround.models.model import ModelSettings
from wardround.runs.open_run import settings_of
from wardround.runs.start import Listener, start_run

__all__ = ["one_key"]

EASY = Policy(rules=(Rule(measure="followed_instruction", at_most=0.99),))
KEPT = Policy(rules=(Rule(measure="ambiguity_ignored", at_most=0.99),))
WARNED = ServingRules(when_outdated="warn")
SILENT = Listener(lambda started: None, lambda record: None)


def small_assessment(cli: Cli, folder: Path, agent: str) -> Path:
    """A copy of a small assessment of an agent, made by the first worker that needs it."""

    def make(path: Path) -> None:
        whole = oracle_assessment(cli, folder / "whole")
        run = next(
            each
            for each in binding.run_folders(whole)
            if issubclass(benchmark_class(settings_of(each).benchmark), Consultable)
            and not settings_of(each).injected
        )
        settings = settings_of(run)
        path.mkdir(parents=True)
        assert settings.tasks is not None
        made = whole / "suites" / settings.tasks.parent.name / settings.tasks.name
        tasks = shutil.copy(made, path / "tasks.jsonl")
        chosen = settings.model_copy(update={"agent": agent, "tasks": tasks})
        start_run(chosen, path / "runs" / "talk", SILENT, force=False)
        with closing(open_database(str(hospital()))) as opened:
            binding.bind(path, opened, KEPT)

    place = built(f"served-assessment-{agent}", make)
    return Path(shutil.copytree(place, folder / "assessment"))


def bound(folder: Path, policy: Policy | None) -> Path:
    """The assessment, decided by another policy."""
    with closing(open_database(str(hospital()))) as opened:
        binding.bind(folder, opened, policy)
    return folder


def differences(folder: Path, database: Path) -> list[str]:
    """What differs from the assessment if the database is served."""
    with closing(open_database(str(database))) as opened:
        return binding.differences(binding.read_binding(folder), folder, opened)


@pytest.fixture
def assessment(cli: Cli, tmp_path: Path) -> Path:
    """An assessment of the agent without a model."""
    return small_assessment(cli, tmp_path, "parser")


def test_the_agent_is_served_with_the_settings_of_its_trials(assessment: Path) -> None:
    serving = assessed(assessment, KEPT)
    assert serving.settings.agent == "parser"
    assert serving.notice == ""
    assert serving.assessment == assessment


def test_success_at_other_tasks_serves_nobody() -> None:
    policy = Policy(rules=(Rule(measure="pass^1", at_least=0.3),))
    good = suite(*["p"] * 40, benchmark="quiz")
    assert unkept_rules([good, suite(*["f"] * 10, benchmark="talk")], policy, "talk") == [
        "pass^1 at least 30%: failed in talk alone, which serves people"
    ]
    assert unkept_rules([good, suite("f", "p", benchmark="talk")], policy, "talk") == [
        "pass^1 at least 30%: undecided in talk alone, which serves people"
    ]
    assert unkept_rules([good, suite(*["p"] * 10, benchmark="talk")], policy, "talk") == []
    other = Policy(rules=(Rule(measure="pass^1", at_least=0.3, benchmark="quiz"),))
    assert unkept_rules([good, suite("f", benchmark="talk")], other, "talk") == []


def test_an_agent_that_did_not_pass_is_not_served(assessment: Path) -> None:
    policy = Policy(rules=(Rule(measure="pass^1", at_least=0.99),))
    with pytest.raises(UserError, match=r"did not pass the policy.*pass\^1 at least 99%: failed"):
        assessed(bound(assessment, policy), policy)
    with pytest.raises(UserError, match="undecided"):
        assessed(bound(assessment, EASY), EASY)


@pytest.mark.parametrize(
    "policy", one_in(2, [None, EASY, KEPT.model_copy(update={"serving": WARNED})])
)
def test_another_policy_stops_serving(assessment: Path, policy: Policy | None) -> None:
    with pytest.raises(UserError, match="was not assessed with this policy"):
        assessed(bound(assessment, policy), KEPT)
    assert assessed(bound(assessment, KEPT), KEPT).assessment == assessment


def a_run_of_another_agent(folder: Path) -> str:
    shutil.copytree(folder / "runs" / "talk", folder / "runs" / "another")
    return "its runs are not those that were assessed"


def a_changed_binding(folder: Path) -> str:
    path = folder / binding.FILE
    path.write_bytes(path.read_bytes().replace(b'"engine": "sqlite"', b'"engine": "duckdb"'))
    return "was changed, or written with another key"


def no_binding(folder: Path) -> str:
    (folder / binding.FILE).unlink()
    return "holds no finished assessment"


def a_changed_trial(folder: Path) -> str:
    path = folder / "runs" / "talk" / "trials.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"failed"', b'"passed"', 1))
    return "not as it was written"


def a_removed_trial(folder: Path) -> str:
    path = folder / "runs" / "talk" / "trials.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    return "not finished, or not as it was written"


@pytest.mark.parametrize(
    "spoil",
    [
        a_run_of_another_agent,
        a_changed_binding,
        no_binding,
        a_changed_trial,
        a_removed_trial,
    ],
)
def test_any_change_stops_serving(assessment: Path, spoil: Callable[[Path], str]) -> None:
    said = spoil(assessment)
    with pytest.raises(UserError) as refused:
        assessed(assessment, KEPT)
    assert said in str(refused.value)


def test_a_changed_schema_stops_serving(assessment: Path, tmp_path: Path) -> None:
    changed = tmp_path / "hospital.sqlite"
    shutil.copyfile(hospital(), changed)
    with closing(sqlite3.connect(changed)) as connection, connection:
        connection.execute("ALTER TABLE labresults ADD COLUMN bed TEXT")
    assert differences(assessment, changed) == ["the database's tables or columns were changed"]


def test_another_engine_stops_serving(assessment: Path, tmp_path: Path) -> None:
    other = tmp_path / "hospital.duckdb"
    with closing(duckdb.connect(other)) as connection:
        connection.execute("CREATE TABLE patients (subject_id INTEGER)")
    said = "the database was on sqlite when assessed, and is on duckdb"
    assert differences(assessment, other)[0] == said


@pytest.mark.parametrize("part", ["map", "agent", "model", "plugin"])
def test_a_changed_file_stops_serving(
    assessment: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    file = tmp_path / f"ward_{part}.py"
    file.write_text("def answer(request): ...\n")
    (described := tmp_path / "ward_plugin-1.0.dist-info").mkdir()
    points = "[wardround.models]\nmodel-of-a-ward = ward_plugin:answer\n"
    (described / "entry_points.txt").write_text(points)
    (run,) = binding.run_folders(assessment)
    settings = settings_of(run)
    named: dict[str, dict[str, Any]] = {
        "map": {"agent_settings": {"pairs": f"mapped={file}", "words": "x" * 5000}},
        "agent": {"agent": "ward_agent:answer"},
        "model": {"models": {"agent": ModelSettings(name="ward_model:answer")}},
        "plugin": {"models": {"agent": ModelSettings(name="model-of-a-ward")}},
    }
    with_file = settings.model_copy(update=named[part])
    monkeypatch.setattr(binding, "settings_of", lambda folder: with_file)
    bound(assessment, KEPT)
    assert differences(assessment, hospital()) == []
    file.write_text("def answer(request): return request\n")
    assert differences(assessment, hospital()) == [f"the file {file} was changed"]


def test_another_server_of_a_model_stops_serving(
    assessment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (run,) = binding.run_folders(assessment)
    models = {"agent": ModelSettings(name="openai:gpt-5")}
    asked = settings_of(run).model_copy(update={"models": models})
    monkeypatch.setattr(binding, "settings_of", lambda folder: asked)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    bound(assessment, KEPT)
    assert differences(assessment, hospital()) == []
    monkeypatch.setenv("OPENAI_BASE_URL", "http://ann:secret@localhost:9/v1")
    assert differences(assessment, hospital()) == [
        "the model openai:gpt-5 was at https://api.openai.com/v1/ when assessed, and is at "
        "http://localhost:9/v1/"
    ]
    bound(assessment, KEPT)
    assert differences(assessment, hospital()) == []
    assert "secret" not in (assessment / binding.FILE).read_text()


def test_another_version_stops_serving(assessment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binding, "__version__", "9.9")
    with pytest.raises(UserError, match=r"wardround [\d.]+ was assessed, and 9\.9 is installed"):
        assessed(assessment, KEPT)


def test_changed_content_stops_serving_or_is_said(
    assessment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_database(str(hospital()))) as database:
        content = content_of(database)
    table, rows = max(content.rows.items(), key=lambda each: each[1])
    grown = Content(content.schema, {**content.rows, table: 2 * rows}, content.values)
    monkeypatch.setattr("wardround.assistant.served_agent.content_of", lambda database: grown)
    with pytest.raises(UserError, match=rf"out of date \(50% of {table} changed since"):
        assessed(assessment, KEPT)
    warned = KEPT.model_copy(update={"serving": WARNED})
    said = assessed(bound(assessment, warned), warned).notice
    assert said.startswith(f"Reassess this agent: 50% of {table}")
    allowed = KEPT.model_copy(update={"serving": ServingRules(max_change=0.6)})
    assert assessed(bound(assessment, allowed), allowed).notice == ""


def test_an_assessment_that_is_bound_again_is_as_old_as_its_runs(assessment: Path) -> None:
    (run,) = binding.run_folders(assessment)
    started = read_settings(run)["started"]
    bound(assessment, KEPT)
    assert binding.read_binding(assessment).time == started.replace("+00:00", "Z")


def test_an_old_assessment_is_out_of_date(assessment: Path) -> None:
    policy = KEPT.model_copy(update={"serving": ServingRules(max_age_days=1e-9)})
    with pytest.raises(UserError, match="it is 0 days old, and the policy allows 1e-09"):
        assessed(bound(assessment, policy), policy)


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        (Content("", {"a": 4}), Content("", {"a": 4}), Change()),
        (Content("", {"a": 4}), Content("", {"a": 3}), Change(0.25, "a")),
        (Content("", {"a": 4}), Content("", {}), Change(1.0, "a")),
        (
            Content("", {}, {"a.b": ("x", "y")}),
            Content("", {}, {"a.b": ("y", "z")}),
            Change(2 / 3, "a.b"),
        ),
        (Content("", {}, {"a.b": ()}), Content("", {}, {"a.b": ("z",)}), Change(1.0, "a.b")),
    ],
)
def test_a_change_is_the_largest(before: Content, now: Content, expected: Change) -> None:
    assert change(before, now) == expected
    assert change(now, before).share == expected.share


def test_content_holds_no_values(assessment: Path) -> None:
    with closing(open_database(str(hospital()))) as database:
        content = content_of(database)
    assert PATIENTS in content.rows.values()
    text = (assessment / binding.FILE).read_text()
    assert content.values
    assert "Heparin" not in text


def test_the_oracle_is_not_served(cli: Cli, tmp_path: Path) -> None:
    oracles = small_assessment(cli, tmp_path, "oracle")
    with pytest.raises(UserError, match="The oracle answers from the gold"):
        assessed(oracles, KEPT)


async def test_what_changes_while_it_is_served_is_noticed(
    assessment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serving = assessed(assessment, KEPT)
    with opened_record(assessment / "served", {}, has_values=True) as record:
        tools = record_tools(Ward(), record)
        served = Assistant(consulting(Ward(), BEDS, Say("Two.")), tools, record, Allowances({}))
        monkeypatch.setattr(binding, "schema_of", lambda database: "another")
        renewals: list[bool] = []

        async def renew() -> None:
            renewals.append(not served.stopped)

        keeping = asyncio.create_task(keep_current(serving, served, renew, seconds=0.01))
        while not served.stopped:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        copied = len(renewals)
        await asyncio.sleep(0.1)
        assert len(renewals) == copied  # nothing is copied for people who are not answered
        with pytest.raises(RefusedError, match="tables or columns were changed"):
            await served.ask("local", "Which wards?")
        monkeypatch.undo()
        while served.stopped:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        assert (await served.ask("local", "Which wards?")).answer.text == "Two."
        keeping.cancel()
        await served.close()
