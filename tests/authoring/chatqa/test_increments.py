"""Questions whose conditions are told one by one."""

import re
from dataclasses import replace
from itertools import islice
from random import Random

import pytest

from tests.authoring.chatqa.conftest import STAR_FIRST
from wardround.authoring.chatqa.asked_records import AskedRecords
from wardround.authoring.chatqa.increments import Increment, increments, reason_to_drop
from wardround.ehr.query import Condition, Goal, Query
from wardround.ehr.records import Role
from wardround.ehr.terms.conditions import Procedure, procedures

DRAWN = 36


@pytest.fixture(scope="module", params=STAR_FIRST)
def layout(request: pytest.FixtureRequest) -> str:
    """The layout of the hospital."""
    return str(request.param)


@pytest.fixture(scope="module")
def kept(records: AskedRecords) -> list[Increment]:
    """The drafts that make a task."""
    drafts = islice(increments(records, 3, Random(4)), DRAWN)
    return [draft for draft in drafts if not reason_to_drop(draft, records)]


def test_a_kept_question_needs_each_of_its_conditions(
    layout: str, records: AskedRecords, kept: list[Increment]
) -> None:
    assert len(kept) == {"omop_5_4": 5, "mimic_iv_star": 10}[layout]
    for draft in kept:
        answer = {row[0] for row in records.rows(draft.query)}
        conditions = draft.query.conditions
        assert len(conditions) == 3
        for left_out in conditions:
            others = tuple(each for each in conditions if each is not left_out)
            assert {row[0] for row in records.rows(Query(draft.goal, others))} != answer


def test_a_kept_question_has_a_usable_answer(records: AskedRecords, kept: list[Increment]) -> None:
    for draft in kept:
        rows = records.rows(draft.query)
        assert 0 < len(rows) <= 100
        assert all(row[0] is not None for row in rows)
        stays = Query(Goal("count", "admission"), draft.query.conditions)
        assert int(str(records.rows(stays)[0][0])) >= 3


def test_the_same_seed_draws_the_same(records: AskedRecords) -> None:
    first, again = (list(islice(increments(records, 2, Random(9)), 20)) for _ in range(2))
    assert first == again


def test_values_are_said_in_other_words_than_the_records(records: AskedRecords) -> None:
    for values in records.values.values():
        for value in values:
            stored = {text.lower() for text in value.stored}
            assert not stored & set(value.words) or stored >= set(value.words)


NOBODY = Condition("drug", ((Role("drug", "name"), ("no such drug",)),), scope="admission")


def test_faults_of_a_question_are_found(records: AskedRecords, kept: list[Increment]) -> None:
    draft = next(each for each in kept if each.goal.shape == "count")
    last = draft.wishes[-1]
    empty = (*draft.wishes[:-1], replace(last, condition=NOBODY))
    idle = (*draft.wishes, replace(last, condition=replace(NOBODY, is_negated=True)))
    assert reason_to_drop(replace(draft, wishes=empty), records) == "no result"
    assert reason_to_drop(replace(draft, wishes=idle), records).startswith("a condition that")
    drawn = increments(records, 1, Random(4))
    ranked = next(each for each in drawn if each.goal.shape == "top")
    names = replace(ranked, goal=replace(ranked.goal, top=10_000))
    assert reason_to_drop(names, records) in ("a tie", "too many rows")


def test_an_illness_is_what_its_words_say(records: AskedRecords) -> None:
    stored = {value.name: value.stored for value in records.values["diagnosis"]}
    assert all(
        "iron deficiency" in text.lower() for text in stored.get("iron deficiency anemia", ())
    )
    pressure = [text.lower() for text in stored.get("hypertension", ())]
    assert not any("portal" in text or "pulmonary" in text for text in pressure)
    assert len(stored) == 65


def test_a_procedure_is_what_its_words_say(records: AskedRecords) -> None:
    stored = {value.name: value.stored for value in records.values["procedure"]}
    assert len(stored) == 25
    for name, texts in stored.items():
        named = {word for each in procedures() if each.name == name for word in words_of(each)}
        assert all(any(f" {word} " in f" {plain(text)} " for word in named) for text in texts)


def words_of(procedure: Procedure) -> set[str]:
    return {plain(name) for name in (procedure.name, *procedure.synonyms)}


def plain(text: str) -> str:
    """The words of a text in small letters."""
    return " ".join(re.findall(r"\w+", text.lower()))
