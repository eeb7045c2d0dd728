"""Faults of golds: dotted codes, empty cells, values outside their own band, failed leaves."""

import re
from collections.abc import Iterator

from sqlglot.errors import SqlglotError

from wardround.benchmarks.clinsql.briefing import code_patterns
from wardround.benchmarks.clinsql.checks.column_facts import ResultFacts
from wardround.benchmarks.clinsql.checks.compiler import task_checks
from wardround.benchmarks.clinsql.checks.gold_bands import has_band
from wardround.benchmarks.clinsql.checks.results import decide_results
from wardround.benchmarks.clinsql.checks.stored_faults import unusable_checks, unused_checks
from wardround.benchmarks.clinsql.tasks import ClinTask
from wardround.core.capabilities import GoldDefects
from wardround.core.record import Outcome
from wardround.core.task import Defect

_DOTTED = re.compile(r"[A-Z]?\d[\dA-Z]*\.[\dA-Z%_]*")


def stopped_gold(seconds: float) -> str:
    """The fault of a gold that runs longer than a statement may."""
    return (
        f"its gold is stopped after {seconds:g} s; make it cheaper, or give it more time with"
        " --statement-seconds"
    )


def gold_review(task: ClinTask, outcome: Outcome, failure: str, stopped: str = "") -> GoldDefects:
    """The faults of a gold after its trial: errors of a made task, known ones of a published one.

    A published gold whose leaves are undecided has no fault by that. A gold that is
    stopped is an error in both, as is a check in `checks.json` that cannot be right.
    """
    found, unused = tuple(gold_defects(task)), tuple(unused_checks(task))
    errors = (*_failure(task, stopped), *unusable_checks(task))
    failure = "" if stopped else failure
    if task.hidden.is_made:
        return GoldDefects(errors=(*errors, *found, *_failure(task, failure)), known=unused)
    failed = failure if outcome is not Outcome.UNSCORED else ""
    return GoldDefects(errors=errors, known=(*unused, *found, *_failure(task, failed)))


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
