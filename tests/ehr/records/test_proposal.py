"""A proposed map finds the records of tables that nobody described."""

import re
import shutil
import tomllib
from contextlib import closing
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import duckdb
import pytest
from pydantic import BaseModel, ValidationError
from typer.testing import CliRunner

from tests.ehr.database.engines import made_database, needs
from tests.ehr.records.clinic_tables import build_clinic
from tests.ehr.records.six_tables import build_six_tables, six_tables_of_postgres
from tests.hospitals import hospital_file
from wardround.apps.command_line.main import app
from wardround.core.errors import UserError
from wardround.ehr.database import open_database
from wardround.ehr.records import (
    RecordMap,
    Role,
    examine_records,
    load_map,
    parse_map,
    present_kinds,
    read_map,
    view,
)
from wardround.ehr.records.proposal import Proposal, map_text, propose
from wardround.ehr.records.proposal.evidence import certainty, weakest
from wardround.ehr.records.proposal.model import Entry, ProposedSource, certainty_of

FOLDER = TemporaryDirectory()
EICU = ("patient", "hospital", "diagnosis", "medication", "lab", "microlab", "careplancareprovider")


def path_of(name: str) -> Path:
    return Path(FOLDER.name) / f"{name}.duckdb"


@cache
def built(name: str) -> Path:
    """A database by name: `six`, `eicu`, or either with random names."""
    path = path_of(name)
    if name.startswith("renamed_"):
        rename_at_random(built(name.removeprefix("renamed_")), path)
    elif name == "six":
        build_six_tables(path)
    elif name == "clinic":
        build_clinic(path)
    else:
        shutil.copyfile(hospital_file(name, 110, seed=5, tables=EICU), path)
    return path


def rename_at_random(source: Path, target: Path) -> None:
    """Copy all tables under random names, without keys; `truth` holds the names."""
    random = Random(source.stem)
    with duckdb.connect(str(target)) as connection:
        connection.execute(f"ATTACH '{source}' AS s (READ_ONLY)")
        tables = "SELECT table_name FROM duckdb_tables() WHERE database_name = 's' ORDER BY 1"
        for (table,) in connection.execute(tables).fetchall():
            old = [row[0] for row in connection.execute(f'DESCRIBE s."{table}"').fetchall()]
            new = [f"c{number:06d}" for number in random.sample(range(10**6), len(old))]
            name = f"t{random.randrange(10**5):05d}"
            NAMES.update({name: table, **{f"{name}.{n}": o for n, o in zip(new, old, strict=True)}})
            listed = ", ".join(f'"{o}" AS {n}' for o, n in zip(old, new, strict=True))
            connection.execute(f'CREATE TABLE {name} AS SELECT {listed} FROM s."{table}"')


NAMES: dict[str, str] = {}


@cache
def proposal_of(name: str) -> Proposal:
    database = open_database(str(built(name)))
    try:
        return propose(database)
    finally:
        database.close()


def text_of(name: str) -> str:
    """The map, with the names as they were before renaming."""
    text = map_text(proposal_of(name), "own")
    return re.sub(
        r"\b(t\d{5})(?:\.(c\d{6}))?\b",
        lambda m: NAMES[m[1]] + (f".{NAMES[f'{m[1]}.{m[2]}']}" if m[2] else ""),
        text,
    )


def map_of(name: str) -> RecordMap:
    return parse_map(map_text(proposal_of(name), "own"), "own.toml")


def sql_of(name: str, kind: str) -> dict[str, str]:
    """The columns of a kind's first source by their original names."""
    content = tomllib.loads(text_of(name))[kind]
    source = content[0] if isinstance(content, list) else content
    return {
        column: entry if isinstance(entry, str) else entry.get("sql", entry.get("offset", ""))
        for column, entry in source["columns"].items()
    }


PATIENTS = {"six": 90, "renamed_six": 90, "renamed_eicu": 75, "clinic": 80}


@pytest.mark.parametrize("name", PATIENTS)
def test_a_proposed_map_runs(name: str) -> None:
    text = map_text(proposal_of(name), "own")
    database = open_database(str(built(name)))
    facts = examine_records(map_of(name), database, text, "own.toml")
    database.close()
    assert facts.faults == ()
    assert all(kind.without_patient == 0 for kind in facts.kinds)
    patients = next(kind for kind in facts.kinds if kind.kind == "patient")
    assert patients.records == PATIENTS[name]


