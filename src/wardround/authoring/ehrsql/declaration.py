"""Declarations of making EHRSQL tasks: questions, paraphrases, a trained parser."""

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


class ParserTraining(Options):
    """Options of training the parser."""

    database: str = Field(description="The database that questions are about.")
    to: Path = Field(description="The file to write the parser to.")
    tasks: Path | None = Field(
        None, description="Questions with their SQL, in a published form. [generated ones alone]"
    )
    made: int = Field(
        2600, ge=0, description="Questions to generate, for kinds that the others lack."
    )
    seed: int = Field(1, description="What the generated questions are drawn from.")


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
TRAIN_PARSER = WorkDeclaration(
    name="parser",
    summary="Train the parser, which needs no language model, in half a minute.",
    implementation="wardround.authoring.ehrsql.work:train_parser",
    options=ParserTraining,
    interrupted="{to} is not made.",
)


class T5Training(Options):
    """Options of fine-tuning."""

    tasks: Path = Field(description="Questions with their SQL, in a published form.")
    to: Path = Field(description="The folder to train into, or to go on with.")
    valid: Path | None = Field(
        None, description="Other questions, for the validation loss and the thresholds."
    )
    base: str = Field(
        "google-t5/t5-base", description="A model by name or folder, or new:LAYERSxWIDTH."
    )
    database: str | None = Field(
        None, description="The database whose schema stands after each question."
    )
    steps: int = Field(100_000, ge=1, description="Batches in all.")
    batch: int = Field(32, ge=1, description="Questions in a batch.")
    length: int = Field(512, ge=8, description="Pieces of a text that are kept.")
    rate: float = Field(0.001, description="The learning rate.")
    decay: float = Field(1.0, ge=0, description="The weight decay.")
    clip: float = Field(1.0, description="The greatest norm of a gradient.")
    every: int = Field(500, ge=1, description="Steps between two checkpoints.")
    seed: int = Field(0, description="What order and dropout are drawn from.")
    beams: int = Field(5, ge=1, description="Beams that are searched for the thresholds.")


TRAIN_T5 = WorkDeclaration(
    name="t5",
    summary="Fine-tune T5 or another sequence-to-sequence model; stopped, it goes on.",
    implementation="wardround.authoring.ehrsql.work:train_t5",
    options=T5Training,
    interrupted="the same command goes on with {to}.",
)
