"""Declarations of making and checking BIRD-Interact tasks, and of guard questions."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from wardround.core.declaration import Options, Role, WorkDeclaration


class MakeOptions(Options):
    """Options of making ambiguous tasks."""

    source: Path = Field(
        description="A file of clear tasks.", json_schema_extra={"option": "--from"}
    )
    database: str = Field(description="The database, as NAME=DATABASE.")
    to: Path = Field(description="The folder to write or to continue.")
    documents: Path | None = Field(
        None, description="A folder with the knowledge base. [the clinical one]"
    )
    unreviewed: bool = Field(False, description="Use undecided lines too.")


class CheckOptions(Options):
    """Options of checking ambiguous tasks."""

    tasks: Path | None = Field(
        None, description="A task file in the published format. [the shipped suite]"
    )
    database: tuple[str, ...] = Field(
        (), description="A database, as NAME=DATABASE; may be repeated. [the shipped hospital]"
    )
    documents: Path | None = Field(
        None, description="A folder with knowledge bases. [the clinical one]"
    )


class GuardOptions(Options):
    """Options of putting guard questions to a simulated user."""

    simulator: Literal["model-free", "function-driven", "baseline"] = Field(
        "model-free", description="The simulated user to test."
    )
    tasks: Path | None = Field(
        None, description="A task file in the published format. [the shipped suite]"
    )
    questions: Path | None = Field(
        None, description="A guard set. [the shipped one; with --tasks: generated from them]"
    )
    replies: Path | None = Field(
        None, description="Write each question with its reply to a line of this new file."
    )
    limit: int | None = Field(None, ge=1, description="The maximum number of questions.")
    seed: int = Field(0, description="The seed for generated questions and for models.")


MAKE = WorkDeclaration(
    name="interact",
    summary="Make ambiguous tasks from clear ones, with a review file.",
    implementation="wardround.authoring.interact.work:make",
    options=MakeOptions,
    roles=(Role("paraphraser", "words ambiguities that rules cannot", temperature=None),),
    interrupted="the same command continues {to}.",
    no_suite="its tasks are made of clear tasks and a knowledge base that people write",
)
CHECK = WorkDeclaration(
    name="interact",
    summary="Check that tasks cannot be solved without clarification, and can be with it.",
    implementation="wardround.authoring.interact.work:check",
    options=CheckOptions,
)
GUARD = WorkDeclaration(
    name="interact",
    summary="Test what a simulated user answers and refuses, by two judges or by reference.",
    implementation="wardround.authoring.interact.work:guard",
    options=GuardOptions,
    roles=(
        Role("user", "plays the user"),
        Role(
            "judge",
            "rates the replies; without judges, choices are compared with the reference",
            shared=False,
        ),
        Role("second_judge", "must agree with the judge", shared=False),
    ),
)
