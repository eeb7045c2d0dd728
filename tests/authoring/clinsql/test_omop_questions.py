"""Questions about an OMOP database: made from its record map, graded on its own tables."""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path

import pytest
from sqlglot import exp, parse_one

from bench.clinsql_mutants import GivenMutant, given_outcomes
from tests.authoring.clinsql.conftest import made_once, opened_tables
from tests.hospitals import hospital_file
from tools.suites.clinsql_mutants import mutants
from wardround.authoring.clinsql.anchors import anchor_pool
from wardround.authoring.clinsql.concepts import concepts
from wardround.authoring.clinsql.drafts import Draft, drafts
from wardround.authoring.clinsql.gold_query.predicates import (
    by_name,
    is_selectable,
)
from wardround.authoring.clinsql.gold_query.tables import (
    RecordTables,
)
from wardround.authoring.clinsql.rules import with_tests
from wardround.authoring.clinsql.suite import MadeSuite, make_suite
from wardround.benchmarks.clinsql.benchmark import CohortBenchmark
from wardround.benchmarks.clinsql.briefing import briefing
from wardround.benchmarks.clinsql.declaration import BENCHMARK, CohortOptions
from wardround.benchmarks.clinsql.items.item import SCENARIOS, ClinTask
from wardround.benchmarks.clinsql.tasks import load_tasks
from wardround.core.declaration import Opening
from wardround.core.errors import UserError
from wardround.core.tools import Toolbox
from wardround.ehr.database import QueryError, open_database
from wardround.ehr.hospital.build import build_hospital
from wardround.ehr.records import load_map
from wardround.ehr.schema import load_schema
from wardround.models.roles import UnusedModels

# Items of three scenarios; few drafts of this seed are dropped.
LAYOUT, COUNT, SEED, LEAST = "omop_5_4", 3, 6, 2


@pytest.fixture(scope="module")
def omop() -> Path:
    return hospital_file(LAYOUT, 40, seed=5)


@pytest.fixture(scope="module")
def made(omop: Path) -> tuple[Path, MadeSuite]:
    return made_once(omop, COUNT, SEED, LEAST)


@pytest.fixture(scope="module")
def tasks(made: tuple[Path, MadeSuite]) -> tuple[ClinTask, ...]:
    return load_tasks(made[0]).tasks


@pytest.fixture(scope="module")
def benchmark(omop: Path) -> Iterator[CohortBenchmark]:
    opening = Opening(CohortOptions(), {"omop": str(omop)}, BENCHMARK.limits, UnusedModels())
    with closing(CohortBenchmark.open(opening)) as opened:
        yield opened


@pytest.fixture(scope="module")
def unchecked(omop: Path) -> list[Draft]:
    """Two drafts of every scenario."""
    with closing(open_database(f"googlesql:{omop}")) as database:
        tables = with_tests(opened_tables(database), database)
        pool = anchor_pool(database, tables, LEAST)
    return [
        draft
        for scenario in SCENARIOS
        for draft in islice(drafts(scenario, "medium", pool, tables, SEED, Counter()), 2)
    ]


def test_every_scenario_is_served(unchecked: list[Draft]) -> None:
    assert Counter(draft.spec.scenario for draft in unchecked) == dict.fromkeys(SCENARIOS, 2)


def test_items_of_every_scenario_are_made(omop: Path) -> None:
    _, suite = made_once(omop, 6, 2, LEAST)
    assert {scenario for (scenario, _), count in suite.counts.items() if count} == {*SCENARIOS}


def test_what_the_record_lacks_is_named(made: tuple[Path, MadeSuite]) -> None:
    lacking = {finding.check for finding in made[1].findings if finding.kind == "shape"}
    assert lacking == {
        "no comorbidity",
        "no discharge location with a known meaning",
        "no intervention",
        "no time of day",
    }


def test_golds_read_tables_of_the_layout_under_their_own_names(tasks: tuple[ClinTask, ...]) -> None:
    known = {table.name for table in load_schema(LAYOUT).tables}
    for task in tasks:
        query = parse_one(task.hidden.sql, read="bigquery")
        steps = {cte.alias for cte in query.find_all(exp.CTE)}
        read = {table.name for table in query.find_all(exp.Table) if table.name not in steps}
        assert {"person", "condition_occurrence"} <= read <= known
        assert not any(table.db for table in query.find_all(exp.Table))


def test_rubrics_ask_for_tables_of_records_not_for_lookups(tasks: tuple[ClinTask, ...]) -> None:
    for task in tasks:
        names = task.hidden.checks["sql:required-tables"]["names"]
        assert {"person", "condition_occurrence"} <= set(names)
        assert "concept" not in names


