"""Whole preparations: reproducibility, refusals, and the published demos."""

import gzip
import json
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from importlib.resources import files
from pathlib import Path
from statistics import fmean, variance

import duckdb
import pytest
from typer.testing import CliRunner

from tests.ehr.ingest.preparation.made_up import Patient, mimic_iii, mimic_iv, ward, write_official
from tests.ehr.ingest.preparation.prepared import ask, digest, prepare_quietly
from wardround.apps.command_line.main import app
from wardround.core.errors import UserError
from wardround.ehr.database import write_database
from wardround.ehr.ingest.preparation import STEPS, Plan
from wardround.ehr.ingest.preparation import prepare as prepare_lazily
from wardround.ehr.ingest.preparation import working_database as lake
from wardround.ehr.ingest.preparation.recipe import recipes
from wardround.ehr.ingest.preparation.seeded_draws import poisson_10, positive_normal

DATA = Path(__file__).resolve().parents[4] / "../shared/data"
PLAN = Plan(patients=20)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_official(
        tmp_path_factory.mktemp("official") / "iii.duckdb", "mimic_iii", mimic_iii(ward(40))
    )


def test_same_seed_gives_the_same_rows_on_every_engine(source: str, tmp_path: Path) -> None:
    for name in ("one.sqlite", "two.duckdb"):
        prepare_quietly(source, tmp_path / name, PLAN)
    prepare_quietly(source, tmp_path / "other.sqlite", Plan(patients=20, seed=1))
    one = digest(tmp_path / "one.sqlite")
    assert digest(tmp_path / "two.duckdb") == one
    assert digest(tmp_path / "other.sqlite") != one


def test_same_seed_gives_the_same_file(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def on_one_thread() -> Iterator[duckdb.DuckDBPyConnection]:
        with lake.open_working_database() as connection:
            connection.execute("SET threads = 1")
            yield connection

    prepare_quietly(source, tmp_path / "one.sqlite", PLAN)
    monkeypatch.setattr(
        "wardround.ehr.ingest.preparation.preparation.open_working_database", on_one_thread
    )
    prepare_quietly(source, tmp_path / "two.sqlite", PLAN)
    assert (tmp_path / "one.sqlite").read_bytes() == (tmp_path / "two.sqlite").read_bytes()


def test_read_effects_count_source_and_used_rows(tmp_path: Path) -> None:
    rows = mimic_iii([Patient(n, 50, datetime(2150, n, 1)) for n in range(1, 5)])
    empty = [dict(row) | {"valuenum": None} for row in rows["labevents"][:5]]
    rows = {**rows, "labevents": [*empty, *rows["labevents"][5:]]}
    source = write_official(tmp_path / "iii.duckdb", "mimic_iii", rows)
    effects = prepare_quietly(source, tmp_path / "made.sqlite", Plan(patients=2))
    (labs,) = (each for each in effects if (each.step, each.table) == ("read", "labevents"))
    whose = {
        person for (person,) in ask(tmp_path / "made.sqlite", "SELECT subject_id FROM patients")
    }
    serve = [row for row in rows["labevents"] if row["subject_id"] in whose and row["valuenum"]]
    assert (labs.before, labs.after) == (24, len(serve))


def test_missing_tables_are_reported_and_created_empty(tmp_path: Path) -> None:
    rows = {name: rows for name, rows in mimic_iii(ward(5)).items() if name != "labevents"}
    source = write_official(tmp_path / "iii.duckdb", "mimic_iii", rows)
    effects = prepare_quietly(source, tmp_path / "made.sqlite", PLAN)
    command_result = [
        effect.note for effect in effects if effect.note.startswith("the source has no")
    ]
    assert command_result == ["the source has no table labevents"]
    assert ask(tmp_path / "made.sqlite", "SELECT count(*) FROM labevents") == [(0,)]


def test_existing_database_is_not_changed(source: str, tmp_path: Path) -> None:
    prepare_quietly(source, tmp_path / "made.sqlite", PLAN)
    before = (tmp_path / "made.sqlite").read_bytes()
    with pytest.raises(UserError, match="has tables already"):
        prepare_quietly(source, tmp_path / "made.sqlite", PLAN)
    assert (tmp_path / "made.sqlite").read_bytes() == before
    with pytest.raises(UserError, match="is already prepared"):
        prepare_quietly(str(tmp_path / "made.sqlite"), tmp_path / "again.sqlite", PLAN)


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (Plan(skip=frozenset({"shuffling"})), "There is no step 'shuffling'"),
        (
            Plan(layout="2025"),
            "There is no layout '2025'; choose one of ehrsql_eicu, ehrsql_mimic_iii",
        ),
        (
            Plan(first=datetime(2200, 12, 31, 23, 59)),
            "is before 2200-12-31 .*, the earliest that a first visit",
        ),
        (Plan(youngest=88, oldest=88), "No patient is left"),
        (Plan(skip=frozenset({"shift"})), "No patient is left"),
    ],
)
def test_invalid_plans_are_refused(plan: Plan, message: str, source: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=message):
        prepare_quietly(source, tmp_path / "made.sqlite", plan)
    assert not (tmp_path / "made.sqlite").exists()


