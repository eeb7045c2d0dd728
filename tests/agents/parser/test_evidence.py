"""Evidence against a query: unused numbers and operations, and times that nobody asked for."""

import pytest

from wardround.agents.parser.attempts import Candidate, is_unasked_time
from wardround.agents.parser.confidence import NO_QUERY, fit_calibration
from wardround.agents.parser.grammar.lexicon import harmless_words, operator_words
from wardround.agents.parser.names.value_index import ValueIndex
from wardround.agents.parser.question_reader import read
from wardround.agents.parser.slot_filling import FilledForm
from wardround.agents.parser.sql.forms import FillOrder, SqlForm, Variant

FORM = FilledForm(
    Variant(SqlForm("SELECT 1", (), (), (), "sqlite"), 0, FillOrder((), ()), (), "", ()),
    (),
    (),
    0.0,
)


@pytest.mark.parametrize(
    ("question", "rows", "is_unasked"),
    [
        ("What was the heart rate for the last time?", [("2100-05-01 10:00:00",)], True),
        ("When was the heart rate last measured?", [("2100-05-01 10:00:00",)], False),
        ("What is the date of birth of patient 7?", [("2050-05-01 00:00:00",)], False),
        ("What was the heart rate for the last time?", [(80.0,)], False),
        ("What was the heart rate for the last time?", [], False),
    ],
)
def test_a_time_answers_only_a_question_for_one(
    question: str, rows: list[tuple[object]], is_unasked: bool
) -> None:
    candidate = Candidate(FORM, "SELECT 1", 0.0, rows)  # type: ignore[arg-type]
    assert is_unasked_time(candidate, read(question, ValueIndex({}))) is is_unasked


def test_unused_numbers_and_operations_lower_the_confidence() -> None:
    plain = NO_QUERY._replace(score=-1.0, cost=0.0, unexplained=1.0)
    numbered, operated = plain._replace(unused_numbers=1.0), plain._replace(unused_operators=1.0)
    evidence = [plain, plain, plain, numbered, operated] * 20
    calibration = fit_calibration(evidence, [True, True, True, False, False] * 20)
    assert calibration.confidence(numbered) < calibration.confidence(plain)
    assert calibration.confidence(operated) < calibration.confidence(plain)


def test_no_word_of_an_operation_is_harmless() -> None:
    assert operator_words().isdisjoint(harmless_words())
