"""Faults of the checks in `checks.json`, which a model wrote and a person may have changed."""

from collections.abc import Iterator

from wardround.benchmarks.clinsql.checks.check_grounds import Ground
from wardround.benchmarks.clinsql.checks.compiled_checks import READINGS
from wardround.benchmarks.clinsql.checks.compiler import grammar_checks, leaves_below, rubric_header
from wardround.benchmarks.clinsql.checks.model import AllOf, LeafCheck
from wardround.benchmarks.clinsql.checks.results_checks import ResultsCheck
from wardround.benchmarks.clinsql.checks.sql_decider import decide_query
from wardround.benchmarks.clinsql.checks.vocabulary import vocabulary
from wardround.benchmarks.clinsql.tasks import TREES, ClinTask, Tree, leaf_item
from wardround.core.task import Defect

UNUSED = f"{READINGS} holds a check of a leaf that has one without it, which is not used"
UNUSABLE = f"{READINGS} holds a check that cannot be right; mend it, or delete it and compile again"


def unused_checks(task: ClinTask) -> Iterator[Defect]:
    """The stored checks of leaves whose check is in `item.json` or comes from the grammar."""
    if task.hidden.readings:
        for item in task.hidden.readings.keys() & grammar_checks(task).keys():
            yield Defect(task.id, f"{UNUSED}: {item}")


def unusable_checks(task: ClinTask) -> Iterator[Defect]:
    """The stored checks whose tables, columns, codes or numbers stand nowhere, or that gold fails.

    They are tried on the gold's query and stored result, without a database.
    """
    if not task.hidden.readings:
        return
    header = rubric_header(task.hidden.results_rubric, task.hidden.result.columns)
    for tree in TREES:
        for leaf, groups in leaves_below(task.hidden.rubric(tree)):
            reading = task.hidden.readings.get(item := leaf_item(tree, leaf.id))
            if reading is None or reading.check is None:
                continue
            text = " ".join((leaf.requirement, *(node.requirement for node in groups[1:])))
            problem = _problem(tree, reading.check, task, Ground(text, task.hidden, header))
            if problem:
                yield Defect(task.id, f"{UNUSABLE}: {item}, {problem}")


def _problem(tree: Tree, check: LeafCheck, task: ClinTask, ground: Ground) -> str:
    """The reason why a check cannot be right; "" if it may be."""
    if any(isinstance(part, ResultsCheck) != (tree == "results") for part in _parts(check)):
        of = {"sql": "results", "results": "queries"}[tree]
        return f"it is a check of {of} on a leaf of the {tree} rubric"
    if problem := ground.refusal(check):
        return problem
    if isinstance(check, ResultsCheck) or tree == "results":
        return ""
    gold = task.hidden.sql
    finding = decide_query(check, gold, gold, vocabulary(None))
    return f"the gold fails it: {finding.reason}" if finding.state == "failed" else ""


def _parts(check: LeafCheck) -> Iterator[LeafCheck]:
    """The single checks of a check."""
    if isinstance(check, AllOf):
        for part in check.checks:
            yield from _parts(part)
    else:
        yield check
