"""Grades one answer: its result against the gold's, a refusal against there being a gold."""

from wardround.benchmarks.ehrsql.modes import Mode
from wardround.benchmarks.ehrsql.results import Ran
from wardround.scoring.abstention import Judged

ABSENT = Ran(None, "absent", "There is no prediction.")


def judge(gold: Ran | None, answer: Ran | None, mode: Mode) -> Judged:
    """What came of a question.

    An answer that gives no result, or that is missing altogether, was given and is wrong.

    Args:
        gold: the gold's result; None where the question cannot be answered.
        answer: the answer's result; None where the system refused.
        mode: how results are compared.
    """
    if gold is None or answer is None:
        return Judged(gold is not None, answer is not None, False)
    return Judged(True, True, same_result(gold, answer, mode))


def same_result(gold: Ran, answer: Ran, mode: Mode) -> bool:
    """Whether both have a result, and the same one."""
    if gold.rows is None or answer.rows is None:
        return False
    return mode.same(gold.rows, answer.rows)


def describe(judged: Judged, answer: Ran | None) -> str:
    """Why a question was not done right, without any value."""
    if judged.right:
        return ""
    if answer is None:
        return "refused, though it can be answered"
    if answer.rows is None:
        return f"the query gives no result ({answer.problem}: {answer.reason})"
    return (
        "another result than the gold's" if judged.answerable else "answered, though it cannot be"
    )
