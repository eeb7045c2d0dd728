"""Every measure of every scenario has a query that parses and a question that says it all."""

from collections.abc import Iterator
from itertools import product

import pytest
import sqlglot
from sqlglot import exp

from wardround.authoring.clinsql.anchors import Anchor
from wardround.authoring.clinsql.concepts import conditions
from wardround.authoring.clinsql.drafts import Draft
from wardround.authoring.clinsql.mapping_record import tables_read
from wardround.authoring.clinsql.shapes import SHAPES
from wardround.authoring.clinsql.specification import CohortSpec, Convention, QuestionSpec
from wardround.benchmarks.clinsql.cohorts import cohort_queries

ANCHOR = Anchor(1, "F", 62, 100, "EW EMER.", "Medicare", True, conditions())


def specs() -> Iterator[QuestionSpec]:
    for place, (scenario, level) in enumerate(SHAPES):
        condition = conditions()[place % len(conditions())]
        for shape in SHAPES[scenario, level]:
            hours = shape.hours[0] if shape.hours else None
            icu = bool(shape.icu) if shape.icu is not None else bool(place % 2)
            convention: Convention = "anchor" if level == "easy" else "admission"
            cohort = CohortSpec("F", (57, 67), convention, condition, icu)
            for summary, concept in product(shape.summaries, shape.concepts()[:2]):
                statistic = shape.statistic
                yield QuestionSpec(scenario, level, cohort, statistic, summary, concept, hours)


SPECS = tuple(specs())


@pytest.mark.parametrize(
    "spec", SPECS, ids=lambda s: f"{s.scenario}-{s.level}-{s.value}-{s.summary}"
)
def test_query_parses_and_question_names_every_condition(spec: QuestionSpec) -> None:
    draft = Draft(spec, ANCHOR)
    [query] = sqlglot.parse(draft.sql, read="bigquery")
    assert isinstance(query, exp.Select)
    assert "subject_id" in cohort_queries(draft.sql)
    question = draft.question
    assert spec.cohort.condition is not None
    said = ["female", "57 to 67", spec.cohort.condition.name, "62-year-old woman"]
    said += [spec.concept.words] if spec.concept else []
    said += [f"first {spec.hours} hours"] if spec.hours else []
    said += ["stay in intensive care"] if spec.cohort.icu else []
    assert [words for words in said if words not in question] == []


@pytest.mark.parametrize(
    "spec", SPECS, ids=lambda s: f"{s.scenario}-{s.level}-{s.value}-{s.summary}"
)
def test_level_is_the_structure_of_the_query(spec: QuestionSpec) -> None:
    query = sqlglot.parse_one(Draft(spec, ANCHOR).sql, read="bigquery")
    assert isinstance(query, exp.Select)
    ranks = bool(list(query.find_all(exp.Window)))
    assert bool(query.ctes) is (spec.level != "easy")
    assert ranks is (spec.level == "hard")
    if spec.level == "easy":
        assert len(tables_read(spec)) in (2, 3)


def test_interval_is_a_number_as_bigquery_wants_it() -> None:
    for spec in SPECS:
        assert "INTERVAL '" not in Draft(spec, ANCHOR).sql
