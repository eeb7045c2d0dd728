"""Declarations of making and checking ClinSQL tasks."""

from pathlib import Path

from pydantic import Field

from wardround.core.declaration import Options, Role, WorkDeclaration


class MakeOptions(Options):
    """Options of making cohort questions."""

    database: str = Field(description="A DuckDB file in MIMIC-IV's layout, or OMOP's.")
    to: Path = Field(description="The folder to write; it must be new or empty.")
    count: int = Field(60, ge=6, le=6_000, description="The number of tasks, over six scenarios.")
    seed: int = Field(0, description="Same seed, same tasks.")
    cohort: int = Field(20, ge=1, description="The smallest number of patients of a cohort.")
    paraphrases: Path | None = Field(
        None,
        description="A review file of `wardround tasks paraphrase`; its accepted lines are used.",
    )


class ParaphraseOptions(Options):
    """Options of asking for other wordings of made questions."""

    tasks: Path = Field(description="The folder of items.")
    to: Path = Field(description="The review file to write or to continue.")
    count: int = Field(4, ge=1, le=20, description="Wordings requested for each question.")
    seed: int = Field(0, description="The seed sent to the model.")
    concurrency: int = Field(4, ge=1, description="Concurrent questions.")


MAKE = WorkDeclaration(
    name="clinsql",
    summary="Make cohort questions with gold queries, results and rubrics.",
    implementation="wardround.authoring.clinsql.work:make",
    options=MakeOptions,
    suite="wardround.authoring.clinsql.assessed:assessed_suite",
    interrupted="{to} is not complete; remove it and run the command again.",
)
PARAPHRASE = WorkDeclaration(
    name="clinsql",
    summary="Ask a language model for other wordings of cohort questions.",
    implementation="wardround.authoring.clinsql.work:paraphrase",
    options=ParaphraseOptions,
    # Wordings should vary, verdicts should not.
    roles=(
        Role("paraphraser", "rewords questions", 1.0),
        Role("judge", "says whether two questions ask the same"),
    ),
    interrupted="what came is in {to}. The same command goes on.",
)


class CheckOptions(Options):
    """Options of compiling the checks of tasks."""

    tasks: Path = Field(
        description="A published folder, or one in its form. A reader's checks are stored there, "
        "in each item's checks.json."
    )
    to: Path | None = Field(None, description="A file for the checks, as JSON by task and leaf.")


CHECK = WorkDeclaration(
    name="clinsql",
    summary="Compile the checks of rubric leaves, and count the leaves that have one.",
    implementation="wardround.authoring.clinsql.check_coverage:check",
    options=CheckOptions,
    roles=(Role("reader", "compiles the leaves that the grammar leaves open", 0.0),),
    interrupted="the same command continues.",
)