@needs("postgres")
def test_types_of_postgresql_change_no_entry(tmp_path: Path) -> None:
    """UUIDs, enumerations, padded texts, time zones, numbers with scale, results that are text."""
    with (
        made_database("postgres", tmp_path, six_tables_of_postgres()) as location,
        closing(open_database(location)) as database,
    ):
        text = map_text(propose(database), "own")
        records = parse_map(text, "own.toml")
        facts = examine_records(records, database, text, "own.toml")
    assert facts.faults == ()
    embedded = map_of("six")
    assert {kind: records.columns(kind) for kind in records.kinds} == {
        kind: embedded.columns(kind) for kind in embedded.kinds
    }
    with closing(open_database(str(built("six")))) as database:
        there = examine_records(embedded, database, text_of("six"), "own.toml")
    assert [(k.kind, k.records, k.patients, k.outside) for k in facts.kinds] == [
        (k.kind, k.records, k.patients, k.outside) for k in there.kinds
    ]


def test_admissions_of_offsets_begin_at_one_time() -> None:
    """Each stay of an admission counts from its own start, but they have one day in common."""
    with closing(open_database(str(built("eicu")))) as database:
        columns = {t: [c.name for c in database.columns(t)] for t in database.tables()}
        known = present_kinds(load_map("eicu"), columns)
        records = parse_map(map_text(propose(database), "own"), "own.toml")
        for kind, names in (
            ("admission", ("admission", "time", "finish")),
            ("icu", ("stay", "time", "finish")),
        ):
            found, meant = (
                sorted(map(str, database.execute(view(each, kind, "duckdb", names)).rows))
                for each in (records, known)
            )
            assert found == meant


def test_certain_needs_independent_evidence() -> None:
    """A chain is as certain as its weakest step, a column as the kind of its records."""
    weak, strong = (("name", "a"),), (("name", "a"), ("order", "b"))
    entry = Entry({"sql": "t.c"}, strong)
    source = ProposedSource("lab", "t", {"value": entry, "patient": entry}, weak)
    assert certainty_of(source, "value", entry) == "likely"
    assert certainty_of(source, "patient", entry) == "certain"
    assert weakest(strong, weak) == weak
    assert certainty(weakest(strong, strong)) == "certain"
    assert certainty((("name", "a"), ("name", "b"))) == "likely"


def test_patients_of_stays_are_found_by_dependencies_alone() -> None:
    assert sql_of("renamed_eicu", "patient")["patient"] == "patient.uniquepid"
    icu = sql_of("renamed_eicu", "icu")
    assert icu["stay"] == "patient.patientunitstayid"
    assert icu["admission"] == "patient.patienthealthsystemstayid"


def test_offsets_are_told_from_ids_and_counts() -> None:
    proposal = proposal_of("renamed_eicu")
    lab = next(source for source in proposal.sources if source.kind == "lab")
    assert lab.columns["time"].settings["unit"] == "minute"
    assert NAMES[f"{lab.tables.split()[0]}.{lab.columns['time'].settings['offset']}"] == (
        "labresultoffset"
    )


@pytest.mark.parametrize("name", ["six", "renamed_six"])
@pytest.mark.parametrize(
    ("kind", "column", "sql"),
    [
        ("patient", "patient", "enc.mrn"),
        ("admission", "admission", "enc.enc_no"),
        ("lab", "code", "chem.loinc"),
        ("lab", "name", "chem.test"),
        ("lab", "value", "chem.result"),
        ("lab", "unit", "chem.uom"),
        ("lab", "patient", "enc.mrn"),
        ("drug", "route", "rx.how"),
        ("drug", "dose", "rx.strength"),
        ("culture", "organism", "germs.organism"),
        ("culture", "antibiotic", "germs.agent"),
        ("culture", "interpretation", "germs.sir"),
        ("diagnosis", "code", "enc.dx_main"),
    ],
)
def test_columns_are_found_by_what_they_hold(name: str, kind: str, column: str, sql: str) -> None:
    assert sql_of(name, kind)[column] == sql


def test_names_in_a_dictionary_are_reached_through_its_key() -> None:
    drug = next(source for source in proposal_of("six").sources if source.kind == "drug")
    assert "LEFT JOIN formulary AS formulary_item" in drug.tables
    assert drug.columns["name"].settings["sql"] == "formulary_item.substance"


def test_births_are_no_begins_of_stays() -> None:
    sources = {source.kind: source for source in proposal_of("six").sources}
    assert sources["admission"].columns["time"].settings["sql"] == "arr"
    assert "dob" in sources["patient"].columns["birth"].settings["sql"]


