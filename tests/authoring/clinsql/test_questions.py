"""Every measure of every scenario has a query that parses and a question that says it all."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import cast

import pytest
import sqlglot
from sqlglot import exp

from tests.cases import for_each, one_in
from wardround.authoring.clinsql.anchors import Anchor
from wardround.authoring.clinsql.concepts import diagnoses, outcomes
from wardround.authoring.clinsql.drafts import Draft
from wardround.authoring.clinsql.gold_query.tables import (
    published_tables,
)
from wardround.authoring.clinsql.mapping_record import tables_read
from wardround.authoring.clinsql.questions import anchor_sentence
from wardround.authoring.clinsql.served_shapes import served_concepts
from wardround.authoring.clinsql.shapes import SHAPES
from wardround.authoring.clinsql.specification import RANKED, CohortSpec, Convention, QuestionSpec
from wardround.authoring.clinsql.sql_rubric import sql_rubric
from wardround.benchmarks.clinsql.checks.queries.decider import decide_query
from wardround.benchmarks.clinsql.checks.queries.vocabulary import vocabulary
from wardround.benchmarks.clinsql.gold.cohorts import cohort_queries
from wardround.benchmarks.clinsql.items.checks import AllOf, SqlCheck

TABLES = published_tables()
ANCHOR = Anchor(1, "F", 62, 100, "EW EMER.", "Medicare", 2, True, diagnoses()[0])


def drafts() -> Iterator[Draft]:
    for place, (scenario, level) in enumerate(SHAPES):
        condition = diagnoses()[place % len(diagnoses())]
        for shape in SHAPES[scenario, level]:
            hours = shape.hours[0] if shape.hours else None
            icu = bool(shape.icu) if shape.icu is not None else bool(place % 2)
            convention: Convention = "anchor" if level == "easy" else "admission"
            cohort = CohortSpec("F", (57, 67), convention, condition, icu)
            outcome = outcomes(TABLES.records)[shape.outcomes[place % len(shape.outcomes)]]
            for summary, concept in product(shape.summaries, served_concepts(shape, TABLES)[:1]):
                about = shape.statistic, summary, concept, hours, outcome
                yield Draft(QuestionSpec(scenario, level, cohort, *about), ANCHOR, shape, TABLES)


DRAFTS = tuple(drafts())


every_draft = for_each(one_in(5, DRAFTS))


@every_draft
def test_query_parses_and_question_names_every_condition(draft: Draft) -> None:
    spec, sql = draft.spec, draft.sql
    [query] = sqlglot.parse(sql, read="bigquery")
    assert isinstance(query, exp.Select)
    assert "subject_id" in cohort_queries(sql)
    question = draft.question
    assert spec.cohort.condition is not None
    said = ["female", "57 to 67", spec.cohort.condition.name, "62-year-old woman", "second stay"]
    said += [spec.concept.words] if spec.concept else []
    said += [spec.concept.companion.words] if spec.concept and spec.concept.companion else []
    said += [f"first {spec.hours} hours"] if spec.hours else []
    said += ["ICU stays"] if spec.cohort.icu else []
    said += [spec.outcome.words] if spec.summary in ("outcome", *RANKED) else []
    said += ["Charlson"] if spec.statistic == "charlson" else []
    assert [words for words in said if words not in question] == []


@every_draft
def test_level_is_the_structure_of_the_query(draft: Draft) -> None:
    spec, query = draft.spec, sqlglot.parse_one(draft.sql, read="bigquery")
    assert isinstance(query, exp.Select)
    ranks = bool(list(query.find_all(exp.Window)))
    assert bool(query.ctes) is (spec.level != "easy")
    assert ranks is (spec.level == "hard")
    if spec.level == "easy":
        assert len(tables_read(spec, TABLES)) in (2, 3)


def test_interval_is_a_number_as_bigquery_wants_it() -> None:
    for draft in DRAFTS:
        assert "INTERVAL '" not in draft.sql


@pytest.mark.parametrize("name", ["charlson", "both", "performed", "discharge_location", "first"])
def test_gold_passes_every_leaf_of_its_query_that_reads_no_database(name: str) -> None:
    draft = next(draft for draft in DRAFTS if draft.spec.statistic == name)
    undecided = []
    for leaf in sql_rubric(draft.spec, TABLES).leaves:
        if leaf.check.kind == "cohort":
            continue
        check = cast("SqlCheck | AllOf", leaf.check)
        found = decide_query(check, draft.sql, draft.sql, vocabulary(None))
        if found.state != "passed":
            undecided.append((leaf.requirement, found))
    assert undecided == []


def test_a_query_with_only_the_first_drug_fails_the_leaf_of_the_second() -> None:
    [draft] = [d for d in DRAFTS if d.spec.statistic == "both" and "aspirin" not in d.question][:1]
    leaves = {leaf.id: leaf.check for leaf in sql_rubric(draft.spec, TABLES).leaves}
    concept = draft.spec.concept
    assert concept is not None
    assert concept.companion is not None
    [pattern] = concept.companion.patterns
    mine = draft.sql.replace(pattern, concept.patterns[0])
    states = {
        name: decide_query(cast("SqlCheck", leaves[name]), mine, draft.sql, vocabulary(None)).state
        for name in ("drug-names", "companion-drug-names")
    }
    assert states == {"drug-names": "passed", "companion-drug-names": "failed"}


def test_words_agree_with_the_number_and_the_article() -> None:
    anchor = replace(ANCHOR, age=85, hours=20, number=1, icu=False, insurance="Other")
    assert anchor_sentence(anchor) == (
        "My patient is an 85-year-old woman with heart failure. This is her first stay with us: "
        "an emergency admission of 1 day."
    )
