"""Declarations of making EHRSQL tasks: questions and paraphrases."""

from pathlib import Path

from pydantic import Field

from wardround.core.declaration import Options, Role, WorkDeclaration
from wardround.core.option_types import Time


class MakeOptions(Options):
    """Options of making questions."""

    database: str = Field(description="A database: a file or a URL.")
    map: Path | None = Field(
        None,
        description="A record map of the database's tables, as `wardround data map` proposes. "
        "[that of its layout]",
    )
    to: Path = Field(description="The folder to write.")
    seed: int = Field(0, description="Same seed, same questions.")
    size: float = Field(1.0, ge=0.001, description="The set's size; 1 is the paper's.")
    current_time: Time | None = Field(
        None,
        description="The value of current_time in queries. [end of the records' last year]",
    )
    paraphrases: Path | None = Field(
        None,
        description="A review file of `wardround tasks paraphrase`; its accepted lines are used.",
    )


class ParaphraseOptions(Options):
    """Options of asking for paraphrases."""

    to: Path = Field(description="The review file to write or to continue.")
    template: tuple[str, ...] = Field(
        (), description="The id of a template; may be repeated. [all]"
    )
    count: int = Field(10, ge=1, le=100, description="Wordings requested for each template.")
    distance: float = Field(
        0.15,
        ge=0,
        le=1,
        description="The smallest edit distance between wordings, as a share of the letters.",
    )
    again: bool = Field(False, description="Request more wordings of templates in the file, too.")
    seed: int = Field(0, description="The seed sent to the model.")
    concurrency: int = Field(4, ge=1, description="Concurrent templates.")


MAKE = WorkDeclaration(
    name="ehrsql",
    summary="Generate questions about a database, with executed queries.",
    implementation="wardround.authoring.ehrsql.work:make",
    options=MakeOptions,
    suite="wardround.authoring.ehrsql.assessed:assessed_suite",
    interrupted="{to} is not made.",
)
PARAPHRASE = WorkDeclaration(
    name="ehrsql",
    summary="Ask a language model for more wordings of question templates.",
    implementation="wardround.authoring.ehrsql.work:paraphrase",
    options=ParaphraseOptions,
    # Wordings should vary, verdicts should not.
    roles=(
        Role("paraphraser", "rewords questions", 1.0),
        Role("judge", "says whether two questions ask the same"),
    ),
    interrupted="what came is in {to}. The same command goes on.",
)
