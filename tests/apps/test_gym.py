"""Trials as episodes of a Gymnasium environment: its checker, vectors, texts, rewards."""

import subprocess
import sys
import warnings
from math import isnan
from pathlib import Path

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv
from hypothesis import given
from hypothesis import strategies as st

from tests.hospitals import hospital_file
from wardround.apps.gym import TrialEnv
from wardround.apps.gym_spaces import AnyText, read_action
from wardround.assessment.suites import suite_makers
from wardround.core.actions import Call, Say
from wardround.core.errors import UserError
from wardround.core.plugins import BENCHMARKS, names

SITE = Path(__file__).parents[1] / "plugin" / "site"
TRIAGE = "triage_plugin.declaration:BENCHMARK"


@pytest.fixture(autouse=True)
def _triage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SITE))
    monkeypatch.setenv("PYTHONPATH", str(SITE))


def make() -> TrialEnv:
    return TrialEnv(TRIAGE)


def test_it_passes_the_checker() -> None:
    env = TrialEnv(TRIAGE, render_mode="ansi")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it has no spec, and is not made again in another mode
        check_env(env)
    env.close()
    env.close()


def test_every_benchmark_is_registered() -> None:
    made = {spec.id for spec in gymnasium.registry.values() if spec.namespace == "wardround"}
    assert made == {f"wardround/{name}-v0" for name in names(BENCHMARKS)}


def test_an_episode_is_a_trial_with_its_grade() -> None:
    env = make()
    first, info = env.reset(seed=1)
    assert env.reset(seed=1)[1]["task"] == info["task"]
    assert first in env.observation_space
    assert {"rules", "tools", "task"} == info.keys()
    last, reward, terminated, truncated, over = env.step("Rot. 血压 140/90, 5 µg")
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert over["counts"] is True
    assert last in env.observation_space
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step("more")
    env.close()


def test_a_chosen_task_is_played_and_an_unknown_one_refused() -> None:
    env = make()
    assert env.reset(options={"task": "cough"})[1]["task"] == "cough"
    with pytest.raises(UserError, match="has no task 'none'"):
        env.reset(options={"task": "none"})
    env.close()


def test_the_reward_of_a_trial_that_does_not_count_is_no_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def broken(*_: object) -> None:
        raise ConnectionError("a value of the gold")

    env = make()
    env.reset(seed=0)
    monkeypatch.setattr("triage_plugin.benchmark.Desk.step", broken)
    observed, reward, terminated, truncated, info = env.step("Which ward?")
    assert "gold" not in observed["text"]
    assert isnan(reward)
    assert terminated or truncated
    assert info["counts"] is False
    assert info["outcome"] == "infra_error"
    assert "gold" not in info["reason"]
    env.close()


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_vectors_of_environments(kind: str) -> None:
    makers = [make, make]
    envs = SyncVectorEnv(makers) if kind == "sync" else AsyncVectorEnv(makers, shared_memory=False)
    observed, _ = envs.reset(seed=7)
    assert len(observed["text"]) == 2
    _, rewards, *_ = envs.step(("Which ward?", "哪个病区？"))
    assert rewards.shape == (2,)
    envs.close()


def test_tasks_are_made_without_end() -> None:
    benchmark = sorted(suite_makers())[1]  # its suites are made soonest
    database = hospital_file("mimic_iv_star", 80, seed=5, ending="sqlite")
    env = TrialEnv(benchmark, made=1, database=database)
    first, second = env.reset(seed=0), env.reset()
    assert first[1]["rules"]
    assert first[0]["text"] != second[0]["text"]
    env.close()
    with pytest.raises(UserError, match="No tasks of 'nothing' are made"):
        TrialEnv("nothing", made=1, database=database)


def test_an_environment_that_is_not_closed_lets_the_process_end() -> None:
    code = f"from wardround.apps.gym import TrialEnv; TrialEnv({TRIAGE!r}).reset()"
    done = subprocess.run([sys.executable, "-c", code], timeout=60, check=False)
    assert done.returncode == 0


@given(st.text())
def test_texts_of_any_script_are_in_the_space(text: str) -> None:
    assert text in AnyText()
    assert "\ud800" + text not in AnyText()


def test_samples_are_in_the_space_and_seeded() -> None:
    samples = [AnyText(seed).sample() for seed in (1, 1, 2)]
    assert samples[0] == samples[1] != samples[2]
    assert all(sample in AnyText() for sample in samples)


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ('{"tool": "beds", "arguments": {}}', Call("beds", {})),
        ('{"tool": "beds"}', Say('{"tool": "beds"}')),
        ('{"tool": 1, "arguments": {}}', Say('{"tool": 1, "arguments": {}}')),
        ("[1]", Say("[1]")),
        ("", Say("")),
    ],
)
def test_an_action_is_a_call_or_words(text: str, action: object) -> None:
    assert read_action(text) == action
