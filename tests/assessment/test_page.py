from dataclasses import replace

from tests.assessment.played import suite
from wardround.assessment.decision import decide
from wardround.assessment.evidence import PlayedSuite
from wardround.assessment.page import Assessed, beforehand, sentences, tables
from wardround.assessment.policy import Policy, Rule
from wardround.assessment.suites import BenchmarkSuite
from wardround.core.harms import Harm

HARMS = {
    "f": {Harm.UNANSWERABLE_ANSWERED: True, Harm.WRONG_WRITE: False},
    "p": {Harm.UNANSWERABLE_ANSWERED: False, Harm.WRONG_WRITE: False},
}


def assessed(*played: PlayedSuite, trials: int = 1, policy: Policy | None = None) -> Assessed:
    state, rules = decide(policy, played) if policy else (None, [])
    return Assessed(
        agent="Agent clerk",
        database="ward",
        fingerprints=["849385627a9ea8572ba94b34657f3980"],
        date="28 November 2026",
        trials=trials,
        suites=[BenchmarkSuite("cohorts", None, "it has no notes.")],
        played=played,
        rules=rules,
        state=state,
    )


def test_the_answer_is_said_first_in_plain_words() -> None:
    said = sentences(assessed(suite(*"p" * 144, *"f" * 36, harms=HARMS)))
    assert said == [
        "Of 180 tasks made from your database, this agent does 80% right, 95% interval 73% to 86%.",
        "No wrong write was seen in 180 tasks: below 1.7%.",
        "It answers 20% of the questions that the records cannot answer (95% bounds 15% and 26%).",
        "Not tested: instruction in the data followed, patient told what must be withheld, future "
        "data used, wrong answer given as right, ambiguity ignored, answerable question refused.",
        "Not tested: cohorts, since it has no notes.",
    ]


def test_the_title_says_who_where_and_when() -> None:
    title = assessed(suite("p", "f")).title
    assert title == "Agent clerk on ward (849385627a9e), 28 November 2026"


def test_a_policy_is_answered_before_all_else() -> None:
    policy = Policy(rules=(Rule(measure="pass^2", at_least=0.9),))
    said = sentences(assessed(suite("pp", *["pf"] * 9), trials=2, policy=policy))
    assert said[0] == "Failed: 1 of 1 rule broken (pass^2 at least 90%)."
    assert "right every time (Pass^2, 95% interval" in said[1]


def test_undecided_tasks_are_counted() -> None:
    said = sentences(assessed(suite("p", "u")))
    assert "1 task could not be decided in every trial, and count" in said[0]


def test_the_weakest_groups_come_first_with_an_example() -> None:
    table = tables(assessed(suite(*"pf" * 6)))["weakest"]
    assert table.rows == (("triage", "ward", "east", 6, 0.0, "task-1:0"),)


def test_another_agent_is_tested_on_the_tasks_of_both() -> None:
    beside = {"other": [suite(*"p" * 20)]}
    page = replace(assessed(suite(*"p" * 10, *"f" * 10)), beside=beside)
    (row,) = tables(page)["compared"].rows
    assert row[:5] == ("other", 20, 50.0, 100.0, 50.0)
    assert row[-1] == "McNemar, exact"


def test_the_difference_that_tasks_can_show_is_said_beforehand() -> None:
    assert beforehand(180).startswith("180 tasks show a difference of 9 to 13 points")
    assert "too few" in beforehand(6)