def test_source_that_is_not_a_release_is_refused(tmp_path: Path) -> None:
    source = write_official(tmp_path / "half.duckdb", "mimic_iii", {"patients": []})
    with pytest.raises(UserError, match="is not an official release"):
        prepare_quietly(source, tmp_path / "made.sqlite", PLAN)


def test_missing_source_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="does not exist"):
        list(prepare_lazily(str(tmp_path / "no.duckdb"), str(tmp_path / "made.sqlite"), PLAN))
    assert not list(tmp_path.iterdir())


def test_interrupted_preparation_writes_nothing(source: str, tmp_path: Path) -> None:
    effects = prepare_lazily(source, str(tmp_path / "made.sqlite"), PLAN)
    assert next(effect for effect in effects if effect.step == "write")
    effects.close()
    assert not (tmp_path / "made.sqlite").exists()
    assert prepare_quietly(source, tmp_path / "made.sqlite", PLAN)


def test_command_prints_every_step(source: str, tmp_path: Path) -> None:
    target = str(tmp_path / "made.sqlite")
    words = ["data", "prepare", source, "--layout", "ehrsql-mimic-iii"]
    result = CliRunner().invoke(app, [*words, "--to", target, "--patients", "9"])
    assert result.exit_code == 0, result.output
    command_result = {line.split(":")[0] for line in result.output.splitlines()}
    assert command_result == {"read", "write", "total"} | {step.name for step in STEPS} - {"paths"}


def test_command_help_lists_every_step() -> None:
    text = files("wardround.apps.command_line.data").joinpath("prepare.py").read_text()
    (listed,) = (line for line in text.split('"') if line.startswith(" lower, units"))
    assert listed.strip().rstrip(".").split(", ") == [step.name for step in STEPS][-6:]


def test_recipes_create_every_table_of_their_schemas() -> None:
    for recipe in recipes():
        made = {spec.name for spec in recipe.specs} | {"cost"}
        assert made == {table.name for table in recipe.prepared.tables}


def test_prices_follow_their_distributions() -> None:
    means = [poisson_10(0, "mean", draw) for draw in range(4000)]
    assert fmean(means) == pytest.approx(10, abs=0.2)
    assert variance(means) == pytest.approx(10, abs=0.8)
    prices = [positive_normal(7, 0, "price", draw) for draw in range(4000)]
    assert fmean(prices) == pytest.approx(7, abs=0.06)
    assert variance(prices) == pytest.approx(1, abs=0.07)
    assert all(positive_normal(0, 0, "price", draw) > 0 for draw in range(200))


