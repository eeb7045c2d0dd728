"""The page of an audit, of results that are written here."""

from dataclasses import replace

from wardround.assessment.audit.audited import Audit, ProbeResult
from wardround.assessment.audit.page import sentences, tables
from wardround.assessment.audit.probes import (
    NO_GRADING,
    REFUSAL,
    SILENCE,
    WEAK_MATCHING,
    Probe,
)

TASKS = frozenset({"a", "b", "c", "d"})


def result(name: str, strict: str = "", paper: str = "", flaw: str = NO_GRADING) -> ProbeResult:
    """A probe with the tasks that it passes, a letter each."""
    passed = {"strict": frozenset(strict), "paper": frozenset(paper)}
    return ProbeResult(Probe(name, flaw, lambda *of: None), passed, {}, TASKS)


AUDIT = Audit(
    "the ward's tasks",
    ["strict", "paper"],
    [
        result(REFUSAL, "ad", "ad"),
        result(SILENCE, "d", "d"),
        result("answers '1'", "bd", "bcd", WEAK_MATCHING),
    ],
    {"strict": TASKS, "paper": TASKS},
    TASKS,
    has_judge=False,
    rules={"strict": "the last answer is right", "paper": "as published: any answer may match"},
)


def test_tasks_that_every_agent_passes_are_named() -> None:
    assert tables(AUDIT)["passed"].rows == (("b", "answers '1'"), ("d", "every agent"))


def test_what_a_published_grading_lets_through_has_its_rule() -> None:
    assert tables(AUDIT)["lenient"].rows == (
        ("paper", "as published: any answer may match", 75.0, "answers '1'", 75.0),
    )
    strict = replace(AUDIT, gradings=["strict"])
    assert "lenient" not in tables(strict)


def test_trials_that_the_simulated_user_spoiled_are_counted() -> None:
    first, *others = AUDIT.results
    spoiled = [replace(first, user_errors=frozenset("b")), *others]
    said = sentences(replace(AUDIT, results=spoiled, has_user=True))
    assert "The simulated user caused 14% of the 7 trials that did not pass." in said
    assert not any("simulated user" in sentence for sentence in sentences(AUDIT))
