from itertools import product
from math import isclose
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import for_each
from tests.scoring.rubrics.trees import rubrics
from wardround.core.errors import UserError
from wardround.scoring.rubrics.bounds import score_bounds
from wardround.scoring.rubrics.folds import Rule, fold
from wardround.scoring.rubrics.lint import rubric_problems
from wardround.scoring.rubrics.reader import read_rubric, rubric_json
from wardround.scoring.rubrics.tree import MOST_LEVELS, RubricNode

FIXTURES = Path(__file__).parent / "fixtures"
RULES: tuple[Rule, ...] = ("published", "algorithm")
rules = st.sampled_from(RULES)


def _cases(name: str) -> list[dict[str, Any]]:
    lines = (FIXTURES / f"{name}.jsonl").read_text().splitlines()
    return [orjson.loads(line) for line in lines]


@for_each(product(_cases("folds"), RULES))
def test_fold(case: dict[str, Any], rule: Rule) -> None:
    root = read_rubric(case["tree"]).root
    scores = fold(root, dict.fromkeys(case["passed"], 1.0), rule)
    assert isclose(scores[root.id], case[rule])


@for_each(_cases("faults"))
def test_faults_are_named(case: dict[str, Any]) -> None:
    read = read_rubric(case["tree"])
    found = [*read.problems, *rubric_problems(read.root)]
    named = [f"{p.node}: {p.fault}{'!' if p.fatal else ''}" for p in found]
    assert sorted(named) == sorted(case["faults"])


@given(rubrics)
def test_reading_undoes_writing(root: RubricNode) -> None:
    read = read_rubric(rubric_json(root))
    assert (read.root, read.problems) == (root, ())


@given(rubrics, rules, st.data())
def test_bounds_hold_every_completion(root: RubricNode, rule: Rule, data: st.DataObject) -> None:
    leaves = {leaf.id: data.draw(st.sampled_from([True, False, None])) for leaf in root.leaves()}
    decided = {id: passed for id, passed in leaves.items() if passed is not None}
    found = score_bounds(root, decided, rule)[root.id]
    open_ids = [id for id in leaves if id not in decided]
    scores = [
        fold(root, {**decided, **dict(zip(open_ids, made, strict=True))}, rule)[root.id]
        for made in product([0.0, 1.0], repeat=len(open_ids))
    ]
    assert found.low <= min(scores) + 1e-9
    assert isclose(found.high, max(scores))
    assert found.passes == (min(scores) == 1)
    assert found.fails == (max(scores) < 1)
    if rule == "published":
        assert isclose(found.low, min(scores), abs_tol=1e-9)


@given(rubrics, rules)
def test_all_leaves_passed_score_1_and_none_at_all_is_in_range(
    root: RubricNode, rule: Rule
) -> None:
    passed = fold(root, {leaf.id: 1.0 for leaf in root.leaves()}, rule)
    assert set(passed.values()) == {1.0}
    assert all(0 <= score <= 1 for score in fold(root, {}, rule).values())


def _nested(levels: int) -> dict[str, Any]:
    tree: dict[str, Any] = {"id": f"n{levels}", "requirements": "It holds."}
    for level in range(levels - 1, 0, -1):
        tree = {"id": f"n{level}", "requirements": "Group", "sub_tasks": [tree]}
    return tree


def test_a_tree_of_1000_levels_is_refused() -> None:
    assert read_rubric(_nested(MOST_LEVELS)).root.levels == MOST_LEVELS
    with pytest.raises(UserError, match="more than 64 levels"):
        read_rubric(_nested(1000))


def test_a_cyclic_tree_is_refused() -> None:
    tree: dict[str, Any] = {"id": "a", "requirements": "Group"}
    tree["sub_tasks"] = [tree]
    with pytest.raises(UserError, match="more than 64 levels"):
        read_rubric(tree)


@pytest.mark.parametrize(
    ("content", "message"),
    [([], "root is not a JSON object"), ({"id": "r", "sub_tasks": {"id": "a"}}, "are not a list")],
)
def test_values_that_are_no_tree_are_refused(content: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read_rubric(content)
