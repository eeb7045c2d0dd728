from wardround.core.record import ByteRange, Outcome, TrialRecord
from wardround.report.headline import headline


def trials(*outcomes: str, per_task: int) -> list[TrialRecord]:
    """A record for each letter: p passed, f failed, u unscored."""
    names = {"p": Outcome.PASSED, "f": Outcome.FAILED, "u": Outcome.UNSCORED}
    letters = "".join(outcomes)
    return [
        TrialRecord(
            task=f"task-{n // per_task}",
            trial=n % per_task,
            seed=n,
            outcome=names[letter],
            reason="",
            ending="finished",
            scores={},
            labels={},
            counts={},
            use={},
            seconds=1.0,
            trajectory=ByteRange(0, 0),
            rejected=(),
        )
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
    assert sentence.startswith("1 of 1 task was right in all 2 trials")
    assert sentence.endswith("2 tasks are left out, because not every trial could be scored.")


def test_reliability_without_scored_trials() -> None:
    assert headline(trials("uu", per_task=2), "paper").startswith("None of 1 tasks has all")
