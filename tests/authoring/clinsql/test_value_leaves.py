"""Leaves on units and missing values come from the gold query, and its mutants fail them."""

from typing import cast

import pytest

from tools.suites.clinsql_mutants import mutants
from wardround.authoring.clinsql.concepts import concepts, diagnoses
from wardround.authoring.clinsql.gold_query.query import query_text
from wardround.authoring.clinsql.gold_query.tables import (
    published_tables,
)
from wardround.authoring.clinsql.leaves import Leaf
from wardround.authoring.clinsql.specification import CohortSpec, QuestionSpec
from wardround.authoring.clinsql.sql_rubric import filled_leaves, unit_leaves
from wardround.benchmarks.clinsql.checks.queries.decider import decide_query
from wardround.benchmarks.clinsql.checks.queries.vocabulary import vocabulary
from wardround.benchmarks.clinsql.items.checks import SqlCheck

COHORT = CohortSpec("F", (50, 60), "admission", diagnoses()[0])
DRUG, TEST = concepts("drug")[0], concepts("lab")[0]
RANKED = QuestionSpec("", "hard", COHORT, "days", "quartiles", DRUG, 24)
READMITTED = QuestionSpec("", "medium", COHORT, "readmissions", "burden")
LENGTH = QuestionSpec("", "medium", COHORT, "length_of_stay", "spread")
MEAN = QuestionSpec("", "medium", COHORT, "mean", "spread", TEST, 24)


def _leaves(spec: QuestionSpec) -> list[Leaf]:
    sql = query_text(spec, published_tables())
    return [*unit_leaves(sql), *filled_leaves(sql)]


@pytest.mark.parametrize(
    ("spec", "ids"),
    [
        (RANKED, ["length-of-stay", "duration", "has-dischtime"]),
        (READMITTED, ["has-dischtime"]),  # lengths do not reach its result
        (LENGTH, ["length-of-stay", "has-dischtime"]),
        (MEAN, []),
    ],
)
def test_leaves_are_read_off_the_query(spec: QuestionSpec, ids: list[str]) -> None:
    assert [leaf.id for leaf in _leaves(spec)] == ids


@pytest.mark.parametrize("spec", [RANKED, READMITTED, LENGTH])
def test_a_mutant_fails_a_leaf_that_the_gold_passes(spec: QuestionSpec) -> None:
    gold = query_text(spec, published_tables())
    checks = [cast("SqlCheck", leaf.check) for leaf in _leaves(spec)]
    words = vocabulary(None)
    assert [decide_query(c, gold, gold, words).state for c in checks] == ["passed"] * len(checks)
    for mutant in mutants(gold):
        broken = [check for check in checks if check.kind in mutant.kind.breaks]
        if mutant.kind.name in ("unit", "NULL filter") and broken:
            states = {decide_query(check, mutant.sql, gold, words).state for check in broken}
            assert "failed" in states, (mutant.kind.name, mutant.sql)
