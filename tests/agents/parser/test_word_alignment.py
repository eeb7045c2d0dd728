"""The words that a kind of question explains."""

import pytest

from wardround.agents.parser.names.value_index import ValueIndex
from wardround.agents.parser.question_reader import read
from wardround.agents.parser.slot_filling import FilledForm
from wardround.agents.parser.sql.canonical import KindDescription
from wardround.agents.parser.sql.forms import FillOrder, SqlForm, Variant
from wardround.agents.parser.word_alignment import align_words

COUNT = KindDescription("count", ("function count",), ("table patients",))
SEX = KindDescription("sex", (), ("table patients", "column patients.gender"))
DRUG = KindDescription("drug", ("function count",), ("table prescriptions",))
OTHERS = [
    KindDescription(f"other {n}", (), ("table patients", f"column patients.c{n}"))
    for n in range(12)
]
PAIRS = [
    ("how many patients were admitted", 0),
    ("count the patients admitted", 0),
    ("is the patient female or male", 1),
    ("is this patient male or female", 1),
    ("how many patients were prescribed it", 2),
    ("how many patients had it ordered", 2),
    *((f"what is the c{n} of the patient", 3 + n) for n in range(12)),
]


@pytest.fixture
def counting() -> FilledForm:
    form = SqlForm("SELECT COUNT(*) FROM patients", (), (), (), "sqlite")
    variant = Variant(form, 0, FillOrder((), ()), (), "", ())
    return FilledForm(variant, (), (), 0.0)


def unexplained(question: str, filled: FilledForm) -> list[str]:
    index = ValueIndex({})
    readings = [read(text, index) for text, _ in PAIRS]
    alignment = align_words([COUNT, SEX, DRUG, *OTHERS], readings, [kind for _, kind in PAIRS])
    reading = read(question, index)
    return [reading.words[at].text for at in alignment.unexplained(filled, reading)]


def test_word_of_another_kind_is_unexplained(counting: FilledForm) -> None:
    assert unexplained("how many patients are female", counting) == ["female"]


def test_new_word_is_unexplained(counting: FilledForm) -> None:
    assert unexplained("how many elderly patients were admitted", counting) == ["elderly"]


def test_words_of_the_kind_and_frames_are_explained(counting: FilledForm) -> None:
    assert unexplained("please show me how many patients were admitted", counting) == []
