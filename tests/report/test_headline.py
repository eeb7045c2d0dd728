from dataclasses import replace

from tests.records import trial_record
from wardround.core.record import Outcome, TrialRecord
from wardround.core.trajectory import Trajectory
from wardround.core.trial import count_turns
from wardround.report.headline import headline, nothing_measured, right_percentage


def trials(*outcomes: str, per_task: int) -> list[TrialRecord]:
    """A record for each letter: p passed, f failed, u unscored."""
    names = {"p": Outcome.PASSED, "f": Outcome.FAILED, "u": Outcome.UNSCORED}
    letters = "".join(outcomes)
    return [
        trial_record(f"task-{n // per_task}", n % per_task, names[letter], seed=n)
        for n, letter in enumerate(letters)
    ]


def test_a_task_is_right_only_if_every_trial_passed() -> None:
    sentence = headline(trials("ppppp" * 49, "ppfpp", per_task=5), "strict")
    assert sentence == (
        "49 of 50 tasks were right in all 5 trials by the strict grading"
        " (98%, 95% interval 89% to 100%)."
    )


def test_reliability_with_one_trial_a_task() -> None:
    assert headline(trials("pf", per_task=1), "paper").startswith("1 of 2 tasks was right by the")


def test_tasks_with_unscored_trials_are_left_out_and_counted() -> None:
    sentence = headline(trials("pp", "pu", "uf", per_task=2), "paper")
    assert sentence.startswith(
        "1 of 3 tasks was right in all 2 trials by the paper grading; 2 could not be scored"
        " (100% of those scored, 95% interval"
    )


def test_tasks_that_are_not_scored_are_not_right() -> None:
    assert right_percentage(trials("pp", "pu", "uf", "pp", per_task=2)) == 50.0


def test_run_without_a_scored_trial_says_why() -> None:
    unscored = [replace(each, reason="1 verdict undecided") for each in trials("uuu", per_task=1)]
    assert nothing_measured(unscored) == (
        "No trial was scored (3 of 3 trials ended as unscored: 1 verdict undecided)."
    )
    assert nothing_measured([*unscored, *trials("f", per_task=1)]) == ""


def test_a_run_with_bounds_alone_measures_its_agent() -> None:
    bounded = [replace(each, measures={"turns": []}) for each in trials("uuu", per_task=1)]
    assert nothing_measured(bounded) == ""
    assert headline(bounded, "strict") == (
        "Between 0 and 3 of 3 tasks were right by the strict grading: too many of their items are"
        " undecided. The tables give bounds."
    )


def test_agent_that_never_started_is_told_from_one_that_was_wrong() -> None:
    silent = {"ending": "agent_error", "counts": {"actions": 0}, "reason": "its process ended"}
    failed = [replace(each, **silent) for each in trials("ff", per_task=1)]  # type: ignore[arg-type]
    assert nothing_measured(failed).startswith("The agent never acted (2 of 2 trials ended as")
    assert "its process ended" in nothing_measured(failed)
    wrong = replace(failed[0], counts={"actions": 1})
    assert nothing_measured([*failed, wrong]) == ""


def test_an_action_that_is_too_large_is_one() -> None:
    trajectory = Trajectory()
    trajectory.failed("the agent's action is larger than 100 kB", acted=True)
    refused = {"ending": "agent_error", "counts": count_turns(trajectory), "reason": "too large"}
    [failed] = [replace(each, **refused) for each in trials("f", per_task=1)]  # type: ignore[arg-type]
    assert nothing_measured([failed]) == ""


def test_reliability_without_scored_trials() -> None:
    assert headline(trials("uu", per_task=2), "paper").startswith("None of 1 tasks has all")
