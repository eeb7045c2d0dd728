"""Declarations of the agents that come with wardround and belong to no benchmark."""

from typing import Literal

from pydantic import Field

from wardround.core.declaration import AgentDeclaration, Options
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


TOOLS = AgentDeclaration(
    name="tools",
    summary="A language model with native tool calls.",
    implementation="wardround.agents.native_tools:open_agents",
    needs_model=True,
)
JSON = AgentDeclaration(
    name="json",
    summary="A language model without native tool calls: it answers each turn with JSON.",
    implementation="wardround.agents.json_actions:open_agents",
    needs_model=True,
)
REACT = AgentDeclaration(
    name="react",
    summary="A language model that thinks aloud before each action (ReAct).",
    implementation="wardround.agents.react:open_agents",
    needs_model=True,
)
PARSER = AgentDeclaration(
    name="parser",
    summary="Parses questions into SQL without a language model.",
    implementation="wardround.agents.parser.agents:open_agents",
    options=ParserOptions,
    train="wardround.agents.parser.trainer:train_file",
)
T5 = AgentDeclaration(
    name="t5",
    summary="A fine-tuned T5 that refuses where it is unsure; needs the extra t5.",
    implementation="wardround.agents.t5:open_agents",
    options=T5Options,
)