def test_times_are_counted_in_days(unchecked: list[Draft]) -> None:
    assert not any("DATETIME_DIFF" in draft.sql for draft in unchecked)
    questions = " ".join(draft.question for draft in unchecked)
    assert "difference of its dates" in questions
    assert "hours" not in questions


def test_golds_pass_and_those_of_the_other_sex_fail(
    benchmark: CohortBenchmark, tasks: tuple[ClinTask, ...]
) -> None:
    golds = [GivenMutant(task.id, task.hidden.sql) for task in tasks]
    assert all(outcome.passed for outcome in given_outcomes(benchmark, tasks, golds))
    others = [GivenMutant(task.id, _of_the_other_sex(task.hidden.sql)) for task in tasks[::2]]
    outcomes = list(given_outcomes(benchmark, tasks, others))
    assert any(outcome.runs for outcome in outcomes)
    assert not any(outcome.passed for outcome in outcomes if not outcome.equal)


def test_mutants_with_another_result_fail(
    benchmark: CohortBenchmark, tasks: tuple[ClinTask, ...]
) -> None:
    wrong = [GivenMutant(t.id, m.sql, m.kind.name) for t in tasks for m in mutants(t.hidden.sql)]
    wrong += [GivenMutant(task.id, _of_the_other_sex(task.hidden.sql), "sex") for task in tasks]
    outcomes = list(given_outcomes(benchmark, tasks, wrong))
    changed = [each for each in outcomes if each.runs and not each.equal]
    assert (len(tasks), len(changed)) == (3, 9)
    assert [each.mutant for each in changed if each.passed] == []


def test_the_anchor_is_hidden(omop: Path, tasks: tuple[ClinTask, ...]) -> None:
    anchor = tasks[0].hidden.anchor
    assert anchor is not None
    with closing(open_database(f"googlesql:{omop}")) as database:
        for table in ("person", "measurement", "death"):
            sql = f"SELECT COUNT(*) AS n FROM {table} WHERE person_id = {anchor}"
            assert database.hiding(anchor).execute(sql).rows == [(0,)]
        assert database.execute(f"SELECT 1 FROM person WHERE person_id = {anchor}").rows


def test_tables_are_not_in_datasets_of_another_layout(omop: Path) -> None:
    with (
        closing(open_database(f"googlesql:{omop}")) as database,
        pytest.raises(QueryError, match="person"),
    ):
        database.execute("SELECT 1 FROM `physionet-data.mimiciv_3_1_hosp.person`")


def test_briefing_lists_the_tables_of_the_layout(tasks: tuple[ClinTask, ...]) -> None:
    about = (CohortOptions(), Toolbox([]), BENCHMARK.limits, tasks[0].hidden)
    text = briefing(*about, LAYOUT).rules
    assert "MIMIC" not in text
    assert "visit_occurrence: " in text
    assert "MIMIC-IV" in briefing(*about).rules


def test_a_record_without_diagnoses_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "short.duckdb"
    tables = ["person", "visit_occurrence", "visit_detail", "measurement", "concept"]
    build_hospital(path, schema=LAYOUT, patients=5, workers=1, tables=tables)
    with pytest.raises(UserError, match="no diagnosis"):
        make_suite(str(path), tmp_path / "made", 6, 0, 1)


def test_a_layout_without_a_way_to_run_questions_is_refused(tmp_path: Path) -> None:
    path = hospital_file("mimic_iii", 8, seed=3)
    with pytest.raises(UserError, match="MIMIC-IV's layout and OMOP's"):
        make_suite(str(path), tmp_path / "made", 6, 0, 1)


@pytest.mark.parametrize(("unit", "names"), [("mg/dl", ("Creatinine",)), ("umol/L", ())])
def test_a_test_in_another_unit_is_not_asked_about(unit: str, names: tuple[str, ...]) -> None:
    tables = RecordTables(load_map(LAYOUT), {}, {"lab": {"Creatinine": unit, "Ferritin": unit}})
    [creatinine] = [concept for concept in concepts("lab") if concept.name == "creatinine"]
    found = by_name(creatinine, tables)
    assert found.names == names
    assert is_selectable(found, tables) is bool(names)


def _of_the_other_sex(sql: str) -> str:
    male, female = "gender_concept_id = 8507", "gender_concept_id = 8532"
    return sql.replace(male, female) if male in sql else sql.replace(female, male)
