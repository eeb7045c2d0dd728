"""FHIR-AgentBench's declaration and options."""

from typing import Literal, TypeAlias

from pydantic import Field

from wardround.core.declaration import (
    BenchmarkDeclaration,
    Grading,
    Layout,
    Options,
    Role,
)
from wardround.core.limits import Limits

STRICT, PAPER = "strict", "paper"
JUDGE = "judge"
ITERATIONS = 30

Strategy: TypeAlias = Literal[
    "single-request", "single-resource", "single-code", "multi-resource", "multi-code"
]


class FhirAgentOptions(Options):
    """Options of FHIR-AgentBench."""

    strategy: Strategy = Field(
        "multi-code",
        description="How the agent works: single, one retrieval, or multi, as many as it likes; by "
        "a request of its own, by resource tools, or by these and Python code.",
    )
    iterations: int = Field(
        ITERATIONS, ge=1, le=1000, description="The most tool calls and messages of the agent."
    )
    sql_database: str | None = Field(
        None,
        description="A database in which the questions' SQL is run for the expected answers. "
        "[the file's answers]",
    )


BENCHMARK = BenchmarkDeclaration(
    name="fhiragentbench",
    summary="Answer questions about a patient from FHIR resources.",
    implementation="wardround.benchmarks.fhiragentbench.benchmark:FhirAgentBenchmark",
    options=FhirAgentOptions,
    roles=(Role(JUDGE, "decides whether an answer is correct", 0.0, shared=False),),
    limits=Limits(actions=200, seconds=3600.0),
    gradings=(
        Grading(STRICT, "the answer right by program, and all true resources retrieved"),
        Grading(PAPER, "the answer correct by the judge, or by program where none is named"),
    ),
    layouts=(Layout("fhir_r4"),),
)
