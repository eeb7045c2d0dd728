"""The vocabulary of the hospital in OMOP: a few standard concepts, and its own from two billion."""

from collections.abc import Iterator, Mapping
from datetime import date
from functools import cache
from typing import NamedTuple

from wardround.ehr.hospital.catalogue import identities, toml
from wardround.ehr.hospital.dictionaries import bedside_items, icd_titles
from wardround.ehr.hospital.layouts.layout import TableRow, Value, named_row
from wardround.ehr.hospital.layouts.published_names import sentence, spell
from wardround.ehr.terms.dictionaries import dictionary

OWN = "wardround"
FIRST = 2_000_000_000
UNKNOWN = 0
_VALID = (date(1970, 1, 1), date(2099, 12, 31), None)
_DIAGNOSES = {9: "ICD9CM", 10: "ICD10CM"}
_PROCEDURES = {9: "ICD9Proc", 10: "ICD10PCS"}
# Digits before the dot of a code; ICD-10 procedures have none.
_BEFORE_DOT = {"ICD9CM": 3, "ICD10CM": 3, "ICD9Proc": 2}
_NAMES = {
    "None": "OMOP Standardized Vocabularies",
    "ICD9CM": "International Classification of Diseases, Ninth Revision, Clinical Modification",
    "ICD10CM": "International Classification of Diseases, Tenth Revision, Clinical Modification",
    "ICD9Proc": "Procedures of the Ninth Revision",
    "ICD10PCS": "Procedure Coding System of the Tenth Revision",
    OWN: "Terms of the synthetic hospital",
}


class Concept(NamedTuple):
    """A concept with the code that the hospital knows it by."""

    id: int
    name: str
    domain: str
    vocabulary: str
    kind: str
    code: str


class Term(NamedTuple):
    """A term of the hospital: domain, vocabulary, class, code and name."""

    domain: str
    vocabulary: str
    kind: str
    code: str
    name: str


def diagnosis(code: str, version: int) -> int:
    """The concept of a diagnosis code."""
    return _concept_numbers()["Condition", _DIAGNOSES[version], code.lower()]


def procedure(code: str, version: int) -> int:
    """The concept of a procedure code."""
    return _concept_numbers()["Procedure", _PROCEDURES[version], code.lower()]


def drug(name: str) -> int:
    """The concept of a drug, by its name in orders."""
    return _concept_numbers()["Drug", OWN, identities()[name].code]


def item(number: int) -> int:
    """The concept of a laboratory test or a charted item."""
    return _concept_numbers()["Measurement", OWN, str(number)]


def unit(name: str | None) -> int | None:
    """The concept of a unit of measure as it is spelled."""
    return _concept_numbers()["Unit", OWN, name] if name else None


def allergy(name: str) -> int:
    """The concept of an allergy, by its name in the catalogue."""
    return _concept_numbers()["Observation", OWN, name]


def visit_kind(name: str) -> int:
    """The concept of a type of admission."""
    return _concept_numbers()["Visit", OWN, name]


def standard_concepts() -> Iterator[Concept]:
    """The concepts of the standard vocabulary."""
    for row in dictionary("omop_concepts"):
        number = int(row["concept_id"])
        yield Concept(
            number, row["name"], row["domain"], row["vocabulary"], row["class"], row["code"]
        )


def vocabulary_rows() -> Iterator[TableRow]:
    """The rows of the vocabulary tables."""
    concepts = [*standard_concepts(), *_own_concepts()]
    for name in dict.fromkeys(concept.domain for concept in concepts):
        yield "domain", (name, name, UNKNOWN)
    for name in dict.fromkeys(concept.vocabulary for concept in concepts):
        columns: dict[str, Value] = {
            "vocabulary_id": name,
            "vocabulary_name": _NAMES.get(name, name),
            "vocabulary_concept_id": UNKNOWN,
        }
        yield named_row("omop_5_4", "vocabulary", columns)
    for name in dict.fromkeys(concept.kind for concept in concepts):
        yield "concept_class", (name, name, UNKNOWN)
    for concept in concepts:
        standard = "S" if UNKNOWN < concept.id < FIRST else None
        kind = (concept.domain, concept.vocabulary, concept.kind, standard)
        yield "concept", (concept.id, concept.name, *kind, concept.code, *_VALID)


def dotted(vocabulary: str, code: str) -> str:
    """A code as its vocabulary writes it.

    >>> dotted("ICD10CM", "i509"), dotted("ICD9CM", "e8889"), dotted("ICD10PCS", "0bh17ez")
    ('I50.9', 'E888.9', '0BH17EZ')
    """
    digits = _BEFORE_DOT.get(vocabulary, len(code))
    digits += vocabulary == "ICD9CM" and code[:1].lower() == "e"
    dot = "." if len(code) > digits else ""
    return f"{code[:digits]}{dot}{code[digits:]}".upper()


def _own_concepts() -> Iterator[Concept]:
    for number, term in enumerate(_terms(), start=FIRST):
        code = term.code if term.vocabulary == OWN else dotted(term.vocabulary, term.code)
        yield Concept(number, term.name, term.domain, term.vocabulary, term.kind, code)


@cache
def _concept_numbers() -> Mapping[tuple[str, str, str], int]:
    """The numbers of the hospital's concepts by domain, vocabulary and the hospital's code."""
    return {
        (term.domain, term.vocabulary, term.code): number
        for number, term in enumerate(_terms(), start=FIRST)
    }


@cache
def _terms() -> tuple[Term, ...]:
    return (*_codes(), *_drugs(), *_measurements(), *_units(), *_visits(), *_allergies())


def _codes() -> Iterator[Term]:
    for code, version, title in icd_titles("d_icd_diagnoses"):
        yield Term("Condition", _DIAGNOSES[version], "Diagnosis", code.lower(), sentence(title))
    for code, version, title in icd_titles("d_icd_procedures"):
        yield Term("Procedure", _PROCEDURES[version], "Procedure", code.lower(), sentence(title))


def _drugs() -> Iterator[Term]:
    for name, identity in identities().items():
        yield Term("Drug", OWN, "Drug", identity.code, spell("drug", name))


def _measurements() -> Iterator[Term]:
    for row in dictionary("lab_items"):
        yield Term("Measurement", OWN, "Lab Test", row["itemid"], row["label"])
    for number, label, _, charted, *_ in bedside_items():
        if charted == "chartevents":
            yield Term("Measurement", OWN, "Clinical Observation", str(number), label)


def _units() -> Iterator[Term]:
    of_labs = (row["unit"] for row in dictionary("lab_ranges"))
    of_items = (row[5] for row in bedside_items())
    for name in dict.fromkeys(spell("unit", unit) for unit in (*of_labs, *of_items) if unit):
        yield Term("Unit", OWN, "Unit", name, name)


def _visits() -> Iterator[Term]:
    types = (name for entry in toml("people")["entry"].values() for name in entry["types"])
    for name in dict.fromkeys(types):
        yield Term("Visit", OWN, "Visit", name, name.upper())


def _allergies() -> Iterator[Term]:
    for name, facts in toml("allergies").items():
        yield Term("Observation", OWN, "Allergy", name, f"Allergy to {facts['substance']}")
