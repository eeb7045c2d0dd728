"""MedAgentBench's declaration and options."""

from typing import Literal

from pydantic import Field

from wardround.core.declaration import BenchmarkDeclaration, Grading, Layout, Options
from wardround.core.limits import Limits

GRADINGS = STRICT, PAPER = "strict", "paper"
ROUNDS = 8


class MedAgentOptions(Options):
    """Options of MedAgentBench."""

    protocol: Literal["text", "tools"] = Field(
        "text",
        description="How the agent acts: text, a GET, POST or FINISH a message as published, or "
        "tools of these names.",
    )
    rounds: int = Field(ROUNDS, ge=1, le=100, description="The most messages of the agent.")


BENCHMARK = BenchmarkDeclaration(
    name="medagentbench",
    summary="Answer a physician and write orders through a FHIR server.",
    implementation="wardround.benchmarks.medagentbench.benchmark:MedAgentBenchmark",
    agents_without_model=("fhir",),
    options=MedAgentOptions,
    limits=Limits(actions=100, seconds=1800.0),
    gradings=(
        Grading(STRICT, "what was written, by its meaning, and the answer"),
        Grading(PAPER, "as published: the messages of the trial alone"),
    ),
    layouts=(Layout("fhir_r4"),),
)
