"""A question has the same answer on OMOP as on MIMIC-IV, but for hours that one of them lacks."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings

from tests.ehr.query.generated_queries import DRAWN, NO_SHRINKING, queries, ward
from wardround.ehr.query import Bound, Condition, Goal, Query, Relation

# OMOP has no hour of a diagnosis, which MIMIC-IV has from the admission, and MIMIC-IV no hour of a
# procedure.
LOST_TIMES = {
    "diagnosis": Condition("diagnosis", is_in_icu=True),
    "procedure": Condition(
        "vital", relation=Relation("from", Condition("procedure", which="last"), "patient")
    ),
}


@hypothesis_settings(max_examples=DRAWN, deadline=None, phases=NO_SHRINKING)
@given(queries("omop_5_4").filter(lambda query: not any(map(has_lost_time, parts(query)))))
def test_omop_answers_as_mimic_iv_does(query: Query) -> None:
    assert ward("omop_5_4", "duckdb").answer(query) == ward("mimic_iv", "duckdb").answer(query)


@pytest.mark.parametrize("kind", LOST_TIMES)
def test_a_loss_is_one(kind: str) -> None:
    query = Query(Goal("count"), (LOST_TIMES[kind],))
    assert ward("omop_5_4", "duckdb").answer(query) != ward("mimic_iv", "duckdb").answer(query)


def test_an_age_that_is_not_recorded_is_that_at_the_time_of_the_record() -> None:
    bounds = (Bound(">", 60),)
    recorded = Condition("admission", bounds=bounds, measured="age", scope="record")
    computed = Condition("admission", ages=bounds, scope="record")
    answers = [
        ward("omop_5_4", "duckdb").answer(Query(Goal("count", "admission"), (each,)))
        for each in (recorded, computed)
    ]
    assert answers[0] == answers[1]
    assert answers[0] != ward("omop_5_4", "duckdb").answer(Query(Goal("count", "admission"), ()))


def parts(query: Query) -> Iterator[Condition]:
    """All conditions of a query, with alternatives and anchors."""
    for condition in (*query.conditions, *query.part):
        yield from _parts(condition)


def _parts(condition: Condition) -> Iterator[Condition]:
    yield condition
    for other in condition.alternatives:
        yield from _parts(other)
    if condition.relation:
        yield from _parts(condition.relation.anchor)


def has_lost_time(condition: Condition) -> bool:
    """True for a condition on a time that is lost."""
    anchor = condition.relation.anchor.kind if condition.relation else ""
    is_timed = condition.periods or condition.ages or condition.is_in_icu or condition.relation
    return anchor in LOST_TIMES or (condition.kind in LOST_TIMES and bool(is_timed))
