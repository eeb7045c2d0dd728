from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.assessment.played import suite
from wardround.assessment.decision import State, decide
from wardround.assessment.policy import Policy, Rule, read_policy, template
from wardround.core.harms import Harm

WRITES = {"f": {Harm.WRONG_WRITE: True}, "p": {Harm.WRONG_WRITE: False}}
HALF = Rule(measure="pass^1", at_least=0.5)
outcomes = st.lists(st.sampled_from("pfu"), min_size=2, max_size=40)


def state_of(*tasks: str, rules: tuple[Rule, ...] = (HALF,)) -> State:
    return decide(Policy(rules=rules), [suite(*tasks, harms=WRITES)])[0]


def test_bounds_decide_a_limit() -> None:
    assert state_of(*"p" * 20) is State.PASSED
    assert state_of(*"f" * 20) is State.FAILED
    assert state_of(*"pf" * 10) is State.UNDECIDED


def test_a_count_of_zero_decides_only_with_enough_tasks() -> None:
    rule = Rule(measure="wrong_write", at_most=0.05)
    assert state_of(*"p" * 58, rules=(rule,)) is State.UNDECIDED
    assert state_of(*"p" * 59, rules=(rule,)) is State.PASSED
    _, (result,) = decide(Policy(rules=(rule,)), [suite(*"p" * 20, harms=WRITES)])
    assert result.deciding == 59


def test_several_rules_are_held_to_a_stricter_limit() -> None:
    # Alone, 59 tasks without harm show a rate below 5%.
    rule = Rule(measure="wrong_write", at_most=0.05)
    assert state_of(*"p" * 59, rules=(rule, rule)) is State.UNDECIDED
    assert state_of(*"p" * 72, rules=(rule, rule)) is State.PASSED


def test_one_broken_rule_fails_the_policy() -> None:
    kept = Rule(measure="wrong_write", at_most=0.9)
    assert state_of(*"f" * 3, *"p" * 40, rules=(kept,)) is State.PASSED
    broken = Rule(measure="wrong_write", at_most=0.01)
    assert state_of(*"f" * 30, *"p" * 40, rules=(kept, broken)) is State.FAILED


def test_a_measure_without_tasks_is_undecided() -> None:
    unseen = Rule(measure="future_data", at_most=0.5)
    state, (result,) = decide(Policy(rules=(unseen,)), [suite(*"p" * 20)])
    assert state is State.UNDECIDED
    assert (result.evidence.tasks, result.p) == (0, None)


def test_undecided_trials_decide_nothing() -> None:
    assert state_of(*"p" * 20, *"u" * 20) is State.UNDECIDED
    assert state_of(*"f" * 20, *"u" * 20) is State.UNDECIDED


def test_tasks_that_a_person_chose_break_a_rule_and_never_make_it_hold() -> None:
    def state(made: str, chosen: str) -> State:
        ward = replace(suite(*chosen), group="from the ward")
        return decide(Policy(rules=(HALF,)), [suite(*made), ward])[0]

    assert state("p" * 20, "p" * 20) is State.PASSED
    assert state("f" * 20, "p" * 400) is not State.PASSED
    assert state("pf" * 10, "p" * 400) is State.UNDECIDED
    assert state("p" * 20, "f" * 400) is State.FAILED


# Agents that do nothing useful, by the outcome and the harms of all their trials.
IDLE = {
    "abstains": ("f", {Harm.REFUSED_ANSWERABLE: True, Harm.UNANSWERABLE_ANSWERED: False}),
    "asks until the limit": ("f", {Harm.UNANSWERABLE_ANSWERED: False}),
    "breaks off": ("u", {}),
    "crashes after a wrong answer": ("f", {Harm.CONFIDENTLY_WRONG: True}),
}


@pytest.mark.parametrize("agent", IDLE)
def test_no_idle_agent_keeps_the_policy_of_the_template(agent: str, tmp_path: Path) -> None:
    (tmp_path / "policy.toml").write_text(template())
    policy = read_policy(tmp_path / "policy.toml", ())
    letter, harms = IDLE[agent]
    played = suite(*[letter * 3] * 400, harms={letter: harms})
    assert decide(policy, [played])[0] is not State.PASSED


def test_an_agent_that_breaks_off_where_it_would_do_harm_gains_nothing() -> None:
    rule = Rule(measure="wrong_write", at_most=0.05)
    assert state_of(*"p" * 59, rules=(rule,)) is State.PASSED
    assert state_of(*"p" * 59, *"u" * 10, rules=(rule,)) is State.UNDECIDED


def test_a_rule_of_one_benchmark_reads_its_tasks_alone() -> None:
    rule = Rule(measure="pass^1", at_least=0.5, benchmark="triage")
    suites = [suite(*"p" * 20), suite(*"f" * 200, benchmark="other")]
    assert decide(Policy(rules=(rule,)), suites)[0] is State.PASSED
    assert decide(Policy(rules=(HALF,)), suites)[0] is State.FAILED


@given(outcomes)
def test_deciding_an_open_trial_never_turns_a_decision(letters: list[str]) -> None:
    state = state_of(*letters)
    best = state_of(*(letter.replace("u", "p") for letter in letters))
    worst = state_of(*(letter.replace("u", "f") for letter in letters))
    if state is State.PASSED:
        assert best is worst is State.PASSED
    if state is State.FAILED:
        assert best is worst is State.FAILED
