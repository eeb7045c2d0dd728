"""PhysAssistBench's declaration and options."""

from pathlib import Path
from typing import Literal, Self, TypeAlias

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

STRICT, PAPER = "strict", "paper"
# Calls of a turn, without the control tool (PhysAssistBench, 5.1), and requests for an answer after
# them.
CALLS, LAST_REQUESTS = 16, 3

# The shipped sets of sessions.
Shipped: TypeAlias = Literal["suite", "hand_written"]


class AssistOptions(Options):
    """Options of PhysAssistBench."""

    sessions: Shipped = Field(
        "suite",
        description="The shipped sessions, and the record without --database: the suite of 108, "
        "or the 24 that were written by hand.",
    )
    language: Literal["en", "zh"] = Field(
        "en", description="The language of physician, patient and answers: en or zh."
    )
    explicit: bool = Field(
        False, description="Ask the explicit questions instead of the implicit ones."
    )
    literacy: Literal["high", "medium", "low"] = Field(
        "high", description="The patient's health literacy."
    )
    patient: Literal["replay", "script", "model"] | None = Field(
        None,
        description="The patient: replay says the recorded answers, script answers from the "
        "session's memory of the patient, model has a language model reword the script's answers. "
        "[script where a session has a memory, otherwise replay]",
        json_schema_extra={"role": "patient"},
    )
    memories: Path | None = Field(
        None,
        description="A folder of patients' memories, PHM_SUBJECT.yaml, for sessions without one.",
    )
    threshold: float = Field(
        0.6,
        ge=0,
        le=1,
        description="The share of rubric items that each turn needs for the session to pass.",
    )
    verdicts: Literal["program", "judge", "both"] | None = Field(
        None,
        description="The source of verdicts on rubric items: program, judge, or both, which asks "
        "the judge only about items that no program decides. [both if there is a judge]",
        json_schema_extra={"role": "judge"},
    )


BENCHMARK = BenchmarkDeclaration(
    name="assist",
    summary="Assist a physician over four turns: read the record, ask the patient, write orders.",
    implementation="wardround.benchmarks.assist.benchmark:AssistBenchmark",
    agents_without_model=("clerk",),
    options=AssistOptions,
    roles=(
        Role("patient", "plays the patient", 0.2),
        Role("judge", "decides rubric items", 0.1, shared=False),
    ),
    agent_role=Role("agent", "assists the physician", 0.2, effort="high"),
    limits=Limits(actions=160, seconds=3600.0),
    gradings=(
        Grading(STRICT, "by programs first; no answer without preparation, no gold as evidence"),
        Grading(
            PAPER,
            "as published: the judge decides, and sees the gold history",
            own_environment=True,
        ),
    ),
    layouts=(Layout("fhir_r4"),),
)


class ScoreOptions(Options):
    """Options of scoring published results."""

    folders: tuple[Path, ...] = Field(
        (),
        description="Folders of results, as published.",
        json_schema_extra={"argument": True},
    )
    run: tuple[Path, ...] = Field((), description="A run to compare with; may be repeated.")
    threshold: float = Field(
        0.6, ge=0, le=1, description="The share of items that each turn needs to pass."
    )
    to: Path | None = Field(None, description="A folder for the results in the published form.")
    plots: Path | None = Field(None, description="A folder for the figures as SVG files. [none]")

    @model_validator(mode="after")
    def _check_sources(self) -> Self:
        if not (self.folders or self.run):
            raise ValueError("name a published folder, or a run with --run")
        return self


SCORE = WorkDeclaration(
    name=BENCHMARK.name,
    summary="Aggregate published results again, beside each other and beside runs.",
    implementation="wardround.benchmarks.assist.results.scores:score",
    options=ScoreOptions,
)


class AgreementOptions(Options):
    """Options of comparing the raters of rubric items."""

    runs: tuple[Path, ...] = Field(description="Runs.", json_schema_extra={"argument": True})
    human: tuple[Path, ...] = Field(
        (), description="A sheet of --sample with people's decisions; may be repeated."
    )
    sample: Path | None = Field(
        None, description="A new sheet for people, with sampled sessions of each run."
    )
    sessions: int = Field(
        32,
        ge=1,
        description="Played sessions in a run's sample, spread evenly over the scenarios.",
    )
    seed: int = Field(0, description="Seed of the sample.")


AGREEMENT = WorkDeclaration(
    name=BENCHMARK.name,
    summary="Compare verdicts on rubric items: agreement and Cohen's kappa of each two raters.",
    implementation="wardround.benchmarks.assist.agreement:compare_raters",
    options=AgreementOptions,
)
