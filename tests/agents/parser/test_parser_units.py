"""Units of the parser: literals, shapes, values, confidence, and SQL of forms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.agents.parser.columns import Domain, read_values
from wardround.agents.parser.confidence import (
    NO_QUERY,
    Evidence,
    Outcome,
    best_threshold,
    fit_calibration,
)
from wardround.agents.parser.names.value_index import ValueIndex
from wardround.agents.parser.slot_filling import FilledForm
from wardround.agents.parser.sql.forms import FillOrder, SqlForm, Variant
from wardround.agents.parser.sql.generator import render_sql
from wardround.agents.parser.sql.skeletons import literals, shape, skeleton_of
from wardround.agents.parser.tokens import words
from wardround.ehr.database import Database
from wardround.ehr.times import substitute_words, time_filter

TYPES = {
    "d_items": {"itemid": "whole", "label": "text", "linksto": "text"},
    "events": {"itemid": "whole", "value": "number", "charttime": "time"},
}
QUERY = (
    "SELECT events.value FROM events WHERE events.itemid IN ( SELECT d_items.itemid FROM d_items "
    "WHERE d_items.label = 'foley' AND d_items.linksto = 'events' ) AND events.value > 3.5 "
    "AND strftime('%Y',events.charttime) = '2100'"
)


def test_literals_have_domains_or_contexts() -> None:
    skeleton = skeleton_of(QUERY, "sqlite")
    found = literals(skeleton.tree, TYPES, {"linksto"})
    assert [item.domain.name if item.domain else item.context for item in found] == [
        "d_items.label.events",
        "gt value #",
    ]
    assert [filter.template.id for filter in skeleton.filters] == ["abs-year-in"]


def test_shape_blanks_what_is_named() -> None:
    def of(sql: str) -> str:
        return shape(sql, {"foley", "void", "3.5", "7"}.__contains__)

    assert of(QUERY) == of(QUERY.replace("foley", "void").replace("3.5", "7"))
    assert of(QUERY) == of(QUERY.replace("2100", "2099"))
    assert of(QUERY) != of(QUERY.replace("'events'", "'others'"))
    assert of(QUERY) != of(QUERY.replace("foley", "daily weight"))


@given(st.lists(st.sampled_from(["glucose", "lactate", "the", "of", "calcium", ",", "total"])))
def test_mentions_do_not_overlap(ward: Database, said: list[str]) -> None:
    index = lab_index(ward)
    text = words(" ".join(said))
    mentions = index.find(text)
    ends = [0, *(mention.last for mention in mentions)]
    assert all(item.first >= end for item, end in zip(mentions, ends, strict=False))
    for mention in mentions:
        named = " ".join(word.text for word in text[mention.first : mention.last])
        for (value,) in mention.values.values():
            assert " ".join(word.text for word in words(value)) == named


def test_longest_value_is_found(ward: Database) -> None:
    index = lab_index(ward)
    (found,) = index.find(words("the calcium, total of today"))
    assert list(found.values.values()) == [("calcium, total",)]


def test_ignored_values_are_not_found(ward: Database) -> None:
    assert lab_index(ward, ["glucose"]).find(words("glucose")) == []


def lab_index(ward: Database, ignored: list[str] | None = None) -> ValueIndex:
    return ValueIndex(read_values(lab_domains(), ward), ignored or [])


def lab_domains() -> list[Domain]:
    sql = "SELECT labevents.valuenum FROM labevents WHERE labevents.label = 'x'"
    types = {"labevents": {"label": "text", "valuenum": "number"}}
    return [
        literal.domain
        for literal in literals(skeleton_of(sql, "sqlite").tree, types)
        if literal.domain
    ]


def test_confidence_grows_with_the_margin() -> None:
    def of(margin: float) -> Evidence:
        return NO_QUERY._replace(score=-1.0, margin=margin, cost=0.0, answerable=3.0)

    calibration = fit_calibration([of(n / 10) for n in range(80)], [n > 30 for n in range(80)])
    sure = [calibration.confidence(of(margin)) for margin in (0.5, 2.0, 5.0)]
    assert sure == sorted(sure)
    assert sure[0] < 0.5 < sure[-1]


@pytest.mark.parametrize("penalty", [1.0, 5.0, 10.0])
def test_threshold_is_where_answers_pay(penalty: float) -> None:
    sure = [n / 2000 for n in range(1, 2000)]
    # Among answers of confidence p, the share p is right.
    right = [n * 0.618034 % 1 < item for n, item in enumerate(sure)]
    pays = penalty / (1 + penalty)
    assert best_threshold(answered(sure, right), penalty) == pytest.approx(pays, abs=0.03)


def test_one_mistake_does_not_set_the_threshold() -> None:
    sure = [n / 200 for n in range(1, 200)]
    right = [item > 0.5 for item in sure]
    slip = [hit and n != 150 for n, hit in enumerate(right)]
    assert best_threshold(answered(sure, slip), 10.0) < sure[150]


def test_threshold_refuses_all_where_no_answer_pays() -> None:
    assert best_threshold(answered([0.9, 0.8], [False, False]), 1.0) == 1.0


def test_threshold_without_a_penalty_refuses_only_what_has_no_answer() -> None:
    unsure = [Outcome(0.2 + n / 1000, n % 2 == 0, True) for n in range(100)]
    right = [Outcome(0.8 + n / 1000, True, True) for n in range(100)]
    unanswerable = [Outcome(0.05 + n / 1000, False, False) for n in range(100)]
    assert best_threshold([*unsure, *right, *unanswerable], 0.0) < 0.35
    assert best_threshold([*unsure, *right, *unanswerable], 10.0) > 0.35


def answered(confidences: list[float], correct: list[bool]) -> list[Outcome]:
    return [Outcome(sure, right, True) for sure, right in zip(confidences, correct, strict=True)]


@given(st.text("abc'\" _.", max_size=40))
def test_words_in_strings_are_not_replaced(text: str) -> None:
    sql = "SELECT '" + text.replace("'", "''") + "'"
    assert substitute_words(sql, {"abc": "1", "a": "2"}) == sql


@pytest.mark.parametrize(
    ("time", "written"),
    [
        ("rel-hosp-cur", "WHERE admissions.dischtime IS NULL"),
        ("rel-hosp-last", "IS NULL ORDER BY admissions.admittime DESC LIMIT 1"),
    ],
)
def test_visit_is_rendered(time: str, written: str) -> None:
    place = "TIME_VISIT(0, admissions.admittime, admissions.dischtime)"
    sql = f"SELECT admissions.hadm_id FROM admissions WHERE {place}"
    variant = Variant(
        SqlForm(sql, (), ("visit",), (), "sqlite"), 0, FillOrder((), (0,)), ("",), "", ()
    )
    assert render_sql(FilledForm(variant, (), (time_filter(time),), 0.0)).endswith(written)


@pytest.mark.parametrize("written", ["CURRENT_TIME", "CURRENT_TIME()", "current_time"])
def test_current_time_is_written_as_published_graders_know_it(written: str) -> None:
    sql = f"SELECT * FROM admissions WHERE admissions.admittime < {written}"
    variant = Variant(SqlForm(sql, (), (), (), "sqlite"), 0, FillOrder((), ()), (), "", ())
    rendered = render_sql(FilledForm(variant, (), (), 0.0))
    assert rendered == "SELECT * FROM admissions WHERE admissions.admittime < current_time"
