"""ClinSQL's declarations: the benchmark and its options."""

from pathlib import Path
from typing import Literal, Self

from pydantic import Field, model_validator

from wardround.core.declaration import (
    BenchmarkDeclaration,
    Grading,
    Layout,
    Options,
    Role,
    WorkDeclaration,
)
from wardround.core.limits import Limits

# The tables of MIMIC-IV that published items read (15 of 31), and what made items read besides.
_TABLES = """
patients admissions diagnoses_icd icustays labevents prescriptions chartevents procedures_icd
procedureevents inputevents services transfers d_labitems d_icd_diagnoses d_icd_procedures
d_items"""
# The tables of OMOP that every made question reads.
_OMOP = ("person", "visit_occurrence", "condition_occurrence", "concept")
STRICT, PAPER, PAPER_17, ALGORITHM = "strict", "paper", "paper-17", "algorithm"


class Choice(Options):
    """A choice of items."""

    split: Literal["test", "validation"] | None = Field(None, description="Only this split.")
    scenario: str | None = Field(None, description="Only this scenario, as published.")
    level: Literal["easy", "medium", "hard"] | None = Field(None, description="Only this level.")


class Judging(Options):
    """Options of a judge of leaves."""

    votes: int = Field(1, ge=1, le=99, description="Votes of the judge on a leaf.")
    judge_call: Literal["leaf", "tree"] = Field(
        "leaf",
        description="The unit of a judge's call: a leaf, or a tree by up to 20 leaves.",
    )
    judge_sees_data: bool = Field(
        False, description="Allow a judge on another machine to receive result rows."
    )


class CohortOptions(Judging, Choice):
    """Options of ClinSQL."""

    regime: Literal["cot", "direct", "hinted", "tools"] = Field(
        "cot",
        description="The agent's help: cot reasons before its query, direct writes the query only, "
        "hinted gets the gold's diagnosis codes and result columns, tools may look around first.",
    )
    refine_empty: bool = Field(
        False, description="Let the agent mend a query that gives no row, not only one that fails."
    )
    schema_text: Literal["layout", "paper"] = Field(
        "layout", description="The tables' description: layout's own, or with the paper's slips."
    )
    verdicts: Literal["program", "judge", "both"] | None = Field(
        None,
        description="The source of verdicts on leaves: program, judge, or both, which asks the "
        "judge only about leaves that no program decides. [both if there is a judge]",
        json_schema_extra={"role": "judge"},
    )
    no_cohort_hospitals: bool = Field(
        False,
        description="Compare cohorts and results on the database only, without the two "
        "synthetic hospitals that are built on first use.",
    )
    band: float = Field(
        1.0,
        ge=0,
        le=100,
        description="The largest difference of a value from the gold's result, in percent, on "
        "databases other than MIMIC-IV 3.1.",
    )


BENCHMARK = BenchmarkDeclaration(
    name="clinsql",
    summary="Build the right cohort of patients and measure it, judged by rubric trees.",
    implementation="wardround.benchmarks.clinsql.benchmark:CohortBenchmark",
    options=CohortOptions,
    roles=(
        Role("judge", "decides whether a query or result meets a leaf", 0.2, shared=False),
        Role("classifier", "names the error of a failed leaf that no rule classes", shared=False),
    ),
    limits=Limits(actions=24, seconds=1800.0, statement_seconds=300.0),
    gradings=(
        Grading(STRICT, "a query that fails or gives no row scores 0; formats are checked"),
        Grading(PAPER, "as published: every leaf as it was judged"),
        Grading(PAPER_17, "as published for 17 of 22 models: a result file always exists"),
        Grading(ALGORITHM, "Algorithm 1 of the paper, taken literally"),
    ),
    agent="query",
    layouts=(
        Layout("mimic_iv", {"mimic_iv": tuple(_TABLES.split())}),
        *(Layout(name, {name: _OMOP}) for name in ("omop_5_4", "omop_5_3")),
    ),
)


class ScoreOptions(Judging, Choice):
    """Options of scoring published submissions and verdict files."""

    folders: tuple[Path, ...] = Field(
        (),
        description="Folders of submissions or verdict files, as published.",
        json_schema_extra={"argument": True},
    )
    tasks: Path = Field(description="The folder of items, as published.")
    run: tuple[Path, ...] = Field((), description="A run to compare with; may be repeated.")
    database: str | None = Field(
        None, description="Where programs run submissions that have no verdicts. [nowhere]"
    )
    grading: Literal["strict", "paper", "paper-17", "algorithm"] | None = Field(
        None, description="The grading that decides what passes. [strict]"
    )
    sample: int | None = Field(
        None, ge=1, description="Failed items a scenario in the table of errors. [all]"
    )
    seed: int = Field(0, description="The seed of that sample.")
    to: Path | None = Field(
        None, description="A folder for the scored results in the published form."
    )
    plots: Path | None = Field(None, description="A folder for the figures as SVG files. [none]")
    verdicts: Literal["program", "judge", "both"] | None = Field(
        None, description="The source of verdicts, as in a run. [both if there is a judge]"
    )

    @model_validator(mode="after")
    def _check_sources(self) -> Self:
        if not (self.folders or self.run):
            raise ValueError("name a published folder, or a run with --run")
        if self.to and self.run and not self.database:
            raise ValueError("name a --database, where the results of runs are made for --to")
        return self


SCORE = WorkDeclaration(
    name=BENCHMARK.name,
    summary="Score published submissions and verdict files, beside each other and beside runs.",
    implementation="wardround.benchmarks.clinsql.results.scores:score",
    options=ScoreOptions,
    roles=BENCHMARK.roles,
)


class AgreementOptions(Choice):
    """Options of comparing verdicts."""

    sources: tuple[Path, ...] = Field(
        description="Runs, and folders of published verdict files.",
        json_schema_extra={"argument": True},
    )
    human: Path | None = Field(
        None,
        description="Persons' verdicts as JSON Lines: task, item, passed, person, and the model "
        "if there are several.",
    )
    tasks: Path | None = Field(
        None, description="The folder of items, as published. [that of the first run]"
    )


AGREEMENT = WorkDeclaration(
    name=BENCHMARK.name,
    summary="Compare verdicts on leaves and roots: agreement and Cohen's kappa of each two raters.",
    implementation="wardround.benchmarks.clinsql.agreement:compare_verdicts",
    options=AgreementOptions,
)
