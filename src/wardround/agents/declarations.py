"""Declarations of the agents that belong to no benchmark, and of their training."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from wardround.core.declaration import AgentDeclaration, Options, WorkDeclaration
from wardround.core.option_types import AbsolutePath


class ParserOptions(Options):
    """Options of the parser."""

    agent_model: AbsolutePath | None = Field(
        None,
        description="A file of `wardround train parser`. [trained once before the run]",
    )
    pairs: str = Field(
        "made",
        description="What it is trained on before the run: made for generated questions, or "
        "published=FILE for a file or folder of published questions with their SQL.",
    )


class T5Options(Options):
    """Options of the fine-tuned sequence-to-sequence model."""

    agent_model: AbsolutePath = Field(description="A folder of `wardround train t5`.")
    threshold: Literal["none", "clustering", "percentile"] | float = Field(
        "percentile",
        description="The maximum entropy above which it refuses: none, clustering or percentile "
        "(found on the validation questions), or a number.",
    )
    percentile: float = Field(
        67.0,
        ge=0,
        le=100,
        description="For percentile: the share of questions to answer, in percent.",
    )
    beams: int = Field(
        5, ge=1, description="How many beams are searched."
    )  # (Lee et al. 2022, Table 11)


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
    seed: int = Field(1, description="The seed of the generated questions.")
    penalty: float = Field(
        10.0,
        ge=0,
        description="The cost of a wrong answer, where a right one scores 1: the higher, the more "
        "it refuses.",
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
        None, description="The database whose schema is appended to each question."
    )
    steps: int = Field(100_000, ge=1, description="The total number of batches.")
    batch: int = Field(32, ge=1, description="Questions in a batch.")
    length: int = Field(512, ge=8, description="Pieces of a text that are kept.")
    rate: float = Field(0.001, description="The learning rate.")
    decay: float = Field(1.0, ge=0, description="The weight decay.")
    clip: float = Field(1.0, description="The greatest norm of a gradient.")
    every: int = Field(500, ge=1, description="Steps between two checkpoints.")
    seed: int = Field(0, description="The seed of order and dropout.")
    beams: int = Field(5, ge=1, description="Beams that are searched for the thresholds.")


TOOLS = AgentDeclaration(
    name="tools",
    summary="A language model with native tool calls.",
    implementation="wardround.agents.native_tools:open_agents",
)
JSON = AgentDeclaration(
    name="json",
    summary="A language model without native tool calls: it answers each turn with JSON.",
    implementation="wardround.agents.json_actions:open_agents",
)
REACT = AgentDeclaration(
    name="react",
    summary="A language model that thinks aloud before each action (ReAct).",
    implementation="wardround.agents.react:open_agents",
)
QUERY = AgentDeclaration(
    name="query",
    summary="A language model that writes one SQL query and mends it if the database refuses it.",
    implementation="wardround.agents.query_writer:open_agents",
)
FHIR = AgentDeclaration(
    name="fhir",
    summary="Reads plain questions and answers them from a FHIR server without a language model.",
    implementation="wardround.agents.fhir_reader.agent:open_agents",
    without_model=True,
)
CLERK = AgentDeclaration(
    name="clerk",
    summary="Answers physicians from FHIR tools and the patient without a language model.",
    implementation="wardround.agents.clerk.agent:open_agents",
    without_model=True,
)
PARSER = AgentDeclaration(
    name="parser",
    summary="Parses questions into SQL without a language model.",
    implementation="wardround.agents.parser.agents:open_agents",
    options=ParserOptions,
    train="wardround.agents.parser.training.trainer:train_file",
    trained_format=9,
    without_model=True,
    caveat="The agent of this run, parser, works by rules that were written with other tasks at "
    "hand; expect less of it on questions in other words.",
)
T5 = AgentDeclaration(
    name="t5",
    summary="A fine-tuned T5 that refuses where it is unsure; needs the extra t5.",
    implementation="wardround.agents.t5.agents:open_agents",
    options=T5Options,
)
TRAIN_PARSER = WorkDeclaration(
    name="parser",
    summary="Train the parser, which needs no language model, in half a minute.",
    implementation="wardround.agents.parser.training.trainer:train_parser",
    options=ParserTraining,
    interrupted="{to} is not made.",
)
TRAIN_T5 = WorkDeclaration(
    name="t5",
    summary="Fine-tune T5 or another sequence-to-sequence model; stopped, it goes on.",
    implementation="wardround.agents.t5.work:train_t5",
    options=T5Training,
    interrupted="the same command goes on with {to}.",
)
