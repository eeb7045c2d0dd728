"""Drafts of items: a specification with its query, question, gold result, mapping and rubrics."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random

from wardround.authoring.clinsql.anchors import Anchor, AnchorPool
from wardround.authoring.clinsql.concepts import outcomes
from wardround.authoring.clinsql.gold_query.query import query_text
from wardround.authoring.clinsql.gold_query.tables import RecordTables
from wardround.authoring.clinsql.leaves import Group
from wardround.authoring.clinsql.questions import question_text
from wardround.authoring.clinsql.results_rubric import results_rubric
from wardround.authoring.clinsql.served_shapes import served_concepts, served_shapes
from wardround.authoring.clinsql.shapes import Shape
from wardround.authoring.clinsql.specification import CohortSpec, Convention, Level, QuestionSpec
from wardround.authoring.clinsql.sql_rubric import sql_rubric
from wardround.authoring.clinsql.strata import WINDOW, Uses, least_used, window_stratum
from wardround.benchmarks.clinsql.items.result_files import CsvTable


@dataclass(frozen=True)
class Draft:
    """A question about an anchor patient, not yet checked."""

    spec: QuestionSpec
    anchor: Anchor
    shape: Shape
    tables: RecordTables

    @cached_property
    def sql(self) -> str:
        """The gold query."""
        return query_text(self.spec, self.tables)

    @property
    def question(self) -> str:
        """The question in English."""
        return question_text(self.spec, self.anchor, self.tables)

    @property
    def topic(self) -> tuple[object, ...]:
        """The subject of its question; two items of a suite never share it."""
        spec = self.spec
        measure = spec.value, spec.summary, spec.outcome
        return spec.scenario, spec.level, spec.cohort.condition, measure

    @property
    def uses(self) -> list[tuple[str, str]]:
        """The strata, shape and patient that it uses, by dimension."""
        strata = {**self.anchor.stratum._asdict(), WINDOW: self.spec.window}
        patient = str(self.anchor.subject_id)
        return [*strata.items(), ("shape", self.shape.name), ("patient", patient)]

    def rubrics(self, gold: CsvTable) -> dict[str, Group]:
        """Both rubrics, by the tree's name."""
        return {
            "sql": sql_rubric(self.spec, self.tables),
            "results": results_rubric(self.spec, gold),
        }


def drafts(
    scenario: str, level: Level, pool: AnchorPool, tables: RecordTables, seed: int, uses: Uses
) -> Iterator[Draft]:
    """Endless drafts of a scenario and level, in an order that the seed decides.

    There is none if the record serves no shape of them.

    Args:
        scenario: As published.
        level: The level.
        pool: Anchors.
        tables: The tables of the records.
        seed: The seed.
        uses: Uses of strata and shapes so far; rarely used ones are likelier.
    """
    random = Random(f"{seed}/{scenario}/{level}")
    shapes = served_shapes(scenario, level, tables)
    while shapes:
        yield _draft(scenario, level, shapes, pool, tables, random, uses)


def _draft(
    scenario: str,
    level: Level,
    shapes: Sequence[Shape],
    pool: AnchorPool,
    tables: RecordTables,
    random: Random,
    uses: Uses,
) -> Draft:
    shape = _shape(shapes, random, uses)
    anchor = pool.draw(random, uses, icu=bool(shape.icu))
    icu = random.choice([anchor.icu, False]) if shape.icu is None else shape.icu
    convention = _convention(level, tables)
    ages = anchor.ages[0], anchor.ages[-1]
    spec = QuestionSpec(
        scenario,
        level,
        CohortSpec(anchor.sex, ages, convention, anchor.condition, icu),
        shape.statistic,
        random.choice(shape.summaries),
        random.choice(served_concepts(shape, tables)),
        _hours(shape, random, uses),
        outcomes(tables.records)[random.choice(shape.outcomes)],
    )
    return Draft(spec, anchor, shape, tables)


def _convention(level: Level, tables: RecordTables) -> Convention:
    """Easy questions take the age of the anchor year, where the record has one."""
    return "anchor" if level == "easy" and tables.records.has("patient", "age") else "admission"


def _shape(shapes: Sequence[Shape], random: Random, uses: Uses) -> Shape:
    by_name = {shape.name: shape for shape in shapes}
    return by_name[least_used(random, "shape", by_name, uses)]


def _hours(shape: Shape, random: Random, uses: Uses) -> int | None:
    by_name = {window_stratum(hours): hours for hours in shape.hours}
    return by_name[least_used(random, WINDOW, by_name, uses)]
