"""Chinese names of everything that the synthetic hospital can write."""

from collections.abc import Iterator
from pathlib import Path

from wardround.core.packaged_data import read_toml
from wardround.ehr.hospital.catalogue import conditions, drugs, frequencies, labs
from wardround.ehr.terms.chinese import TermKind, chinese
from wardround.ehr.terms.dictionaries import dictionary

CASES = Path(__file__).parent / "cases" / "hospital_terms_without_chinese.txt"
NOTES = "wardround.ehr.hospital.layouts.mimic_iv.notes"


def hospital_terms() -> Iterator[tuple[TermKind, str]]:
    """The terms that sessions can use, by kind."""
    titles = {(row["code"], row["version"]): row["title"] for row in dictionary("icd_diagnoses")}
    for reason in conditions("acute").values():
        for code in (*reason.codes[:1], *reason.pick):
            yield "diagnosis", titles[code.icd9, "9"]
            yield "diagnosis", titles[code.icd10, "10"]
    for drug in (drug for members in drugs().values() for drug in members):
        yield "drug", drug.name
        yield "unit", drug.unit
        yield "route", drug.route
    for lab in labs().values():
        yield "test", lab.label
        if lab.unit:
            yield "unit", lab.unit
    for frequency, _ in frequencies().values():
        yield "frequency", frequency
    for reason_text in read_toml(NOTES, "reasons.toml").values():
        if isinstance(reason_text, dict) and "complaint" in reason_text:
            yield "complaint", reason_text["complaint"]


def test_all_terms_have_a_chinese_name_but_the_listed_ones() -> None:
    terms = set(hospital_terms())
    missing = sorted(f"{kind}\t{name}" for kind, name in terms if not chinese(name, kind))
    assert missing == CASES.read_text(encoding="utf-8").splitlines()
    assert len({name for kind, name in terms if kind == "diagnosis"}) == 138
    assert len({name for kind, name in terms if kind == "complaint"}) == 48
