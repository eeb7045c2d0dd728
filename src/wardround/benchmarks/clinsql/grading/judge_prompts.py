"""Prompts of the rubric judge: a query or its result beside the gold's, and the requirements."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from wardround.benchmarks.clinsql import prompts
from wardround.benchmarks.clinsql.published.result_files import CsvTable, write_csv
from wardround.benchmarks.clinsql.tasks import ClinTask, Tree
from wardround.models.prompts import fill
from wardround.scoring.rubrics.tree import RubricNode

PROMPT_VERSION = 1
MOST_ROWS = 50


@dataclass(frozen=True, slots=True)
class Candidate:
    """A query or its result, beside the gold's, as the judge reads them.

    Attributes:
        text: The query or result.
        gold: The gold's.
        note: What was left out of a long result; "" if nothing was.
    """

    text: str
    gold: str
    note: str = ""


def leaf_prompt(task: ClinTask, tree: Tree, leaf: RubricNode, candidate: Candidate) -> str:
    """The question to a judge about one leaf."""
    return fill(
        prompts.__name__,
        f"judge_{tree}.md",
        requirement=leaf.requirement,
        question=task.public.question,
        candidate=candidate.text,
        gold=candidate.gold,
    )


def tree_prompt(
    task: ClinTask, tree: Tree, leaves: Sequence[RubricNode], candidate: Candidate
) -> str:
    """The question to a judge about several leaves of a tree."""
    return fill(
        prompts.__name__,
        "judge_tree.md",
        subject="a BigQuery query" if tree == "sql" else "the result of a query",
        count=len(leaves),
        question=task.public.question,
        candidate=candidate.text,
        gold=candidate.gold,
        requirements="\n".join(f"{leaf.id}: {leaf.requirement}" for leaf in leaves),
    )


def results_candidate(result: CsvTable, gold: CsvTable) -> Candidate:
    """A result beside the gold's, each cut to its first rows."""
    left_out = max(len(result.rows) - MOST_ROWS, 0)
    note = f"the judge saw {MOST_ROWS} of {len(result.rows):,} rows" if left_out else ""
    return Candidate(_shown(result), _shown(gold), note)


def _shown(table: CsvTable) -> str:
    text = write_csv(replace(table, rows=table.rows[:MOST_ROWS])).rstrip("\n")
    more = len(table.rows) - MOST_ROWS
    if more <= 0:
        return text
    return f"{text}\n(and {more:,} more rows; {len(table.rows):,} rows in all)"
