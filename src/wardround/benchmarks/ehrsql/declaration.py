"""EHRSQL's declarations: the benchmark, its language-model baseline, and scoring a file."""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from wardround.core.declaration import (
    AgentDeclaration,
    BenchmarkDeclaration,
    Grading,
    Layout,
    Options,
    WorkDeclaration,
)
from wardround.core.option_types import AbsolutePath, Time

CURRENT_TIME = "2105-12-31 23:59:00"  # paper, 3.2

_MIMIC = """
patients admissions icustays transfers d_icd_diagnoses d_icd_procedures d_items d_labitems
diagnoses_icd procedures_icd labevents microbiologyevents prescriptions chartevents
outputevents"""
_EICU = """
patient hospital diagnosis treatment lab medication allergy intakeoutput microlab vitalperiodic"""
# The tables of each release that EHRSQL's preprocessing reads (its supplement D).
_NEEDS = {
    "mimic_iii": (*_MIMIC.split(), "inputevents_cv"),
    "mimic_iv": (*_MIMIC.split(), "inputevents"),
    "eicu": tuple(_EICU.split()),
}


class EhrsqlOptions(Options):
    """Options of EHRSQL."""

    current_time: Time | None = Field(
        None,
        description="The value of current_time in queries. [that of the tasks, or of the records]",
    )


PUBLISHED = "published"
GRADINGS = (
    Grading(PUBLISHED, "the grading of the questions' release: 1.5 or 2024"),
    Grading("ehrsql-1.5", "EHRSQL 1.5: the first 100 rows, in any order, in lower case"),
    Grading("ehrsql-2024", "EHRSQL 2024: its preprocessing; all rows, sorted"),
    Grading("strict", "all rows and columns of the gold"),
)


def _layout(release: str) -> Layout:
    name = f"ehrsql_{release}"
    command = f"wardround data prepare --layout {name}"
    return Layout(name, {release: _NEEDS[release]}, {release: command}, CURRENT_TIME)


BENCHMARK = BenchmarkDeclaration(
    name="ehrsql",
    summary="Know the answer, or know that you don't: questions of hospital staff as SQL.",
    implementation="wardround.benchmarks.ehrsql.benchmark:EhrsqlBenchmark",
    agents_without_model=("parser",),
    options=EhrsqlOptions,
    gradings=GRADINGS,
    any_schema=True,
    layouts=tuple(map(_layout, _NEEDS)),
)


class FileOptions(Options):
    """Options of scoring a file of predictions."""

    file: Path | None = Field(
        None,
        description='A JSON file of predictions, {id: SQL or "null"}; --predictions is the same.',
        json_schema_extra={"argument": True},
    )
    predictions: Path | None = Field(
        None, description='A JSON file of predictions, {id: SQL or "null"}.'
    )
    labels: Path = Field(
        description="A folder of EHRSQL 2024, or a file of EHRSQL 1.5, as published."
    )
    database: str = Field(description="The database that the labels are for.")
    grading: Literal["ehrsql-1.5", "ehrsql-2024", "strict"] = Field(
        description="How answers are graded."
    )
    confidences: Path | None = Field(
        None, description="A JSON file, {id: confidence}; higher is more confident."
    )
    against: Path | None = Field(None, description="Another system's predictions, for comparison.")
    penalty: tuple[Annotated[float, Field(ge=0)], ...] = Field(
        (), description="A value of c in RS(c), besides 0, 5, 10 and N; may be repeated."
    )
    current_time: Time | None = Field(
        None,
        description="The value of current_time in queries. [that of the labels, or of the records]",
    )
    statement_seconds: float = Field(
        60.0, gt=0, description="Seconds for a query; the published graders use 60."
    )

    @model_validator(mode="after")
    def _names_one_file(self) -> Self:
        if (self.file is None) == (self.predictions is None):
            raise ValueError("name the file of predictions once")
        return self

    @property
    def predicted(self) -> Path:
        """The file of predictions, given as argument or option."""
        return self.file or self.predictions or Path()


SCORE = WorkDeclaration(
    name="ehrsql",
    summary="Score predictions by what they answer and what they refuse: F1, RS(c), coverage.",
    implementation="wardround.benchmarks.ehrsql.file_scoring.command:score",
    options=FileOptions,
)


class SqlOptions(Options):
    """Options of the agent that writes SQL."""

    examples: AbsolutePath | None = Field(
        None, description="Questions with their SQL in a published format. [none]"
    )
    k: int = Field(8, ge=0, description="The number of examples in the prompt.")
    samples: int = Field(5, ge=1, description="The number of samples.")
    temperature: float = Field(0.7, ge=0, description="The sampling temperature.")
    threshold: float = Field(
        0.5, ge=0, le=1, description="The smallest share of samples that must agree on a result."
    )


SQL_AGENT = AgentDeclaration(
    name="sql",
    summary="Write SQL with a language model; abstain if its samples disagree.",
    implementation="wardround.benchmarks.ehrsql.sql_agents:open_agents",
    options=SqlOptions,
)
