"""Effects of each preparation step, and their absence if skipped."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cases import one_in
from tests.ehr.ingest.preparation.made_up import eicu, mimic_iii, ward, write_official
from tests.ehr.ingest.preparation.prepared import ask, prepare_quietly
from wardround.ehr.ingest.preparation import STEPS, Plan
from wardround.ehr.ingest.preparation.recipe import recipes
from wardround.ehr.schema import load_schema

CASES = [
    line.split("\t")
    for line in (Path(__file__).parent / "steps.tsv").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]
PLAN = Plan(patients=20, current=0.2)
NOW = "2105-12-31 23:59:00"


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_official(
        tmp_path_factory.mktemp("official") / "iii.duckdb", "mimic_iii", mimic_iii(ward(60))
    )


@pytest.fixture(scope="module")
def done(source: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("made") / "done.sqlite"
    prepare_quietly(source, target, PLAN)
    return target


@pytest.fixture(scope="module")
def skipping(source: str, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A cached factory of databases prepared without some steps."""
    folder = tmp_path_factory.mktemp("skipping")

    def made(steps: str) -> Path:
        skip = frozenset(steps.split())
        target = folder / f"{' '.join(sorted(skip))}.sqlite"
        if not target.exists():
            plan = Plan(patients=20, current=0.2, skip=skip)
            prepare_quietly(source, target, plan)
        return target

    return made


@pytest.fixture(scope="module")
def unshuffled(skipping: Callable[[str], Path]) -> Path:
    return skipping("shuffle cost")


@pytest.mark.parametrize(("step", "beside", "which", "trace"), one_in(9, CASES))
def test_skipped_step_has_no_effect(
    step: str, beside: str, which: str, trace: str, skipping: Callable[[str], Path], done: Path
) -> None:
    skipped = skipping(f"{step} {beside}".strip())
    result = {"done": bool(ask(done, trace)), "undone": bool(ask(skipped, trace))}
    assert result == {"done": which == "done", "undone": which == "undone"}


def test_every_step_has_an_effect_case() -> None:
    assert {step.name for step in STEPS} == {case[0] for case in CASES} | {"paths"}


@pytest.mark.parametrize(
    ("skip", "name"),
    [((), "hypotension - stay 0"), (("paths",), "cardiovascular|shock|hypotension|stay 0|drug")],
)
def test_path_names_are_shortened(skip: tuple[str, ...], name: str, tmp_path: Path) -> None:
    source = write_official(tmp_path / "eicu.duckdb", "eicu", eicu([[3000]]))
    plan = Plan(skip=frozenset({"now", *skip}))
    prepare_quietly(source, tmp_path / "made.sqlite", plan)
    assert ask(tmp_path / "made.sqlite", "SELECT diagnosisname FROM diagnosis") == [(name,)]


def test_nothing_is_later_than_now(done: Path) -> None:
    for table in load_schema("ehrsql_mimic_iii").tables:
        for column in table.columns:
            if column.type == "TIMESTAMP":
                sql = f"SELECT count(*) FROM {table.name} WHERE {column.name} > '{NOW}'"
                assert ask(done, sql) == [(0,)], (table.name, column.name)


def test_only_current_patients_have_open_stays(done: Path) -> None:
    current = ask(done, "SELECT DISTINCT subject_id FROM admissions WHERE dischtime IS NULL")
    assert len(current) == 4
    assert (
        ask(done, "SELECT 1 FROM admissions WHERE dischtime IS NULL AND discharge_location") == []
    )


def test_foreign_keys_of_stays_are_valid(done: Path) -> None:
    for table in load_schema("ehrsql_mimic_iii").tables:
        for key in table.foreign_keys:
            if key.table in {"patients", "admissions", "icustays"}:
                is_dangling = f"{key.column} NOT IN (SELECT {key.target} FROM {key.table})"
                assert ask(done, f"SELECT 1 FROM {table.name} WHERE {is_dangling}") == []


def _shuffled_columns() -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """MIMIC-III tables with their shuffled and fixed columns."""
    (recipe,) = (recipe for recipe in recipes() if recipe.release == "mimic_iii")
    result = []
    for spec in recipe.specs:
        names = [column.name for column in recipe.prepared.table(spec.name).columns]
        moving = tuple(name for name in names if name in spec.shuffled)
        staying = tuple(name for name in names if name not in spec.shuffled)
        if moving:
            result.append((spec.name, moving, staying))
    return result


@pytest.mark.parametrize(("table", "moving", "staying"), _shuffled_columns())
def test_shuffling_preserves_values_and_patients(
    table: str, moving: tuple[str, ...], staying: tuple[str, ...], done: Path, unshuffled: Path
) -> None:
    def rows(database: Path, columns: tuple[str, ...]) -> list[tuple[Any, ...]]:
        return ask(database, f"SELECT {', '.join(columns)} FROM {table} ORDER BY row_id")

    assert rows(done, staying) == rows(unshuffled, staying)
    assert rows(done, moving) != rows(unshuffled, moving)
    assert Counter(rows(done, moving)) == Counter(rows(unshuffled, moving))


CHARGED = {
    "diagnoses_icd": ("icd9_code", "charttime"),
    "procedures_icd": ("icd9_code", "charttime"),
    "labevents": ("itemid", "charttime"),
    "prescriptions": ("drug", "startdate"),
}


@pytest.mark.parametrize("table", CHARGED)
def test_events_are_charged_once_at_one_price_for_each_item(table: str, done: Path) -> None:
    item, time = CHARGED[table]
    events = f"SELECT row_id, subject_id, hadm_id, {time} FROM {table} ORDER BY 1"
    charges = (
        "SELECT event_id, subject_id, hadm_id, chargetime FROM cost"
        f" WHERE event_type = '{table}' ORDER BY 1"
    )
    assert ask(done, charges) == ask(done, events)
    prices = (
        f"SELECT {item}, count(DISTINCT cost), min(cost) FROM cost JOIN {table} e"
        f" ON event_id = e.row_id AND event_type = '{table}' GROUP BY 1"
    )
    assert all(count == 1 and price > 0 for _, count, price in ask(done, prices))


def test_charges_are_numbered_from_0(done: Path) -> None:
    rows = ask(done, "SELECT row_id FROM cost ORDER BY 1")
    assert [number for (number,) in rows] == list(range(len(rows)))
