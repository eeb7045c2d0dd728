"""PhysAssistBench's declaration and options."""

from typing import Literal

from pydantic import Field

from wardround.core.declaration import BenchmarkDeclaration, Grading, Layout, Options, Role
from wardround.core.limits import Limits

STRICT, PAPER = "strict", "paper"
# Calls of a turn, without the control tool (PhysAssistBench, 5.1), and requests for an answer after
# them.
CALLS, LAST_REQUESTS = 16, 3


class AssistOptions(Options):
    """Options of PhysAssistBench."""

    language: Literal["en", "zh"] = Field(
        "en", description="The language of physician, patient and answers: en or zh."
    )
    explicit: bool = Field(
        False, description="Ask the explicit questions instead of the implicit ones."
    )
    literacy: Literal["high", "medium", "low"] = Field(
        "high", description="The patient's health literacy."
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
    )


BENCHMARK = BenchmarkDeclaration(
    name="assist",
    summary="Assist a physician over four turns: read the record, ask the patient, write orders.",
    implementation="wardround.benchmarks.assist.benchmark:AssistBenchmark",
    options=AssistOptions,
    roles=(Role("judge", "decides rubric items", 0.1, shared=False),),
    limits=Limits(actions=160, seconds=3600.0),
    gradings=(
        Grading(STRICT, "by programs first; no answer without preparation, no gold as evidence"),
        Grading(PAPER, "as published: the judge decides, and sees the gold history"),
    ),
    layouts=(Layout("fhir_r4"),),
)
