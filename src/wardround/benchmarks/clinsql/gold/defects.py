"""Faults of golds: dotted codes, empty cells, failed leaves, and faulty stored checks."""

import re
from collections.abc import Iterator

from sqlglot.errors import SqlglotError

from wardround.benchmarks.clinsql.briefing import code_patterns
from wardround.benchmarks.clinsql.checks.check_grounds import Ground
from wardround.benchmarks.clinsql.checks.column_facts import ResultFacts
from wardround.benchmarks.clinsql.checks.compiler import (
    grammar_checks,
    leaves_below,
    rubric_header,
    task_checks,
)
from wardround.benchmarks.clinsql.checks.program_verdicts import has_band
from wardround.benchmarks.clinsql.checks.queries.decider import decide_query
from wardround.benchmarks.clinsql.checks.queries.vocabulary import vocabulary
from wardround.benchmarks.clinsql.checks.results import decide_results
from wardround.benchmarks.clinsql.items.checks import LeafCheck, ResultsCheck, single_checks
from wardround.benchmarks.clinsql.items.compiled_checks import READINGS
from wardround.benchmarks.clinsql.items.item import TREES, ClinTask, Tree, leaf_item
from wardround.core.capabilities import GoldDefects
from wardround.core.record import Outcome
from wardround.core.task import Defect

UNUSED = f"{READINGS} holds a check of a leaf that has one without it, which is not used"
UNUSABLE = f"{READINGS} holds a check that cannot be right; mend it, or delete it and compile again"
_DOTTED = re.compile(r"[A-Z]?\d[\dA-Z]*\.[\dA-Z%_]*")


def stopped_gold(seconds: float) -> str:
    """The fault of a gold that runs longer than a statement may."""
    return (
        f"its gold is stopped after {seconds:g} s; make it cheaper, or give it more time with"
        " --statement-seconds"
    )


def gold_review(task: ClinTask, outcome: Outcome, failure: str, stopped: str = "") -> GoldDefects:
    """The faults of a gold after its trial: errors of a made task, known ones of a published one.

    A published gold whose leaves are undecided has no fault by that. In both, a gold that is
    stopped is an error, as is a check in `checks.json` that cannot be right.
    """
    defects, unused = tuple(gold_defects(task)), tuple(unused_checks(task))
    errors = (*_failure(task, stopped), *unusable_checks(task))
    failure = "" if stopped else failure
    if task.hidden.is_made:
        return GoldDefects(errors=(*errors, *defects, *_failure(task, failure)), known=unused)
    failed = failure if outcome is not Outcome.UNSCORED else ""
    return GoldDefects(errors=errors, known=(*unused, *defects, *_failure(task, failed)))


def gold_defects(task: ClinTask) -> Iterator[Defect]:
    """The faults of a task's gold that its query and stored result show, without a database."""
    yield from _dotted_codes(task)
    yield from _empty_cells(task)
    yield from _failed_leaves(task)


def _failure(task: ClinTask, failure: str) -> tuple[Defect, ...]:
    return (Defect(task.id, failure),) if failure else ()


def _dotted_codes(task: ClinTask) -> Iterator[Defect]:
    """Codes with a dot, which match nothing: MIMIC-IV stores codes without one."""
    try:
        patterns = code_patterns(task.hidden.sql, "icd_code")
    except SqlglotError:
        yield Defect(task.id, "its gold query cannot be parsed")
        return
    dotted = [pattern for pattern in patterns if _DOTTED.fullmatch(pattern)]
    if dotted:
        codes = ", ".join(dotted)
        yield Defect(
            task.id, f"its gold compares ICD codes with a dot, which match no stored code: {codes}"
        )


def _empty_cells(task: ClinTask) -> Iterator[Defect]:
    gold = task.hidden.result
    facts = ResultFacts(gold.columns, gold.rows)
    empty = [name for at, name in enumerate(gold.columns) if facts.column(at).empty]
    if empty:
        yield Defect(task.id, f"its gold result has empty cells: {', '.join(empty)}")


def _failed_leaves(task: ClinTask) -> Iterator[Defect]:
    gold = task.hidden.result
    facts = ResultFacts(gold.columns, gold.rows)
    for item, check in task_checks(task).items():
        if not item.startswith("results:"):
            continue
        finding = decide_results(check, facts, facts)
        if finding.state == "failed":
            cause = "lies outside its own band" if has_band(check) else "fails a leaf of its own"
            yield Defect(task.id, f"its gold result {cause}: {item}, {finding.reason}")


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
            problem = _check_problem(tree, reading.check, task, Ground(text, task.hidden, header))
            if problem:
                yield Defect(task.id, f"{UNUSABLE}: {item}, {problem}")


def _check_problem(tree: Tree, check: LeafCheck, task: ClinTask, ground: Ground) -> str:
    """The reason why a check cannot be right; "" if it may be."""
    if any(isinstance(part, ResultsCheck) != (tree == "results") for part in single_checks(check)):
        of = {"sql": "results", "results": "queries"}[tree]
        return f"it is a check of {of} on a leaf of the {tree} rubric"
    if problem := ground.refusal(check):
        return problem
    if isinstance(check, ResultsCheck) or tree == "results":
        return ""
    gold = task.hidden.sql
    finding = decide_query(check, gold, gold, vocabulary(None))
    return f"the gold fails it: {finding.reason}" if finding.state == "failed" else ""
