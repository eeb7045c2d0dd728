"""Programs' verdicts on published results, as they were published: no database is needed."""

from collections.abc import Iterator, Mapping

from wardround.benchmarks.clinsql.checks.column_facts import ResultFacts
from wardround.benchmarks.clinsql.checks.compiler import task_checks
from wardround.benchmarks.clinsql.checks.model import AllOf, Finding, LeafCheck, stored_check
from wardround.benchmarks.clinsql.checks.results import all_of, decide_beside_gold
from wardround.benchmarks.clinsql.gold_comparison.result_comparison import (
    asked_form,
    compared_result,
)
from wardround.benchmarks.clinsql.grading.leaf_verdicts import CHECKS, COMPARED, RESULT
from wardround.benchmarks.clinsql.grading.program_verdicts import CHECKS_VERSION
from wardround.benchmarks.clinsql.published.result_files import write_csv
from wardround.benchmarks.clinsql.published.runs import Submission
from wardround.benchmarks.clinsql.tasks import ClinTask, leaf_item
from wardround.core.verdict import Verdict, verdict_key


class PublishedResults:
    """Decides results leaves of published submissions; a task's checks are compiled once."""

    def __init__(self) -> None:
        self._checks: dict[str, Mapping[str, LeafCheck]] = {}

    def verdicts(self, task: ClinTask, submission: Submission) -> Iterator[Verdict]:
        """Yields a verdict on each decided results leaf, and on the whole result of a made task.

        Nothing is decided where the query gave rows and its result is missing.
        """
        if submission.gave_rows and submission.result.is_placeholder:
            return
        if task.id not in self._checks:
            self._checks[task.id] = task_checks(task)
        result, gold = _facts(submission), task.hidden.result
        of_gold = ResultFacts(gold.columns, gold.rows)
        text = write_csv(submission.result)
        if task.hidden.is_made and result.rows:
            compared = compared_result(result, of_gold, asked_form(task))
            key = verdict_key(COMPARED, CHECKS_VERSION, task.id, text)
            yield Verdict(RESULT, COMPARED, compared.state, reason=compared.reason, key=key)
        for leaf in task.hidden.results_rubric.leaves():
            item = leaf_item("results", leaf.id)
            check = self._checks[task.id].get(item)
            finding = _decided(check, result, of_gold) if check else None
            if check and finding and finding.state != "undecided":
                key = verdict_key(CHECKS, CHECKS_VERSION, item, stored_check(check), text)
                yield Verdict(item, CHECKS, finding.state, reason=finding.reason, key=key)


def _facts(submission: Submission) -> ResultFacts:
    if not submission.gave_rows:
        return ResultFacts((), ())
    return ResultFacts(submission.result.columns, submission.result.rows)


def _decided(check: LeafCheck, result: ResultFacts, gold: ResultFacts) -> Finding:
    if isinstance(check, AllOf):
        return all_of([_decided(each, result, gold) for each in check.checks])
    return decide_beside_gold(check, result, gold)
