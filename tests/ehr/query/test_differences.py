"""Two queries differ in what was changed, in data and in words, and in nothing else."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, reject
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from tests.cases import for_each, one_in
from tests.ehr.query.generated_queries import (
    DRAWN,
    LAYOUTS,
    NO_SHRINKING,
    conditions,
    queries,
    ward,
)
from wardround.ehr.query import (
    Between,
    Bound,
    Condition,
    Goal,
    Period,
    Query,
    Relation,
    Span,
    difference_words,
    differences,
    normal_form,
    to_words,
)
from wardround.ehr.records import Role
from wardround.ehr.times import time_filter

LAYOUT = "mimic_iv"
ROUTE = ((Role("drug", "route"), ("IV",)),)
# Another value of each field of a condition.
CHANGES: Mapping[str, Callable[[Condition], Any]] = {
    "values": lambda c: (*c.values, (Role(c.kind, "name"), ("another",))),
    "also": lambda c: (*c.also, *ROUTE),
    "containing": lambda c: (*c.containing, (Role(c.kind, "name"), ("another",))),
    "bounds": lambda c: (*c.bounds, Bound("<=", 1.5)),
    "measured": lambda c: "age" if c.measured == "value" else "value",
    "ages": lambda c: (*c.ages, Bound("<", 18)),
    "which": lambda c: "first" if c.which != "first" else "last",
    "count": lambda c: Bound(">=", 7),
    "periods": lambda c: (*c.periods, Period(time_filter("rel-year-since", year=3))),
    "is_in_icu": lambda c: not c.is_in_icu,
    "relation": lambda c: None if c.relation else Relation("after", Condition("procedure")),
    "is_negated": lambda c: not c.is_negated,
    "scope": lambda c: "stay",
    "alternatives": lambda c: (*c.alternatives, Condition("note", scope=c.scope)),
}
OF_RELATIONS: Mapping[str, Callable[[Relation], Any]] = {
    "order": lambda r: "until" if r.order != "until" else "from",
    "scope": lambda r: "stay",
    "within": lambda r: Span(100, "hour"),
    "at": lambda r: "finish",
    "by_day": lambda r: not r.by_day,
}
GOAL = Goal("aggregate", "lab", "MAX", "value")
OF_GOALS: Mapping[str, Any] = {
    "shape": "value",
    "of": "vital",
    "function": "MIN",
    "column": "low",
    "per": "patient",
    "by": "name",
    "base": "drug",
    "costs_of": "drug",
}


@hypothesis_settings(max_examples=DRAWN, deadline=None)
@given(queries(LAYOUT), st.randoms(use_true_random=False))
def test_a_query_does_not_differ_from_itself_in_another_order(query: Query, chance: Any) -> None:
    shuffled = list(query.conditions)
    chance.shuffle(shuffled)
    assert differences(query, replace(query, conditions=tuple(shuffled))) == ()


@hypothesis_settings(max_examples=DRAWN, deadline=None)
@given(queries(LAYOUT), queries(LAYOUT))
def test_differences_are_the_same_from_either_query(first: Query, second: Query) -> None:
    found = differences(first, second)
    assert {each.reversed for each in found} == set(differences(second, first))
    assert bool(found) == (normal_form(first) != normal_form(second))
    assert bool(difference_words(found)) == bool(found)


@pytest.mark.parametrize("name", one_in(3, [*CHANGES]))
def test_a_changed_condition_is_named_by_its_field(name: str) -> None:
    @hypothesis_settings(max_examples=DRAWN, deadline=None)
    @given(queries(LAYOUT), conditions(LAYOUT))
    def holds(query: Query, first: Condition) -> None:
        first = replace(first, alternatives=())
        query = replace(query, conditions=(first, *query.conditions))
        changed = replace(first, **{name: CHANGES[name](first)})
        assert_only(query, changed, ("conditions", name))

    holds()


@pytest.mark.parametrize("name", OF_RELATIONS)
@hypothesis_settings(max_examples=DRAWN, deadline=None)
@given(queries(LAYOUT))
def test_a_changed_relation_is_named_by_its_field(name: str, query: Query) -> None:
    relation = Relation("after", Condition("procedure"), within=Span(2, "day"))
    changed = replace(relation, **{name: OF_RELATIONS[name](relation)})
    placed = Condition("drug", relation=relation)
    query = replace(query, conditions=(placed, *query.conditions))
    assert_only(query, replace(placed, relation=changed), ("conditions", "relation", name))


def test_a_changed_anchor_and_choice_are_named() -> None:
    heparin, surgery = Condition("drug", also=ROUTE), Condition("procedure")
    placed = replace(heparin, relation=Relation("after", surgery))
    icu = replace(placed, relation=Relation("after", replace(surgery, is_in_icu=True)))
    at: tuple[str, ...] = ("conditions", "relation", "anchor", "is_in_icu")
    assert_only(Query(Goal("count"), (placed,)), icu, at)
    lab = Condition("lab", bounds=(Bound(">", 3),))
    either = replace(heparin, alternatives=(lab,))
    other = replace(heparin, alternatives=(replace(lab, which="last"),))
    at = ("conditions", "alternatives", "which")
    assert_only(Query(Goal("count"), (either,)), other, at)


@for_each(OF_GOALS)
def test_a_changed_goal_is_named_by_its_field(name: str) -> None:
    changed = replace(GOAL, **{name: OF_GOALS[name]})
    (found,) = differences(Query(GOAL, ()), Query(changed, ()))
    assert found.path == ("goal", name)
    assert found.words[0] != found.words[1]


def test_another_kind_of_record_is_another_condition() -> None:
    drug = Condition("drug", ((Role("drug", "name"), ("Heparin",)),))
    lab = Condition("lab", ((Role("lab", "name"), ("Glucose",)),))
    found = differences(Query(Goal("count"), (drug,)), Query(Goal("count"), (lab,)))
    assert [(each.path, each.first, each.second) for each in found] == [
        (("conditions",), drug, None),
        (("conditions",), None, lab),
    ]
    assert difference_words(found) == (
        "Only in the first: Prescribed 'Heparin'.",
        "Only in the second: Tested for 'Glucose'.",
    )


def test_the_fields_of_one_condition_are_one_sentence() -> None:
    lab = Condition("lab", ((Role("lab", "name"), ("Glucose",)),), bounds=(Bound(">", 100),))
    other = replace(lab, bounds=(Bound(">", 120),), is_in_icu=True)
    found = differences(Query(Goal("count"), (lab,)), Query(Goal("count"), (other,)))
    assert difference_words(found) == (
        "The bounds and ICU differ: "
        "'With 'Glucose' > 100.' against 'With 'Glucose' > 120 in an ICU.'",
    )


def test_one_question_in_two_spellings_does_not_differ() -> None:
    name = Role("drug", "name")
    year = Between(datetime(2100, 1, 1), datetime(2101, 1, 1))
    anchor = Condition("procedure")
    first = Condition(
        "drug",
        ((name, ("b", "a")),),
        periods=(Period(year),),
        relation=Relation("after", anchor, within=Span(2, "week")),
    )
    days = replace(
        first,
        values=((name, ("a",)),),
        periods=(Period(time_filter("abs-year-in", year=2100)),),
        relation=Relation("after", anchor, within=Span(14, "day")),
    )
    either = replace(days, alternatives=(replace(days, values=((name, ("b",)),)),))
    assert differences(Query(Goal("count"), (first,)), Query(Goal("count"), (either,))) == ()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_normal_form_has_the_same_answer(layout: str) -> None:
    @hypothesis_settings(max_examples=DRAWN, deadline=None, phases=NO_SHRINKING)
    @given(queries(layout))
    def holds(query: Query) -> None:
        normal = normal_form(query)
        assert normal_form(normal) == normal
        assert ward(layout, "duckdb").answer(normal) == ward(layout, "duckdb").answer(query)

    holds()


def assert_only(query: Query, changed: Condition, path: tuple[str, ...]) -> None:
    """Asserts that the first condition, changed, is the only difference, and is read in words."""
    other = replace(query, conditions=(changed, *query.conditions[1:]))
    before, after = normal_form(query), normal_form(other)
    # A condition that is stated twice leaves nothing out if one is changed.
    if not len(before.conditions) == len(after.conditions) == len(query.conditions):
        reject()
    found = differences(query, other)
    assert [each.path for each in found] == [path]
    assert found[0].words[0] != found[0].words[1]
    assert to_words(before) != to_words(after)
