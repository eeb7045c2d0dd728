"""ClinSQL's declarations: the benchmark and its options."""

from pathlib import Path
from typing import Literal

from pydantic import Field

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
STRICT, PAPER, PAPER_17, ALGORITHM = "strict", "paper", "paper-17", "algorithm"


class CohortOptions(Options):
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
    split: Literal["test", "validation"] | None = Field(None, description="Only this split.")
    scenario: str | None = Field(None, description="Only this scenario, as published.")
    level: Literal["easy", "medium", "hard"] | None = Field(None, description="Only this level.")
    verdicts: Literal["program", "judge", "both"] | None = Field(
        None,
        description="The source of verdicts on leaves: program, judge, or both, which asks the "
        "judge only about leaves that no program decides. [both if there is a judge]",
    )
    votes: int = Field(1, ge=1, le=99, description="Votes of the judge on a leaf.")
    judge_call: Literal["leaf", "tree"] = Field(
        "leaf", description="What the judge is asked about in one call: a leaf or a whole tree."
    )
    judge_sees_data: bool = Field(
        False, description="Allow a judge on another machine to receive result rows."
    )
    cohort_hospitals: bool = Field(
        True,
        description="Compare cohorts on two small synthetic hospitals besides the database; they "
        "are built on first use.",
    )
    band: float = Field(
        1.0,
        ge=0,
        le=100,
        description="On another database than MIMIC-IV 3.1: how far a value may lie from the "
        "gold's result there, in percent.",
    )


BENCHMARK = BenchmarkDeclaration(
    name="clinsql",
    summary="Build the right cohort of patients and measure it, judged by rubric trees.",
    implementation="wardround.benchmarks.clinsql.benchmark:CohortBenchmark",
    options=CohortOptions,
    roles=(Role("judge", "decides whether a query or result meets a leaf", 0.2, shared=False),),
    limits=Limits(actions=24, seconds=1800.0, statement_seconds=300.0),
    gradings=(
        Grading(STRICT, "a query that fails or gives no row scores 0; formats are checked"),
        Grading(PAPER, "as published: every leaf as it was judged"),
        Grading(PAPER_17, "as published for 17 of 22 models: a result file always exists"),
        Grading(ALGORITHM, "Algorithm 1 of the paper, taken literally"),
    ),
    agent="query",
    layouts=(Layout("mimic_iv", {"mimic_iv": tuple(_TABLES.split())}),),
)


class CheckOptions(Options):
    """Options of compiling the checks of tasks."""

    tasks: Path = Field(description="A published folder, or one in its form.")
    to: Path | None = Field(None, description="A file for the checks, as JSON by task and leaf.")


CHECK = WorkDeclaration(
    name=BENCHMARK.name,
    summary="Compile the checks of rubric leaves, and count the leaves that have one.",
    implementation="wardround.benchmarks.clinsql.check_coverage:check",
    options=CheckOptions,
)
