"""Declares the sheet on which people review PhysAssistBench's sessions."""

from pathlib import Path

from pydantic import Field

from wardround.benchmarks.assist.declaration import BENCHMARK
from wardround.core.declaration import Options, WorkDeclaration


class SheetOptions(Options):
    """Options of writing the annotation sheet."""

    sheet: Path = Field(description="The new sheet, as CSV.", json_schema_extra={"argument": True})
    tasks: Path | None = Field(
        None, description="A published file or folder of sessions. [the shipped sessions]"
    )
    share: float = Field(
        0.25,
        gt=0,
        le=1,
        description="The share of sessions, spread evenly over scenarios and tiers.",
    )
    seed: int = Field(0, description="Seed of the draw.")


SHEET = WorkDeclaration(
    name=BENCHMARK.name,
    summary="Write the annotation sheet: a row for each turn of sampled sessions.",
    implementation="wardround.annotation.assist.sheet:write",
    options=SheetOptions,
)


class RevisionOptions(Options):
    """Options of applying an annotation sheet."""

    sheet: Path = Field(
        description="The sheet that people filled in.", json_schema_extra={"argument": True}
    )
    tasks: Path | None = Field(
        None, description="The file or folder of sessions that it is about. [the shipped sessions]"
    )
    to: Path = Field(description="A new file for the sessions with the modified questions.")


REVISION = WorkDeclaration(
    name=BENCHMARK.name,
    summary="Apply the modified questions of an annotation sheet to sessions.",
    implementation="wardround.annotation.assist.sheet:revise",
    options=RevisionOptions,
)


class ReviewOptions(Options):
    """Options of reading what people decided on annotation sheets."""

    sheets: tuple[Path, ...] = Field(
        description="The sheets of readers, each with the reader's name.",
        json_schema_extra={"argument": True},
    )


REVIEW = WorkDeclaration(
    name=BENCHMARK.name,
    summary="Compare readers of annotation sheets; exit 1 if a session is implausible.",
    implementation="wardround.annotation.assist.review:check",
    options=ReviewOptions,
)
