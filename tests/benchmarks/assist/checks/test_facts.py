"""Typed facts: answers that a clinician read, and generated values."""

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import for_each
from wardround.benchmarks.assist.checks.decider import read_check
from wardround.benchmarks.assist.checks.facts.decisions import decide_fact
from wardround.benchmarks.assist.checks.facts.items import FactItem, aspects
from wardround.benchmarks.assist.checks.facts.words import words
from wardround.benchmarks.assist.checks.items import Term, Wanted
from wardround.benchmarks.assist.sessions import Language
from wardround.ehr.text.quantities import quantities

CASES = [
    line.split("\t")
    for line in (Path(__file__).parent / "facts.tsv").read_text("utf-8").splitlines()[2:]
][1:]
POTASSIUM = Term(kind="test", name="potassium")
LATEST = "The first potassium was {0} mEq/L, and the latest is {1} mEq/L."
LATEST_ZH = "首次血钾 {0} 毫当量/升，最新血钾 {1} 毫当量/升。"
tenths = st.integers(20, 80).map(lambda n: n / 10)
days = st.dates(date(2150, 1, 1), date(2159, 12, 31))


@for_each([(check, language, answer, state) for check, language, _, _, answer, state in CASES])
def test_answers(check: str, language: Language, answer: str, state: str) -> None:
    item = FactItem.model_validate_json(check)
    assert decide_fact(item, answer, language).state == state


def test_no_right_answer_fails_and_no_wrong_one_passes() -> None:
    decisions = {(truth, state) for _, _, truth, _, _, state in CASES}
    assert not decisions & {("right", "failed"), ("wrong", "passed")}


@given(first=tenths, latest=tenths, wanted=tenths)
@pytest.mark.parametrize("wording", [LATEST, LATEST_ZH])
def test_each_value_is_of_its_time(
    wording: str, first: float, latest: float, wanted: float
) -> None:
    answer, value = wording.format(first, latest), Wanted(value=wanted, unit="mEq/L", decimals=1)
    for aspect, given_value in (("first value", first), ("latest value", latest)):
        item = FactItem(aspect=aspect, subject=POTASSIUM, quantity=value)
        expected = "passed" if given_value == wanted else "failed"
        assert decide_fact(item, answer, "en").state == expected


@given(admitted=days, discharged=days)
@pytest.mark.parametrize(
    "wording", ["Admitted on {0}, discharged on {1}.", "患者 {0} 入院，{1} 出院。"]
)
def test_each_day_is_of_its_event(wording: str, admitted: date, discharged: date) -> None:
    answer = wording.format(admitted, discharged)
    for aspect, right in (("admission day", admitted), ("discharge day", discharged)):
        for day in (admitted, discharged):
            state = decide_fact(FactItem(aspect=aspect, date=str(day)), answer, "en").state
            assert state == ("passed" if day == right else "failed")


def test_a_value_of_another_subject_is_no_value_of_this_one() -> None:
    item = FactItem(
        aspect="given dose", subject=Term(kind="drug", name="heparin"),
        quantity=Wanted(value=5000, unit="units"),
    )  # fmt: skip
    assert decide_fact(item, "Heparin was given, 5000 units.", "en").state == "passed"
    assert decide_fact(item, "Insulin was given, 5000 units.", "en").state == "failed"
    mixed = "Heparin was given, 400 units, and insulin was given, 5000 units."
    assert decide_fact(item, mixed, "en").state == "failed"


def test_a_forbidden_state_fails_only_where_it_is_said() -> None:
    drug = Term(kind="drug", name="warfarin")
    item = FactItem(aspect="home use", subject=drug, word="self_discontinued", forbidden=True)
    said = ["The patient stopped warfarin.", "患者停用了华法林。"]
    unsaid = ["The patient takes warfarin as prescribed.", "患者没有停用华法林。"]
    assert [decide_fact(item, text, "en").state for text in said] == ["failed", "failed"]
    assert [decide_fact(item, text, "en").state for text in unsaid] == ["passed", "passed"]


def test_words_that_are_not_known_leave_a_fact_open() -> None:
    item = FactItem(aspect="sex", word="male")
    assert decide_fact(item, "The patient is a zorblax male.", "en").state == "undecided"


def test_a_stored_fact_is_read_back() -> None:
    content = {"en": {"kind": "fact", "aspect": "sex", "word": "male"}}
    assert read_check(content, "x") == {"en": FactItem(aspect="sex", word="male")}


def test_every_cue_is_in_the_table_of_words() -> None:
    cues = {cue for aspect in aspects().values() for cue in (*aspect.cues, *aspect.rivals)}
    table = Path(__file__).parents[4] / "src/wardround/benchmarks/assist/checks/facts/words.tsv"
    names = {line.partition("\t")[0] for line in table.read_text("utf-8").splitlines()}
    assert cues <= names


def test_a_scale_behind_digits_is_part_of_a_unit() -> None:
    found = [(q.value, q.unit) for q in quantities("血小板 218 千/微升，步行两千步")]
    assert found[0] == (218.0, "K/uL")
    assert found[1][0] == 2000


def test_a_longer_word_hides_a_shorter_one() -> None:
    assert [word.name for word in words("discharge summary")] == ["note"]