def test_each_wide_code_is_a_source() -> None:
    codes = {
        source.columns["code"].settings["sql"]
        for source in proposal_of("six").sources
        if source.kind == "diagnosis"
    }
    assert codes == {"enc.dx_main", "enc.dx_2", "enc.dx_3"}


def test_wide_vital_signs_need_a_name_or_a_range_of_their_own() -> None:
    vital = next(source for source in proposal_of("six").sources if source.kind == "vital")
    assert {name: entry.settings["sql"] for name, entry in vital.wide.items()} == {
        "heart rate": "obs.hr",
        "systolic blood pressure": "obs.sbp",
        "diastolic blood pressure": "obs.dbp",
        "temperature": "obs.temp",
        "oxygen saturation": "obs.spo2",
    }


def test_sexes_and_deaths_are_words_of_the_map() -> None:
    records = map_of("six")
    assert records.written[Role("patient", "sex")]["female"] == ("w",)
    assert records.kinds["death"][0].where == "enc.went_to IN ('deceased')"


def test_evidence_is_beside_each_entry() -> None:
    lines = text_of("six").splitlines()
    entries = [
        line for line in lines if re.match(r"(?!from|where)\w+ = .*(enc|chem|rx|germs)\.", line)
    ]
    assert all(re.search(r"  # (certain|likely): ", line) for line in entries)
    assert any(line.startswith("# open: ") for line in lines)


def test_no_value_of_a_patient_is_in_the_map() -> None:
    """Only texts that everybody writes alike: sexes and deaths."""
    text = map_text(proposal_of("six"), "own")
    with duckdb.connect(str(built("six")), read_only=True) as connection:
        columns = ("enc.mrn", "enc.dx_main", "enc.unit", "rx.strength", "formulary.substance")
        values = {
            str(row[0])
            for column in columns
            for row in connection.execute(
                f"SELECT DISTINCT {column.split('.')[1]} FROM {column.split('.')[0]}"
            ).fetchall()
        }
    assert not [value for value in values if re.search(rf"\b{re.escape(value)}\b", text)]


def test_a_view_of_a_proposed_kind_has_its_rows() -> None:
    records = map_of("six")
    with duckdb.connect(str(built("six")), read_only=True) as connection:
        found = connection.execute(view(records, "lab", "duckdb")).fetchall()
        assert len(found) == connection.execute("SELECT COUNT(*) FROM chem").fetchone()[0]  # type: ignore[index]


def test_the_command_writes_a_map_and_replaces_none(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    command = ["data", "map", str(built("six")), "--to", str(path)]
    assert CliRunner().invoke(app, command).exit_code == 0
    assert read_map(path).layout == "own"
    path.write_text("mine")
    result = CliRunner().invoke(app, command)
    assert isinstance(result.exception, UserError) or result.exit_code
    assert path.read_text() == "mine"
    assert CliRunner().invoke(app, [*command, "--force"]).exit_code == 0
    assert path.read_text() != "mine"


def test_a_database_without_patients_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "stock.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE stock AS SELECT i AS item, i % 7 AS n FROM range(90) r(i)")
    database = open_database(str(path))
    with pytest.raises(UserError, match="nothing tells patients apart"):
        propose(database)
    database.close()


def test_a_dictionary_that_is_named_twice_gives_a_column_once(tmp_path: Path) -> None:
    """And numbers that identify rows are no results, though they are written as floats."""
    path = tmp_path / "coded.duckdb"
    tests = [
        ("2345-7", "Glucose in blood"),
        ("2951-2", "Sodium in blood"),
        ("2823-3", "Potassium in blood"),
        ("718-7", "Hemoglobin in blood"),
        ("6690-2", "Leukocytes in blood"),
    ]
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE person AS SELECT 9000 + i * 7 AS person_id, CASE WHEN i % 3 = 0 THEN 'F'"
            " ELSE 'M' END AS sex FROM range(200) r(i)"
        )
        connection.execute("CREATE TABLE concept (id BIGINT, code VARCHAR, title VARCHAR)")
        for at, test in enumerate(tests):
            connection.execute("INSERT INTO concept VALUES (?, ?, ?)", [(at + 3) ** 6, *test])
        connection.execute(
            "CREATE TABLE measured AS SELECT CAST(i AS DOUBLE) AS no, 9000 + (i % 200) * 7 AS"
            " person_id, CAST((3 + i % 5) ** 6 AS BIGINT) AS what, CAST((3 + i % 5) ** 6 AS BIGINT)"
            " AS source, DATE '2020-01-01' + CAST(i AS INTEGER) AS seen FROM range(400) r(i)"
        )
    database = open_database(str(path))
    lab = next(source for source in propose(database).sources if source.kind == "lab")
    database.close()
    assert lab.columns["code"].settings["sql"] == "concept_what.code"
    assert lab.columns["name"].settings["sql"] == "concept_what.title"
    assert lab.columns.keys() <= {"patient", "record", "time", "code", "name"}


