"""An item: a question about a cohort, its gold query and result, and two rubrics."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from wardround.benchmarks.clinsql.items.compiled_checks import Reading
from wardround.benchmarks.clinsql.items.result_files import CsvTable
from wardround.core.task import Task
from wardround.scoring.rubrics.tree import RubricNode

# The two trees of an item; items of verdicts are TREE:LEAF.
Tree: TypeAlias = Literal["sql", "results"]
TREES: tuple[Tree, ...] = get_args(Tree)
SCENARIOS = (
    "Diagnostic_Procedures",
    "Disease_Diagnosis_and_Outcomes",
    "Laboratory_Results_Analysis",
    "Medication_Management",
    "Patient_Demographics_and_Admissions",
    "Vital_Signs_Monitoring",
)
LEVELS = ("easy", "medium", "hard")


@dataclass(frozen=True, slots=True)
class CohortQuestion:
    """The part of a task that the agent may know."""

    question: str


@dataclass(frozen=True, slots=True)
class CohortGold:
    """The part of a task that only environment and judges may know.

    Attributes:
        sql: the gold query, one BigQuery statement.
        result: its result as published.
        sql_rubric: what a query has to do.
        results_rubric: what its result has to be.
        checks: the check of a leaf, by verdict item, where the task brings its own.
        readings: checks that a model compiled, by verdict item, where they are stored.
        anchor: the subject_id of the patient whom the question describes, if it is known.
    """

    sql: str
    result: CsvTable
    sql_rubric: RubricNode
    results_rubric: RubricNode
    checks: Mapping[str, Any] = field(default_factory=dict)
    readings: Mapping[str, Reading] = field(default_factory=dict)
    anchor: int | None = None

    @property
    def is_made(self) -> bool:
        """True for a task that brings checks of its own, as those that wardround made do."""
        return bool(self.checks)

    def rubric(self, tree: Tree) -> RubricNode:
        """One of the two rubrics."""
        return self.sql_rubric if tree == "sql" else self.results_rubric


ClinTask: TypeAlias = Task[CohortQuestion, CohortGold]


def leaf_item(tree: Tree, leaf: str) -> str:
    """The item of the verdict on a leaf.

    >>> leaf_item("sql", "gender-filter")
    'sql:gender-filter'
    """
    return f"{tree}:{leaf}"


def leaf_items(gold: CohortGold) -> list[str]:
    """The items of all leaves, those of the SQL rubric first."""
    return [leaf_item(tree, leaf.id) for tree in TREES for leaf in gold.rubric(tree).leaves()]
