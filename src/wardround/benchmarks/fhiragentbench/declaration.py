"""FHIR-AgentBench's declaration and options."""

from typing import Literal, TypeAlias

from pydantic import Field

from wardround.core.declaration import BenchmarkDeclaration, Grading, Layout, Options, Role
from wardround.core.limits import Limits

GRADINGS = STRICT, PAPER = "strict", "paper"
ITERATIONS = 30
Strategy: TypeAlias = Literal[
    "single-request", "single-resource", "single-code", "multi-resource", "multi-code"
]


class FhirAgentOptions(Options):
    """Options of FHIR-AgentBench."""

    strategy: Strategy = Field(
        "multi-code",
        description="How often the agent may retrieve, once or repeatedly, and by which means: "
        "requests to the server, resources by type, or resources and Python code.",
    )
    sql_database: str | None = Field(
        None,
        description="The database of the questions' SQL, from which golds are computed. [the "
        "file's answers]",
    )
    split: str | None = Field(None, description="Only this split of the file.")
    iterations: int = Field(
        ITERATIONS,
        ge=1,
        le=200,
        description="The most messages of the agent if it may retrieve repeatedly.",
    )


BENCHMARK = BenchmarkDeclaration(
    name="fhiragentbench",
    summary="Find a patient's FHIR resources, and answer a question with them.",
    implementation="wardround.benchmarks.fhiragentbench.benchmark:FhirAgentBenchmark",
    agents_without_model=("fhir",),
    options=FhirAgentOptions,
    roles=(Role("judge", "decides whether an answer is right", 0.0, shared=False),),
    limits=Limits(actions=100, seconds=1800.0),
    gradings=(
        Grading(STRICT, "the answer is right without a judge, and all true resources were found"),
        Grading(PAPER, "as published: the answer is right for the judge, if there is one"),
    ),
    layouts=(Layout("fhir_r4"),),
)
