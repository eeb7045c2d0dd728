"""The declarations of the plug-in."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from wardround.core.declaration import (
    AgentDeclaration,
    BenchmarkDeclaration,
    Grading,
    Options,
    Role,
    WorkDeclaration,
)


class TriageOptions(Options):
    """Options of the benchmark."""

    ward: Literal["east", "west"] = Field("east", description="Which ward.")
    beds: int = Field(3, ge=1, description="How many beds there are.")


class AgentOptions(Options):
    """Options of the agent."""

    guess: str = Field("red", description="What it says.")


class MakeOptions(Options):
    """Options of making tasks."""

    to: Path = Field(description="The file to make.")


class FileOptions(Options):
    """Options of scoring a file."""

    file: Path = Field(description="A file of answers.", json_schema_extra={"argument": True})


BENCHMARK = BenchmarkDeclaration(
    name="triage",
    summary="Say who is seen first.",
    implementation="triage_plugin.benchmark:TriageBenchmark",
    options=TriageOptions,
    roles=(Role("nurse", "judges the answer", temperature=0.5),),
    gradings=(Grading("paper", "any colour"), Grading("strict", "the right colour")),
)
AGENT = AgentDeclaration(
    name="guesser",
    summary="Always says the same.",
    implementation="triage_plugin.benchmark:open_agents",
    options=AgentOptions,
)
MAKE = WorkDeclaration(
    name="triage",
    summary="Write a task file.",
    implementation="triage_plugin.benchmark:make",
    options=MakeOptions,
)
SCORE = WorkDeclaration(
    name="triage",
    summary="Count right answers.",
    implementation="triage_plugin.benchmark:score_file",
    options=FileOptions,
)
