"""Declaration of making PhysAssistBench sessions."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from wardround.core.declaration import Options, Role, WorkDeclaration


class MakeOptions(Options):
    """Options of making sessions."""

    database: str = Field(
        description="A DuckDB file in MIMIC-IV's layout with its notes, such as a hospital's."
    )
    to: Path = Field(description="The folder to write; new, empty, or interrupted.")
    size: Literal["suite", "full"] = Field(
        "suite",
        description="108 sessions, with each sequence of tasks once per scenario, or 324, once "
        "per scenario and tier.",
    )
    seed: int = Field(0, description="Same seed, same sessions.")
    discrepancies: bool = Field(
        False,
        description="Let patients of a made record differ from their chart: a drug never filled, "
        "run out or stopped. Without it they do only where their note says so.",
    )
    again: tuple[Path, ...] = Field(
        (),
        description="A reader's annotation sheet of the suite in --to; sessions that it calls "
        "implausible are made again about other patients. May be repeated.",
    )


MAKE = WorkDeclaration(
    name="assist",
    summary="Make sessions of four turns with gold calls, answers and rubrics, in two languages.",
    implementation="wardround.authoring.assist.work:make",
    options=MakeOptions,
    suite="wardround.authoring.assist.assessed:assessed_suite",
    roles=(
        Role("planner", "chooses among the turns that a record supports"),
        Role("writer", "puts questions into other words, in both languages", 0.7),
        Role("checker", "says whether versions of a question ask the same"),
    ),
    interrupted="the sessions that are made stay in {to}. The same command goes on.",
)
