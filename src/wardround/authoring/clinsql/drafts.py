"""Drafts of items: a specification with its query, question, gold result, mapping and rubrics."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from wardround.authoring.clinsql.anchors import AGES, Anchor, AnchorPool
from wardround.authoring.clinsql.leaves import Group
from wardround.authoring.clinsql.queries import query_text
from wardround.authoring.clinsql.questions import question_text
from wardround.authoring.clinsql.results_rubric import results_rubric
from wardround.authoring.clinsql.shapes import SHAPES
from wardround.authoring.clinsql.specification import CohortSpec, Convention, Level, QuestionSpec
from wardround.authoring.clinsql.sql_rubric import sql_rubric
from wardround.benchmarks.clinsql.result_files import CsvTable

_AGE_BAND = 5


@dataclass(frozen=True, slots=True)
class Draft:
    """A question about an anchor patient, not yet checked."""

    spec: QuestionSpec
    anchor: Anchor

    @property
    def sql(self) -> str:
        """The gold query."""
        return query_text(self.spec)

    @property
    def question(self) -> str:
        """The question in English."""
        return question_text(self.spec, self.anchor)

    @property
    def topic(self) -> tuple[object, ...]:
        """The subject of its question; two items of a suite never share it."""
        spec = self.spec
        return spec.scenario, spec.level, spec.cohort.condition, spec.value, spec.summary

    def rubrics(self, gold: CsvTable) -> dict[str, Group]:
        """Both rubrics, by the tree's name."""
        return {"sql": sql_rubric(self.spec), "results": results_rubric(self.spec, gold)}


def drafts(scenario: str, level: Level, pool: AnchorPool, seed: int) -> Iterator[Draft]:
    """Endless drafts of a scenario and level, in an order that the seed decides."""
    random = Random(f"{seed}/{scenario}/{level}")
    while True:
        yield _draft(scenario, level, pool, random)


def _draft(scenario: str, level: Level, pool: AnchorPool, random: Random) -> Draft:
    shape = random.choice(SHAPES[scenario, level])
    icu = random.choice([True, False]) if shape.icu is None else shape.icu
    anchor = pool.draw(random, icu or None)
    convention: Convention = "anchor" if level == "easy" else "admission"
    cohort = CohortSpec(
        anchor.sex,
        (max(AGES.start, anchor.age - _AGE_BAND), min(AGES[-1], anchor.age + _AGE_BAND)),
        convention,
        random.choice(anchor.conditions),
        icu,
    )
    spec = QuestionSpec(
        scenario,
        level,
        cohort,
        shape.statistic,
        random.choice(shape.summaries),
        random.choice(shape.concepts()),
        random.choice(shape.hours) if shape.hours else None,
    )
    return Draft(spec, anchor)
