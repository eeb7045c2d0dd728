"""Declarations of making EHRSQL tasks: questions and paraphrases."""

from pathlib import Path

from pydantic import Field

from wardround.core.declaration import Options, Role, WorkDeclaration
from wardround.core.option_types import Time


class MakeOptions(Options):
    """Options of making questions."""

    database: str = Field(description="A database in a layout of EHRSQL or a renaming of one.")
    to: Path = Field(description="The folder to make.")
    seed: int = Field(0, description="Same seed, same questions.")
    size: float = Field(1.0, ge=0.001, description="How large the set is beside the paper's.")
    current_time: Time | None = Field(
        None,
        description="What the word current_time stands for. [end of the records' last year]",
    )
    paraphrases: Path | None = Field(
        None,
        description="A review file of `wardround tasks paraphrase`: accepted lines are used.",
    )


class ParaphraseOptions(Options):
    """Options of asking for paraphrases."""

    to: Path = Field(description="The review file, to make or to go on with.")
    template: tuple[str, ...] = Field(
        (), description="A template by its id; may be repeated. [all]"
    )
    count: int = Field(
        10, ge=1, le=100, description="Wordings that are asked for of each template."
    )
    distance: float = Field(
        0.15, ge=0, le=1, description="The least edit distance, as a share of the letters."
    )
    again: bool = Field(False, description="Ask for more of templates that the file has lines of.")
    seed: int = Field(0, description="What is sent along as the model's seed.")
    concurrency: int = Field(4, ge=1, description="Templates that are asked at once.")


MAKE = WorkDeclaration(
    name="ehrsql",
    summary="Make questions about a database, with queries that were run.",
    implementation="wardround.authoring.ehrsql.work:make",
    options=MakeOptions,
    interrupted="{to} is not made.",
)
PARAPHRASE = WorkDeclaration(
    name="ehrsql",
    summary="Ask a language model for more wordings of question templates.",
    implementation="wardround.authoring.ehrsql.work:paraphrase",
    options=ParaphraseOptions,
    # Wordings vary, verdicts do not.
    roles=(
        Role("paraphraser", "words questions anew", 1.0),
        Role("judge", "says whether two questions ask the same"),
    ),
    interrupted="what came is in {to}. The same command goes on.",
)
