"""Numbers go where such numbers went, in whatever order a question says them."""

import pytest

from wardround.agents.parser.alignment import Form, Said, Slot
from wardround.agents.parser.kinds import Variant
from wardround.agents.parser.question_reader import read
from wardround.agents.parser.slot_filling import fitted
from wardround.agents.parser.value_linker import ValueIndex
from wardround.ehr.database import Database

SQL = "SELECT name FROM ranks WHERE place <= '<<0>>' AND age >= '<<1>>'"
FORM = Form(SQL, (Slot(None, "lte place #"), Slot(None, "gte age #")), (), (), "sqlite")
VARIANT = Variant(FORM, 0, Said((0, 1), ()), (), "top <number> over <number>", ((3, 5), (60, 70)))


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
def test_numbers(ward: Database, question: str, place: str, age: str) -> None:
    one = fitted(VARIANT, read(question, ValueIndex([], ward)))
    assert one
    assert [filled.values for filled in one.filled] == [(place,), (age,)]
