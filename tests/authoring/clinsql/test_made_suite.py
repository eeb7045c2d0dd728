"""A made suite keeps its rules, can be read, and passes its own checks."""

from collections import Counter
from contextlib import closing
from itertools import islice
from pathlib import Path

import orjson
import pytest

from tests.authoring.clinsql.conftest import COUNT, LEAST, SEED, opened_tables
from tools.suites.clinsql import SUITE
from wardround.authoring.clinsql import drafts
from wardround.authoring.clinsql.anchors import anchor_pool
from wardround.authoring.clinsql.leaves import Group, Leaf
from wardround.authoring.clinsql.rules import (
    IDLE,
    SMALL,
    TRIVIAL,
    UNDECIDED,
    Rules,
    without_conditions,
)
from wardround.authoring.clinsql.specification import CohortSpec
from wardround.authoring.clinsql.suite import MadeSuite, make_suite, wanted_items
from wardround.benchmarks.clinsql.checks.program_verdicts import ProgramGrader
from wardround.benchmarks.clinsql.execution import Executions
from wardround.benchmarks.clinsql.gold.cohorts import cohort_queries
from wardround.benchmarks.clinsql.items.checks import Rounding, read_check
from wardround.benchmarks.clinsql.items.item import SCENARIOS, leaf_items
from wardround.benchmarks.clinsql.tasks import load_tasks, shipped_tasks
from wardround.core.errors import UserError
from wardround.core.task import Suite
from wardround.ehr.database import open_database


def test_same_seed_writes_the_same_bytes(
    hospital: Path, made: tuple[Path, MadeSuite], tmp_path: Path
) -> None:
    make_suite(str(hospital), tmp_path / "again", COUNT, SEED, LEAST)
    assert _bytes(tmp_path / "again") == _bytes(made[0])


def test_items_are_read_without_a_fault(made: tuple[Path, MadeSuite]) -> None:
    suite = load_tasks(made[0])
    assert len(suite.tasks) == sum(made[1].counts.values()) == COUNT
    assert (suite.defects, suite.known) == ((), ())
    _check_leaves(suite)


def test_gold_result_is_the_run_without_the_anchor(
    hospital: Path, made: tuple[Path, MadeSuite]
) -> None:
    with closing(open_database(f"googlesql:{hospital}")) as database:
        for task in load_tasks(made[0]).tasks:
            hidden = Executions(database, 60).hiding(task.hidden.anchor)
            assert hidden.of(task.hidden.sql).csv == task.hidden.result
            cohort = hidden.of(cohort_queries(task.hidden.sql)["subject_id"]).rows
            assert len(cohort) >= LEAST
            assert (task.hidden.anchor,) not in cohort


def test_gold_passes_every_leaf_of_its_result(hospital: Path, made: tuple[Path, MadeSuite]) -> None:
    with closing(open_database(f"googlesql:{hospital}")) as database:
        executions = Executions(database, 60)
        for task in load_tasks(made[0]).tasks:
            outcome = executions.hiding(task.hidden.anchor).of(task.hidden.sql)
            verdicts = list(ProgramGrader(executions, 1.0).verdicts(task, task.hidden.sql, outcome))
            passed = {verdict.item for verdict in verdicts if verdict.passed}
            assert {i for i in leaf_items(task.hidden) if i.startswith("results:")} <= passed


def test_dropped_drafts_are_counted_by_reason(made: tuple[Path, MadeSuite]) -> None:
    dropped = Counter(finding.check for finding in made[1].findings)
    assert dropped == {SMALL: 1, IDLE: 1, TRIVIAL: 1}


def test_a_draft_whose_gold_fails_a_leaf_is_dropped(
    hospital: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leaf = Leaf("rounding", "It rounds its results to 7 decimals.", Rounding(digits=7))
    group = Group("analytics", "The measures", [leaf])
    monkeypatch.setattr(drafts, "sql_rubric", lambda *about: Group("root", "The query", [group]))
    with closing(open_database(f"googlesql:{hospital}")) as database:
        tables = opened_tables(database)
        rules, pool = Rules(database, tables, LEAST), anchor_pool(database, tables, LEAST)
        scenario = "Disease_Diagnosis_and_Outcomes"
        made = drafts.drafts(scenario, "easy", pool, tables, SEED, Counter())
        assert any(rules.gold(draft) == UNDECIDED for draft in islice(made, 6))


def test_a_folder_with_files_is_refused(hospital: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(UserError, match="not empty"):
        make_suite(str(hospital), tmp_path, 6, 0, 1)


def test_each_condition_is_left_out_once() -> None:
    cohort = CohortSpec("F", (50, 60), "anchor", None)
    assert [(c.sex, c.ages) for c in without_conditions(cohort)] == [(None, (50, 60)), ("F", None)]


def test_mapping_record_stands_beside_the_item(made: tuple[Path, MadeSuite]) -> None:
    for path in made[0].rglob("item.json"):
        mapping = orjson.loads(path.read_bytes())["mapping"]
        assert "patients" in mapping["tables"]
        assert mapping["codes"]["icd9"]
        assert mapping["codes"]["icd10"]
        assert set(mapping["strata"]) == {"age", "condition", "utilisation", "acuity", "window"}


def test_shipped_anchors_spread_over_the_strata() -> None:
    found: dict[str, Counter[str]] = {}
    for task in sorted(SUITE.rglob("item.json")):
        for dimension, stratum in orjson.loads(task.read_bytes())["mapping"]["strata"].items():
            found.setdefault(dimension, Counter())[stratum] += 1
    assert {dimension: sorted(strata.values()) for dimension, strata in found.items()} == {
        "age": [9, 9, 10, 10, 10, 12],
        "condition": [4, 6, 6, 6, 8, 9, 10, 11],
        "utilisation": [5, 6, 6, 7, 8, 9, 9, 10],
        "acuity": [27, 33],
        "window": [1, 7, 7, 7, 38],
    }


def test_shipped_suite_has_every_measure() -> None:
    specs = [orjson.loads(p.read_bytes())["specification"] for p in SUITE.rglob("item.json")]
    concepts = [spec["concept"] or {} for spec in specs]
    assert {"charlson", "both", "performed", "discharge_location"} <= {
        spec["statistic"] for spec in specs
    }
    assert "discharge_location" in {spec["outcome"]["column"] for spec in specs}
    assert any(concept.get("companion") for concept in concepts)
    assert "procedures_icd" in {concept.get("table") for concept in concepts}


def test_shipped_suite_has_ten_items_a_scenario() -> None:
    suite = shipped_tasks()
    assert suite.source == "the shipped suite"
    assert (suite.defects, suite.known) == ((), ())
    shapes = [(task.labels["scenario"], task.labels["level"]) for task in suite.tasks]
    assert len(shapes) == 60
    for scenario in SCENARIOS:
        found = [shapes.count((scenario, level)) for level in ("easy", "medium", "hard")]
        assert found == [3, 4, 3]
    _check_leaves(suite)


def test_counts_follow_the_published_shares() -> None:
    wanted = list(wanted_items(60))
    assert sum(count for *_, count in wanted) == 60
    assert sum(count for _, level, count in wanted if level == "medium") == 24


def _check_leaves(suite: Suite) -> None:
    """Each leaf has a check that can be read, and there is no other check."""
    for task in suite.tasks:
        assert set(task.hidden.checks) == set(leaf_items(task.hidden))
        for item, check in task.hidden.checks.items():
            read_check(check, item)


def _bytes(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
