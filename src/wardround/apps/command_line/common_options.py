"""Options that all benchmarks have, and those that all work with language models has."""

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, JsonValue

TASKS, AGENT, MODELS, LIMITS, OUTPUT = "Tasks", "Agent", "Models", "Limits", "Output"


def _in(group: str, **more: JsonValue) -> dict[str, JsonValue]:
    return {"group": group, **more}


class TaskOptions(BaseModel):
    """Which tasks, and on what."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    tasks: Path | None = Field(
        None,
        description="A task file in the published form. [the shipped suite]",
        json_schema_extra=_in(TASKS),
    )
    database: list[str] = Field(
        [],
        description="A database, or NAME=DATABASE with the name that the tasks use; "
        "may be repeated. [the shipped one]",
        json_schema_extra=_in(TASKS),
    )
    task: list[str] = Field(
        [],
        description="Only tasks with this id; * and ? stand for any letters; may be repeated.",
        json_schema_extra=_in(TASKS),
    )
    limit: int | None = Field(
        None, ge=1, description="Only the first so many tasks.", json_schema_extra=_in(TASKS)
    )


class SharedModelOptions(BaseModel):
    """The language models of roles."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    model: str | None = Field(
        None,
        description="The language model of all roles, as provider:name.",
        json_schema_extra=_in(MODELS),
    )
    base_url: str | None = Field(
        None,
        description="An OpenAI-compatible server for --model openai:NAME.",
        json_schema_extra=_in(MODELS),
    )
    reasoning_effort: str | None = Field(
        None,
        description="How long the model of --model thinks: minimal, low, medium or high.",
        json_schema_extra=_in(MODELS),
    )
    role_model: list[str] = Field(
        [],
        description="A role's own model, as ROLE=PROVIDER:NAME[,SETTING=VALUE...]; "
        "may be repeated. [--model]",
        json_schema_extra=_in(MODELS),
    )
    max_wait: float = Field(
        300.0,
        ge=0,
        allow_inf_nan=False,
        description="Seconds that one call waits at most for a provider that is busy or fails.",
        json_schema_extra=_in(MODELS),
    )
    cache: Path | None = Field(
        None,
        description="A file that keeps model answers for later calls.",
        json_schema_extra=_in(MODELS),
    )
    record: Path | None = Field(
        None,
        description="A file to which all exchanges with models are written.",
        json_schema_extra=_in(MODELS),
    )
    replay: Path | None = Field(
        None,
        description="A recorded file that answers instead of any model.",
        json_schema_extra=_in(MODELS),
    )

    def shared(self) -> dict[str, Any]:
        """What holds for the models of all roles."""
        return {
            "name": self.model,
            "base_url": self.base_url,
            "reasoning_effort": self.reasoning_effort,
            "max_wait": self.max_wait,
        }


class OutputOptions(BaseModel):
    """How a result is printed."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    as_json: bool = Field(
        False,
        description="Print the tables as JSON.",
        json_schema_extra=_in(OUTPUT, option="--json"),
    )


class RunTaskOptions(TaskOptions):
    """Which tasks are run, how often, and what passes."""

    trials: int = Field(
        1, ge=1, description="How often each task is run.", json_schema_extra=_in(TASKS)
    )
    seed: int = Field(0, description="The run's seed.", json_schema_extra=_in(TASKS))
    grading: str | None = Field(
        None, description="Which grading decides what passes.", json_schema_extra=_in(TASKS)
    )


class AgentOptions(BaseModel):
    """Which agent."""

    agent: str | None = Field(
        None,
        description="The agent: a name from `wardround list`, module:function, or oracle. "
        "[parser; with --model: tools; with --base-url: json]",
        json_schema_extra=_in(AGENT),
    )
    agent_model: Path | None = Field(
        None,
        description="What the agent has learned, of `wardround train`.",
        json_schema_extra=_in(AGENT),
    )
    agent_setting: list[str] = Field(
        [],
        description="An option of the agent's own, as NAME=VALUE; may be repeated.",
        json_schema_extra=_in(AGENT),
    )


class LimitOptions(BaseModel):
    """Where a trial is cut off, and how many run at once."""

    actions: int | None = Field(
        None, ge=1, description="Agent actions in a trial.", json_schema_extra=_in(LIMITS)
    )
    seconds: float | None = Field(
        None, gt=0, description="Seconds in a trial.", json_schema_extra=_in(LIMITS)
    )
    statement_seconds: float | None = Field(
        None, gt=0, description="Seconds for a database statement.", json_schema_extra=_in(LIMITS)
    )
    attempts: int = Field(
        3,
        ge=1,
        description="How often a trial is run when its user broke the rules.",
        json_schema_extra=_in(LIMITS),
    )
    concurrency: int = Field(8, ge=1, description="Trials at once.", json_schema_extra=_in(LIMITS))
    processes: int = Field(
        1,
        ge=1,
        description="Processes that share the trials, for busy processors.",
        json_schema_extra=_in(LIMITS),
    )


class RunModelOptions(SharedModelOptions):
    """The language models of the agent and of roles."""

    temperature: str = Field(
        "0",
        description="The agent's temperature; none leaves it to the provider.",
        json_schema_extra=_in(MODELS),
    )


class RunOutputOptions(OutputOptions):
    """Where a run goes, and how its result is printed."""

    out: Path | None = Field(
        None,
        description="The run's folder. [runs/BENCHMARK-AGENT-NUMBER]",
        json_schema_extra=_in(OUTPUT),
    )
    html: Path | None = Field(
        None, description="Write the report to this file too.", json_schema_extra=_in(OUTPUT)
    )
    force: bool = Field(
        False, description="Replace the run in --out.", json_schema_extra=_in(OUTPUT)
    )


class RunOptions(RunOutputOptions, LimitOptions, RunModelOptions, AgentOptions, RunTaskOptions):
    """The options of a run that every benchmark has; help shows the last group first."""


class WorkOptions(OutputOptions, SharedModelOptions):
    """The options of work that all work has."""


class ValidateOptions(OutputOptions, TaskOptions):
    """The options of checking golds that all benchmarks have."""
