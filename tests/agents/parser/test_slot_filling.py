"""Numbers fill the slots that took such numbers in training, in any order."""

import pytest

from wardround.agents.parser.names.value_index import ValueIndex
from wardround.agents.parser.question_reader import read
from wardround.agents.parser.slot_filling import fill_form
from wardround.agents.parser.sql.forms import FillOrder, Slot, SqlForm, Variant

SQL = "SELECT name FROM ranks WHERE place <= '<<0>>' AND age >= '<<1>>'"
FORM = SqlForm(SQL, (Slot(None, "lte place #"), Slot(None, "gte age #")), (), (), "sqlite")
VARIANT = Variant(
    FORM, 0, FillOrder((0, 1), ()), (), "top <number> over <number>", ((3, 5), (60, 70))
)


@pytest.mark.parametrize(
    ("question", "place", "age"),
    [
        ("The top five of those over 60?", "5", "60"),
        ("Of those over 60, the top five?", "5", "60"),
        ("Of those over 70, the top four?", "4", "70"),
        ("Of those over 80, the top three?", "3", "80"),
        ("The top four of those over 80?", "4", "80"),
    ],
)
def test_numbers_fill_usual_slots(question: str, place: str, age: str) -> None:
    filled = fill_form(VARIANT, read(question, ValueIndex({})))
    assert filled
    assert [slot.values for slot in filled.slots] == [(place,), (age,)]