CLINIC = {
    "patient": {"patient": "pat.pid", "sex": "pat.gesl", "birth": "geb_dat"},
    "admission": {"patient": "opn.pat", "admission": "opn.onr", "time": "dt_in"},
    "diagnosis": {"code": "dgn.icd", "name": "dgn.oms", "admission": "dgn.opn"},
    "drug": {"name": "med.mid", "dose": "med.dos_mg", "unit": "'mg'", "route": "med.weg"},
}


@pytest.mark.parametrize("kind", CLINIC)
def test_short_foreign_names_and_units_in_names(kind: str) -> None:
    found = sql_of("clinic", kind)
    assert {column: found.get(column) for column in CLINIC[kind]} == CLINIC[kind]


def test_results_beside_limits_and_columns_of_one_test_each() -> None:
    sources = tomllib.loads(text_of("clinic"))["lab"]
    wide, tall = sorted(sources, key=lambda each: "wide" not in each)
    assert wide["wide"] == {"kreat": "lab.kreat_umol_l", "sodium": "lab.na_mmol_l"}
    assert wide["units"] == {"kreat": "umol/L", "sodium": "mmol/L"}
    columns = tall["columns"]
    assert "bep.uitslag" in columns["value"]
    assert columns["name"] == "bep.oms"
    assert (columns["low"], columns["high"]) == ("bep.nr_min", "bep.nr_max")


def test_a_unit_in_a_name_tells_vital_signs_apart() -> None:
    vital = tomllib.loads(text_of("clinic"))["vital"]
    assert vital["wide"] == {
        "heart rate": "vit.hf_pm",
        "systolic blood pressure": "vit.rr_sys_mmhg",
        "diastolic blood pressure": "vit.rr_dia_mmhg",
    }


def test_beds_are_no_codes() -> None:
    assert "kamer" not in text_of("clinic").split("Tables that no kind")[0]


def test_sexes_are_read_in_pairs() -> None:
    written = tomllib.loads(text_of("clinic"))["written"]
    assert written["patient.sex"] == {"female": ["V"], "male": ["M"]}


def test_vital_signs_of_their_own_columns_have_their_meanings() -> None:
    written = tomllib.loads(text_of("clinic"))["written"]
    assert written["vital.name"]["heart_rate"] == ["heart rate"]
    assert set(written["vital.name"]) == {"heart_rate", "systolic_bp", "diastolic_bp"}


def test_code_system_and_name_are_of_one_dictionary() -> None:
    """Two columns refer to the same dictionary: standard and source concepts of OMOP."""
    path = hospital_file("omop_5_4", 25, seed=4, tables=("person", "drug_exposure"))
    with closing(open_database(str(path))) as database:
        proposal = propose(database)
    for source in proposal.sources:
        dictionaries = {
            entry.settings["sql"].rpartition(".")[0]
            for name, entry in source.columns.items()
            if name in ("code", "system", "name") and "concept_" in entry.settings["sql"]
        }
        assert len(dictionaries) <= 1, source.kind


def test_a_language_model_adds_what_names_alone_tell() -> None:
    """It sees names and types; its columns are likely at most, and only those that fit."""
    prompts = {}

    def suggest(table: str, prompt: str, form: type[BaseModel]) -> BaseModel | None:
        prompts[table] = prompt
        answers = {
            "bed": {"kind": "transfer", "name": "kamer"},
            "dgn": {"kind": "diagnosis", "rank": "dgn_id"},
            "vit": {"kind": "lab", "name": "no_column"},
        }
        try:
            return form.model_validate(answers[table]) if table in answers else None
        except ValidationError:
            return None

    with closing(open_database(str(built("clinic")))) as database:
        proposal = propose(database, suggest)
    transfer = next(source for source in proposal.sources if source.kind == "transfer")
    assert transfer.columns["name"].settings["sql"] == "bed.kamer"
    assert certainty_of(transfer, "name", transfer.columns["name"]) == "likely"
    diagnosis = next(source for source in proposal.sources if source.kind == "diagnosis")
    assert "rank" not in diagnosis.columns
    assert "kamer (text)" in prompts["bed"]
    assert not any(
        value in prompt for prompt in prompts.values() for value in ("C07", "2020-", "I21")
    )
