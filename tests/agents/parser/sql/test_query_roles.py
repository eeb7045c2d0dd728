"""A learned query that gives a word another role is refused; its reading is of its tree."""

import pytest

from tests.cases import for_each
from wardround.agents.parser.columns import Domain
from wardround.agents.parser.grammar.records import views_of
from wardround.agents.parser.names.value_index import ValueIndex
from wardround.agents.parser.question_reader import Reading, read
from wardround.agents.parser.slot_filling import FilledForm, fill_form
from wardround.agents.parser.sql.forms import FillOrder, Slot, SqlForm, Variant
from wardround.agents.parser.sql.query_roles import misread_roles
from wardround.agents.parser.sql.query_words import read_query
from wardround.ehr.records import Views
from wardround.ehr.schema import load_schema

DRUG = Domain("prescriptions", "drug")
DIAGNOSIS = Domain("d_icd_diagnoses", "long_title")
INDEX = ValueIndex({DRUG: ("heparin", "insulin"), DIAGNOSIS: ("sepsis", "asthma")})
EVENT = (
    "(SELECT admissions.subject_id, prescriptions.starttime FROM prescriptions JOIN admissions ON "
    "prescriptions.hadm_id = admissions.hadm_id WHERE prescriptions.drug = '<<{}>>')"
)
ORDERED = (
    f"SELECT COUNT(DISTINCT T1.subject_id) FROM {EVENT.format(0)} AS T1 JOIN {EVENT.format(1)} AS "
    "T2 ON T1.subject_id = T2.subject_id WHERE T1.starttime < T2.starttime"
)
COUNTED = "SELECT COUNT(*) FROM prescriptions WHERE prescriptions.drug = '<<0>>'"
GIVEN = "SELECT COUNT(*) > 0 FROM prescriptions WHERE prescriptions.drug = '<<0>>'"
HOSPITAL = "SELECT admissions.dischtime FROM admissions ORDER BY admissions.dischtime DESC LIMIT 1"
ICU = "SELECT icustays.outtime FROM icustays ORDER BY icustays.outtime DESC LIMIT 1"


def filled(sql: str, question: str, order: tuple[int, ...] = (0, 1)) -> tuple[FilledForm, Reading]:
    count = sql.count("<<")
    form = SqlForm(sql, (Slot(DRUG, DRUG.name),) * count, (), (), "sqlite")
    variant = Variant(form, 0, FillOrder(order[:count], ()), (), "", ((),) * count)
    reading = read(question, INDEX)
    found = fill_form(variant, reading)
    assert found is not None
    return found, reading


def records() -> Views:
    tables = load_schema("ehrsql_mimic_iv").tables
    found = views_of({t.name: {c.name: "text" for c in t.columns} for t in tables}, "sqlite")
    assert found is not None
    return found


@for_each(
    [
        (ORDERED, "How many patients got insulin after heparin?", (1, 0), ()),
        (ORDERED, "How many patients got heparin after insulin?", (0, 1), ("after",)),
        (ORDERED, "How many patients got heparin before insulin?", (0, 1), ()),
        (ORDERED, "How many patients got heparin before insulin?", (1, 0), ("before",)),
        (ORDERED, "How many patients got heparin and then insulin?", (0, 1), ()),
        (ORDERED, "How many patients got heparin followed by insulin?", (1, 0), ("followed by",)),
        (ORDERED, "How many patients got heparin and insulin?", (0, 1), ("heparin",)),
        (COUNTED, "How many times was heparin given after discharge?", (0,), ("after",)),
        (COUNTED, "How many times was heparin given?", (0,), ()),
        (COUNTED, "Was heparin given?", (0,), ("was",)),
        (GIVEN, "Was heparin given?", (0,), ()),
        (GIVEN, "How many times was heparin given?", (0,), ("how many times",)),
        (HOSPITAL, "When was the last ICU stay?", (), ("icu stay",)),
        (ICU, "When was the last ICU stay?", (), ()),
        (ICU, "When was the last hospital stay?", (), ("hospital stay",)),
        (HOSPITAL, "When was the last hospital stay?", (), ()),
    ]
)
def test_role_that_the_query_does_not_have_is_named(
    sql: str, question: str, order: tuple[int, ...], words: tuple[str, ...]
) -> None:
    assert misread_roles(*filled(sql, question, order), records()) == words


@pytest.mark.parametrize(
    ("sql", "reading"),
    [
        (COUNTED, "Number of rows, where drug: 'heparin'."),
        (GIVEN, "Whether there are any rows, where drug: 'heparin'."),
        (
            ORDERED,
            "Number of different subject_id, where drug: 'heparin'; drug: 'insulin'; "
            "'heparin' before 'insulin'.",
        ),
        (HOSPITAL, "Dischtime of admissions, where the last 1 by dischtime of admissions."),
        (
            "SELECT AVG(cost.cost) FROM cost WHERE cost.event_type = 'x' AND cost.cost * 2 > 5",
            "Average of cost of cost, where event type: 'x'; cost.cost * 2 > 5.",
        ),
    ],
)
def test_reading_is_made_from_the_query(sql: str, reading: str) -> None:
    assert read_query(filled(sql, "heparin insulin")[0]) == reading
