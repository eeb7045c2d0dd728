"""Labels of failures: cases a line, and what a summary says of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cases import for_each, one_in
from tests.records import trial_record
from wardround.benchmarks.chatqa.failures.causes import failure_of, unstated_requests
from wardround.benchmarks.chatqa.failures.tables import failure_table, rerun_table, turn_variability
from wardround.benchmarks.chatqa.scorer import score
from wardround.benchmarks.chatqa.tasks import ChatTask, PublishedTask, load_tasks, shipped_tasks
from wardround.core.record import ByteRange, Outcome, RejectedAttempt, TrialRecord
from wardround.core.trajectory import Called, Said, Trajectory
from wardround.people.person import END

CASES = [
    line.split("\t")
    for line in (Path(__file__).parent / "fixtures" / "causes.tsv").read_text().splitlines()
    if not line.startswith(("#", "flow\t"))
]
# Failed trials on shipped tasks; their labels were agreed before the program was seen (28 November
# 2026: 57 of 100 right at first sight, 37 wrong, 6 undecided). The set has been seen since.
SUITE_CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "fixtures" / "suite_causes.jsonl").read_text().splitlines()
]
# Written later by another engineer, from the paper's definitions and before reading the program: 49
# of 63 right at first sight, 11 undecided, 3 wrong. Two faults were then mended: 53, 9 and 1; and
# what differs in logic only is known to: 58, 4 and 1. Where the program differs, the case says so.
HELD_OUT_CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "fixtures" / "held_out_causes.jsonl")
    .read_text()
    .splitlines()
]
# Written by a third engineer in the same way: 28 of 45 right at first sight, 15 undecided, 2 wrong.
# Two faults were then mended: 30, 14 and 1; with logic 32, 12 and 1.
REVIEWED_CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "fixtures" / "reviewed_causes.jsonl")
    .read_text()
    .splitlines()
]
# Written by a fourth in the same way, six of them with "undecided" as the honest label: 20 of 30
# right at first sight (5 of them undecided), 6 undecided that a reader decides, 4 wrong. The set
# has been seen since, and the causes of the four mended: 21 (6), 9 and 0.
FOURTH_CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "fixtures" / "held_out_causes_4.jsonl")
    .read_text()
    .splitlines()
]
# Left to a judge: it takes clinical knowledge to tell one missing drug from a class.
LEFT_UNDECIDED = {"a name that is not the stored one, for one drug of the class"}
_ORDERS = "SELECT COUNT(DISTINCT patientid) FROM orders WHERE "
INCRE = PublishedTask(
    task_id="1",
    task_type="incre",
    db_id="ward",
    instruction="Your goal is to count. Specifically, you want to know how many patients there "
    "are. You want to include only women. You want to include only those with coumadin.",
    gold_sql=_ORDERS + "sex = 'f' AND name IN ('warfarin', 'warfarin sodium')",
    gold_answer=[[5]],
)
ADAPT = PublishedTask(
    task_id="1",
    task_type="adapt",
    db_id="ward",
    instruction="Your goal is to look up a drug. Specifically, you want to know if anybody got "
    "lipitor. If lipitor was found, you want the number of patients. If lipitor was not found, "
    "you want the number for its generic. You want the answer in words.",
    gold_sql=_ORDERS + "name IN ('atorvastatin', 'atorvastatin calcium')",
    gold_answer=[["five"]],
)
TASKS: dict[str, ChatTask] = {"incre": INCRE.as_task(), "adapt": ADAPT.as_task()}


def trial(user: str, queries: str, answer: str) -> Trajectory:
    """A talk in which the user says all, then the agent runs its queries and answers."""
    trajectory = Trajectory([Said("user", text) for text in user.split("|")])
    for query in filter(None, queries.split("|")):
        trajectory.record(Called("sql_execute", {"query": query}))
    text = "That is it." if answer == "-" else f"<answer>{answer}</answer>"
    trajectory.record(Said("agent", text))
    return trajectory


@for_each(CASES)
def test_failures_are_labelled(flow: str, user: str, queries: str, answer: str, label: str) -> None:
    assert failure_of(TASKS[flow], trial(user, queries, answer)) == label


@pytest.fixture(scope="module")
def suite() -> dict[str, ChatTask]:
    withdrawn = load_tasks(Path(__file__).parent / "fixtures" / "withdrawn_tasks.jsonl")
    return {task.id: task for task in (*shipped_tasks().tasks, *withdrawn.tasks)}


@for_each(SUITE_CASES)
def test_failures_on_shipped_tasks_are_labelled(
    case: dict[str, Any], *, suite: dict[str, ChatTask]
) -> None:
    label = "undecided" if case["why"] in LEFT_UNDECIDED else case["cause"]
    assert label_of(case, suite) == label


@for_each(one_in(5, [*HELD_OUT_CASES, *REVIEWED_CASES, *FOURTH_CASES]))
def test_failures_that_were_held_out_are_labelled(
    case: dict[str, Any], *, suite: dict[str, ChatTask]
) -> None:
    assert label_of(case, suite) == case.get("program", case["cause"])


def test_counts_of_labels_on_cases_of_a_third_engineer() -> None:
    given = [case.get("program", case["cause"]) for case in REVIEWED_CASES]
    right = sum("program" not in case for case in REVIEWED_CASES)
    assert (right, given.count("undecided"), len(given)) == (32, 12, 45)


def test_counts_of_labels_on_cases_of_a_fourth_engineer() -> None:
    given = [case.get("program", case["cause"]) for case in FOURTH_CASES]
    wrong = [case for case in FOURTH_CASES if case.get("program", "undecided") != "undecided"]
    right = [case for case in FOURTH_CASES if "program" not in case]
    decided = [case for case in right if case["cause"] != "undecided"]
    assert (len(right), len(wrong), len(given)) == (21, 0, 30)
    assert (len(decided), given.count("undecided")) == (15, 15)


def label_of(case: dict[str, Any], suite: dict[str, ChatTask]) -> object:
    """The label of a failed trial on a shipped task."""
    trajectory = Trajectory([Said("user", text) for text in case["user"]])
    for query in case["queries"]:
        trajectory.record(Called("sql_execute", {"query": query}))
    trajectory.record(Said("agent", case["answer"]))
    if not case["limit"]:
        trajectory.record(Said("user", END))
    return score(suite[case["task"]], trajectory, ()).measures["failure"]


def test_what_the_user_did_not_come_to_say() -> None:
    instruction = INCRE.instruction
    assert (
        unstated_requests(
            instruction, ["How many patients?", "Only women, please.", "With Coumadin."]
        )
        == ()
    )
    assert unstated_requests(instruction, ["How many patients?", "With Coumadin."]) == (
        "You want to include only women",
    )


LENGTHS = PublishedTask(
    task_id="1",
    task_type="incre",
    db_id="ward",
    instruction="Your goal is to look at ages. Specifically, you want the mean age of patients. "
    "You want only the orders of more than 20 mg.",
    gold_sql="SELECT AVG(age) FROM orders WHERE dose > 20",
    gold_answer=[[61.5]],
).as_task()
MEAN, LIMITED = "What is the mean age of patients?", "Only orders of more than 20 mg."


@for_each(
    [
        (f"{MEAN}|{LIMITED}", "SELECT MAX(age) FROM orders WHERE dose > 20", "SQL"),
        (
            f"How old are they?|{LIMITED}",
            "SELECT MAX(age) FROM orders WHERE dose > 20",
            "undecided",
        ),
        (f"{MEAN}|{LIMITED}", "SELECT AVG(age) FROM orders WHERE dose > 30", "SQL"),
        (f"{MEAN}|Only high doses.", "SELECT AVG(age) FROM orders WHERE dose > 30", "undecided"),
        (f"{MEAN}|{LIMITED}", "SELECT AVG(age) FROM orders", "SQL"),
        (f"{MEAN}|Only large ones.", "SELECT AVG(age) FROM orders", "undecided"),
        (f"{MEAN}|The mean age, please.", "SELECT AVG(age) FROM orders", "unresolved ambiguity"),
        (
            f"{MEAN}|{LIMITED}",
            "SELECT AVG(age) FROM orders WHERE dose > 20 AND ABS(dose) > 1 AND day < DATE('now')",
            "rule of the database",
        ),
    ]
)
def test_what_the_user_left_open_is_not_the_agents_sql(user: str, query: str, label: str) -> None:
    assert failure_of(LENGTHS, trial(user, query, "-")) == label


def record(task: str, number: int, outcome: Outcome, turns: int, cause: str = "") -> TrialRecord:
    """A finished trial."""
    return trial_record(
        task,
        number,
        outcome,
        labels={"flow": "incre"},
        counts={"user_turns": turns},
        rejected=(RejectedAttempt("It said too much. Broken rule: 5", ByteRange(0, 0)),) * number,
        measures={"failure": cause} if cause else {},
    )


TRIALS = [
    record("a", 0, Outcome.FAILED, 3, "SQL"),
    record("a", 1, Outcome.FAILED, 5, "value linking"),
    record("b", 0, Outcome.PASSED, 4),
    record("b", 1, Outcome.FAILED, 4, "SQL"),
    record("b", 2, Outcome.USER_ERROR, 9),
]


def test_failures_are_consistent_or_not() -> None:
    assert failure_table({"IncreQA": TRIALS}).rows == (
        ("IncreQA", "consistent", "value linking", 1, 50.0),
        ("IncreQA", "consistent", "SQL", 1, 50.0),
        ("IncreQA", "inconsistent", "SQL", 1, 50.0),
        ("IncreQA", "inconsistent", "user's error", 1, 50.0),
    )


def test_rules_for_which_attempts_were_run_again_are_counted() -> None:
    assert rerun_table(TRIALS).rows == (("5", 4, 100.0),)


def test_user_turns_vary_within_tasks() -> None:
    lines = turn_variability({"IncreQA": TRIALS}).lines
    assert lines == {"IncreQA": ((0.0, 50.0), (2.0, 50.0))}


def test_a_talk_that_goes_on_until_a_limit_is_given_up() -> None:
    talk = trial("How many patients?|Only women.", _ORDERS + "sex = 'f'", "-")
    assert score(TASKS["incre"], talk, ()).measures == {"failure": "gave up"}
    talk.record(Said("user", END))
    assert score(TASKS["incre"], talk, ()).measures == {"failure": "unresolved ambiguity"}
