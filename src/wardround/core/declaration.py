"""Declarations: what a plug-in offers, as light data that is read before its code is loaded.

A declaration's module imports Pydantic and `wardround.core` only, since help, completion and the
settings page read the declarations of everything that is installed. Options are fields of a
Pydantic model: their descriptions, bounds and choices make the help, the checks and the docs.
`json_schema_extra={"group": "..."}` puts a field under a heading of the help,
`{"argument": True}` makes it an argument that is typed without a name.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from pydantic import BaseModel, ConfigDict, ValidationInfo

from wardround.core.errors import UserError
from wardround.core.limits import Limits

_COMMON = """
name tasks database task limit trials seed grading agent agent_model agent_setting
model base_url temperature reasoning_effort role_model max_wait cache record replay
actions seconds statement_seconds attempts concurrency judge_concurrency processes
out html force json as_json help version verbose
benchmark databases models agent_settings options"""
_COMMON_IN_WORK = """
name model base_url reasoning_effort role_model max_wait cache record replay json as_json help"""

# Names that no benchmark's own option may have, and no option of work.
COMMON_OPTIONS = frozenset(_COMMON.split())
COMMON_WORK_OPTIONS = frozenset(_COMMON_IN_WORK.split())


class Options(BaseModel):
    """A plug-in's own options: frozen, and none that is not declared."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True, defer_build=True)


class NoOptions(Options):
    """The options of a plug-in that has none."""


@dataclass(frozen=True, slots=True)
class Role:
    """A role that a language model may play in addition to the agent.

    Attributes:
        temperature: As the paper has it, unless another is named; None leaves it to the provider.
        follows: The role whose model it takes where it has none of its own.
        shared: Whether the model of `--model` is its model too.
    """

    name: str
    summary: str
    temperature: float | None = 0.0
    follows: str = ""
    shared: bool = True


@dataclass(frozen=True, slots=True)
class Grading:
    """A way of counting points."""

    name: str
    summary: str


@dataclass(frozen=True, slots=True)
class Layout:
    """A table layout that a benchmark runs on.

    Attributes:
        needs: By source layout, the tables of it without which some questions have no answer, or a
            wrong one; an empty tuple for all. The layout itself needs all its tables unless listed.
        made_with: By source layout, the command that makes this layout of it.
        current_time: The time that nothing in the database should be later than.
    """

    name: str
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    made_with: Mapping[str, str] = field(default_factory=dict)
    current_time: str = ""


@dataclass(frozen=True, slots=True)
class BenchmarkDeclaration:
    """A benchmark.

    Attributes:
        implementation: Its class, `module:Class`.
        options: Its own options.
        roles: Those of its people and judges that a language model may play.
        limits: Where a trial is cut off unless other limits are named.
        gradings: Ways of counting points; the first decides what passes unless another is named.
        layouts: The table layouts that it runs on.
        agent: The agent that `--model` plays unless another is named; empty for one that calls
            tools.
    """

    name: str
    summary: str
    implementation: str
    options: type[BaseModel] = NoOptions
    roles: tuple[Role, ...] = ()
    limits: Limits = field(default_factory=Limits)
    gradings: tuple[Grading, ...] = ()
    layouts: tuple[Layout, ...] = ()
    agent: str = ""

    def __post_init__(self) -> None:
        _check_names(f"The benchmark {self.name!r}", self.options, COMMON_OPTIONS)


@dataclass(frozen=True, slots=True)
class AgentDeclaration:
    """An agent.

    Attributes:
        implementation: What makes its agents, `module:function`: called once a run as
            `function(model, **options)`, it returns a maker of one agent a trial.
        options: Its own options, given with `--agent-setting NAME=VALUE`; `agent_model` is given
            with `--agent-model`.
        train: What trains it before the first trial, `module:function`; empty for nothing. See
            `wardround.runs.training`. Such an agent has an option `pairs`, its pair source, and its
            maker is called with `trained`, the trained files by database, instead of it.
        trained_format: The format of the files that `train` writes; a cached file of another
            format is not used.
    """

    name: str
    summary: str
    implementation: str
    options: type[BaseModel] = NoOptions
    train: str = ""
    trained_format: int = 0


@dataclass(frozen=True, slots=True)
class WorkDeclaration:
    """Work that the command line does by name: making tasks, checking them, scoring a file.

    Attributes:
        implementation: What does it, `module:function`, called as `function(options, context)`
            with a `wardround.core.work.WorkContext`; it returns a `WorkResult`.
        options: Its own options.
        roles: Those that a language model plays in it.
        interrupted: What is left after Ctrl-C, with `{option}` in place of values.
    """

    name: str
    summary: str
    implementation: str
    options: type[BaseModel] = NoOptions
    roles: tuple[Role, ...] = ()
    interrupted: str = ""

    def __post_init__(self) -> None:
        _check_names(f"The work {self.name!r}", self.options, COMMON_WORK_OPTIONS)


Declaration: TypeAlias = BenchmarkDeclaration | AgentDeclaration | WorkDeclaration


@dataclass(frozen=True, slots=True)
class Opening:
    """The arguments with which a benchmark is opened.

    Attributes:
        options: An instance of the model that its declaration names.
        databases: Files or URLs by the name that tasks use; empty for the benchmark's own.
        limits: Where a trial is cut off.
        models: `wardround.models.roles.RoleModels`, which core does not know: a role's model is
            opened when it is asked for.
        grading: Which of its gradings decides what passes.
    """

    options: Any
    databases: Mapping[str, str]
    limits: Limits
    models: Any
    grading: str = ""


def has_model(info: ValidationInfo, role: str) -> bool:
    """True if the role has a language model in the run whose options are being checked."""
    return role in (info.context or {}).get("roles", ())


def _check_names(owner: str, options: type[BaseModel], reserved: frozenset[str]) -> None:
    if clash := sorted(reserved.intersection(options.model_fields)):
        option = clash[0].replace("_", "-")
        raise UserError(
            f"{owner} declares an option --{option}, which is a common option; rename it in "
            f"{options.__module__}:{options.__qualname__}."
        )
