"""Declaration of making ClinSQL tasks."""

from pathlib import Path

from pydantic import Field

from wardround.core.declaration import Options, WorkDeclaration


class MakeOptions(Options):
    """Options of making cohort questions."""

    database: str = Field(description="A DuckDB file in MIMIC-IV's layout.")
    to: Path = Field(description="The folder to write; it must be new or empty.")
    count: int = Field(60, ge=6, le=6_000, description="The number of tasks, over six scenarios.")
    seed: int = Field(0, description="Same seed, same tasks.")
    cohort: int = Field(20, ge=1, description="The smallest number of patients of a cohort.")


MAKE = WorkDeclaration(
    name="clinsql",
    summary="Make cohort questions with gold queries, results and rubrics.",
    implementation="wardround.authoring.clinsql.work:make",
    options=MakeOptions,
    interrupted="{to} is not complete; remove it and run the command again.",
)
