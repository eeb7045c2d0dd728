"""Declarations of plug-ins: lightweight metadata, read before their code is loaded.

A declaration's module imports Pydantic and `wardround.core` only, because help, completion and the
settings page read the declarations of everything installed. Options are fields of a Pydantic model.
Their descriptions, bounds and choices produce the help, the checks and the docs.
`json_schema_extra={"group": "..."}` puts a field under a heading of the help,
`{"argument": True}` makes it a positional argument, `{"role": "..."}` says that it chooses whether
a model plays that role.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationInfo

from wardround.core.errors import UserError
from wardround.core.limits import Limits

Options_co = TypeVar("Options_co", bound=BaseModel, covariant=True)
Models_co = TypeVar("Models_co", covariant=True)

_COMMON = """
name tasks database task limit trials seed grading injected agent agent_allow agent_model
agent_process agent_setting unconfined model base_url temperature reasoning_effort role_model
max_wait price cache record replay actions seconds statement_seconds attempts concurrency
judge_concurrency processes cluster out html fail_under force json as_json help version verbose
benchmark databases models agent_settings options"""
_COMMON_IN_WORK = """
name model base_url reasoning_effort role_model max_wait price cache record replay
json as_json help"""

# Reserved option names: benchmarks and work declarations must not use them.
COMMON_OPTIONS = frozenset(_COMMON.split())
COMMON_WORK_OPTIONS = frozenset(_COMMON_IN_WORK.split())


class Options(BaseModel):
    """Base model of a plug-in's own options: frozen, without undeclared options."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True, defer_build=True)


class NoOptions(Options):
    """The options of a plug-in that has none."""


class Role(NamedTuple):
    """A role that a language model may play in addition to the agent.

    Attributes:
        temperature: The default, that of the paper; None leaves it to the provider.
        follows: The role whose model it uses if it has none of its own.
        shared: True if it falls back to the model of `--model`.
        effort: The default reasoning effort, that of the paper; empty leaves it to the provider.
            A user's own server gets none unless it is given.
    """

    name: str
    summary: str
    temperature: float | None = 0.0
    follows: str = ""
    shared: bool = True
    effort: str = ""


class Grading(NamedTuple):
    """A way of counting points.

    Attributes:
        name: its name.
        summary: one line about it.
        own_environment: trials under it observe other things than under the first grading, so
            that golds have to be played under it too.
    """

    name: str
    summary: str
    own_environment: bool = False


@dataclass(frozen=True, slots=True)
class Layout:
    """A table layout that a benchmark runs on.

    Attributes:
        needs: By source layout, the tables required for correct answers; an empty tuple for all.
            The layout itself needs all its tables unless listed.
        made_with: By source layout, the command that converts it to this layout.
        current_time: The latest time allowed in the database.
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
        roles: Its people and judges that a language model may play.
        limits: Default limits of a trial.
        gradings: Ways of counting points; the first is the default.
        layouts: The table layouts that it runs on.
        any_schema: True if tasks that a user wrote run on a database of any schema.
        agent: The agent that `--model` plays unless another is named; empty for one that calls
            tools.
        agents_without_model: The agents without a language model that play it; the first is the
            default if no model is named. Others of that kind are refused.
        agent_role: The agent as a role of a model, with the paper's temperature and effort.
    """

    name: str
    summary: str
    implementation: str
    options: type[BaseModel] = NoOptions
    roles: tuple[Role, ...] = ()
    limits: Limits = field(default_factory=Limits)
    gradings: tuple[Grading, ...] = ()
    layouts: tuple[Layout, ...] = ()
    any_schema: bool = False
    agent: str = ""
    agents_without_model: tuple[str, ...] = ()
    agent_role: Role = field(default=Role("agent", "answers"))

    def __post_init__(self) -> None:
        _check_names(f"The benchmark {self.name!r}", self.options, COMMON_OPTIONS)


@dataclass(frozen=True, slots=True)
class AgentDeclaration:
    """An agent.

    Attributes:
        implementation: `module:function`, called once a run as `function(model, **options)`; it
            returns an `AgentMaker`, which is called once a trial.
        options: Its own options, given with `--agent-setting NAME=VALUE`; `agent_model` is given
            with `--agent-model`.
        train: `module:function` that trains it before the first trial; empty if it needs no
            training. See `wardround.runs.training`. Such an agent has an option `pairs`, its pair
            source, which is replaced by `trained`, the trained files by database.
        trained_format: The format of the files that `train` writes; cached files of another
            format are ignored.
        without_model: True if it needs no language model and understands only some benchmarks:
            those that list it.
        caveat: A sentence on what its scores do not show, which reports repeat.
    """

    name: str
    summary: str
    implementation: str
    options: type[BaseModel] = NoOptions
    train: str = ""
    trained_format: int = 0
    without_model: bool = False
    caveat: str = ""


@dataclass(frozen=True, slots=True)
class WorkDeclaration:
    """Work that the command line does by name: making tasks, checking them, scoring a file.

    Attributes:
        implementation: `module:function`, called as `function(options, context)` with a
            `wardround.core.work.WorkContext`; it returns a `WorkResult`.
        options: Its own options.
        roles: Its roles played by language models.
        interrupted: Message after Ctrl-C about what remains, with `{option}` in place of values.
        suite: For making tasks: `module:function` that makes a suite for an assessment, called
            with a `wardround.core.work.SuiteRequest`; it returns a `MadeSuite`, or raises a
            `UserError` that says why the database does not serve the benchmark of this name.
        no_suite: For making tasks: why no database serves an assessment, as the end of a sentence.
    """

    name: str
    summary: str
    implementation: str
    options: type[BaseModel] = NoOptions
    roles: tuple[Role, ...] = ()
    interrupted: str = ""
    suite: str = ""
    no_suite: str = ""

    def __post_init__(self) -> None:
        _check_names(f"The work {self.name!r}", self.options, COMMON_WORK_OPTIONS)


Declaration: TypeAlias = BenchmarkDeclaration | AgentDeclaration | WorkDeclaration


@dataclass(frozen=True, slots=True)
class Opening(Generic[Options_co, Models_co]):
    """The arguments with which a benchmark is opened.

    Attributes:
        options: An instance of the declaration's options model.
        databases: Files or URLs by the name that tasks use; empty for the benchmark's own.
        limits: Limits of a trial.
        models: The models of its roles, as `wardround.models.roles.Models`; each is opened on
            first use.
        grading: The grading that decides what passes.
    """

    options: Options_co
    databases: Mapping[str, str]
    limits: Limits
    models: Models_co
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