LAYOUTS = {
    "ehrsql_mimic_iv": ({"icd9|4019", "icd10|009600z"}, "amount", {30.5, 40.5}),
    "ehrsql_mimic_iv_star": ({"4019", "009600z"}, "totalamount", {100.0, 250.0}),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_mimic_iv_has_the_columns_of_its_layout(layout: str, tmp_path: Path) -> None:
    source = write_official(tmp_path / "iv.duckdb", "mimic_iv", mimic_iv())
    target = tmp_path / "made.sqlite"
    skip = frozenset({"sample", "now"})
    prepare_quietly(source, target, Plan(layout=layout, skip=skip))
    codes, amount, amounts = LAYOUTS[layout]
    for names, events in (
        ("d_icd_diagnoses", "diagnoses_icd"),
        ("d_icd_procedures", "procedures_icd"),
    ):
        result = f"SELECT icd_code FROM {events} JOIN {names} USING (icd_code)"
        codes = codes - {code for (code,) in ask(target, result)}
    assert not codes
    assert {row[0] for row in ask(target, f"SELECT {amount} FROM inputevents")} == amounts


PUBLISHED = DATA / "ehrsql-2024/mimic_iv.sqlite.gz"


@pytest.mark.skipif(
    not PUBLISHED.exists(),
    reason="no database of Lee et al. 2024: columns are not compared with its own",
)
def test_mimic_iv_has_the_published_columns(tmp_path: Path) -> None:
    source = write_official(tmp_path / "iv.duckdb", "mimic_iv", mimic_iv())
    prepare_quietly(source, tmp_path / "made.sqlite", Plan(skip=frozenset({"sample", "now"})))
    (tmp_path / "published.sqlite").write_bytes(gzip.decompress(PUBLISHED.read_bytes()))
    columns = (
        'SELECT t.name, c.cid, c.name, c."notnull" FROM sqlite_master t,'
        " pragma_table_info(t.name) c WHERE t.type = 'table' ORDER BY 1, 2"
    )
    made, published = (ask(tmp_path / f"{name}.sqlite", columns) for name in ("made", "published"))
    assert made == published


DEMOS = {"mimic_iii": "mimic-iii-demo", "mimic_iv": "mimic-iv-demo", "eicu": "eicu-demo"}
OPEN = {
    "mimic_iii": ("admissions", "subject_id", "dischtime"),
    "mimic_iv": ("admissions", "subject_id", "dischtime"),
    "eicu": ("patient", "uniquepid", "hospitaldischargetime"),
}


GOLD = {
    "mimic_iii": "ehrsql-1.5/mimic_iii/valid.json",
    "mimic_iv": "ehrsql-2024/train/label.json",
    "eicu": "ehrsql-1.5/eicu/valid.json",
}


def gold(release: str) -> list[str]:
    """Published queries, except for a few with an unfilled slot."""
    published = json.loads((DATA / GOLD[release]).read_text(encoding="utf-8"))
    if isinstance(published, dict):
        queries = list(published.values())
    else:
        queries = [entry["query"] for entry in published]
    return [sql for sql in queries if sql != "null" and not re.search(r"\b\w+_lower\b", sql)]


@pytest.mark.parametrize("release", DEMOS)
@pytest.mark.skipif(not DATA.exists(), reason="no published demos: they are not prepared")
def test_published_demos_are_prepared(release: str, tmp_path: Path) -> None:
    recipe = next(recipe for recipe in recipes() if recipe.release == release)
    expected = {table for spec in recipe.specs for table in spec.read}
    with duckdb.connect(tmp_path / "official.duckdb") as official:
        for path in sorted((DATA / DEMOS[release]).rglob("*.csv.gz")):
            table = path.name.removesuffix(".csv.gz")
            if table in expected:
                sql = f"CREATE TABLE {table} AS FROM read_csv('{path}', sample_size=-1)"
                official.execute(sql)
    target = tmp_path / "made.sqlite"
    prepare_quietly(str(tmp_path / "official.duckdb"), target, Plan(patients=50))
    table, person, end = OPEN[release]
    people = f"SELECT count(DISTINCT {person}) FROM {table}"
    assert ask(target, people) == [(50,)]
    assert ask(target, f"{people} WHERE {end} IS NULL") == [(5,)]
    assert (
        ask(target, f"SELECT 1 FROM {table} WHERE CAST(age AS INTEGER) NOT BETWEEN 11 AND 89") == []
    )
    with closing(write_database(str(target))) as made:
        for sql in dict.fromkeys(gold(release)):
            assert made.query(f"EXPLAIN {sql}"), sql
