"""The settings of a run as stored in `run.json`, with the options of its benchmark."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SerializeAsAny,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic.fields import FieldInfo

from wardround.core.allowances import absolute_allowance
from wardround.core.declaration import BenchmarkDeclaration, NoOptions, Opening
from wardround.core.declared import benchmark_declaration, checked_options
from wardround.core.errors import UserError
from wardround.core.limits import MOST, MOST_AT_ONCE, MOST_SECONDS, MOST_SEED, Limits
from wardround.core.locations import absolute_location, is_url
from wardround.core.option_types import AbsolutePath
from wardround.core.task import Chosen
from wardround.models.model import ModelSettings
from wardround.models.roles import Models


class RunSettings(BaseModel):
    """The settings that determine a run.

    Attributes:
        benchmark: the benchmark's name, as in the entry points `wardround.benchmarks`, or
            `module:Class`.
        tasks: a task file in the benchmark's published form; None for the shipped suite.
        databases: databases, files or URLs, by the name that tasks use; empty for the shipped one.
            The password of a URL is remembered by the process and not stored in `run.json`.
        task: ids of the tasks to run, with `*` and `?` as wildcards; empty for all.
        limit: the maximum number of tasks; None for all.
        trials: the number of trials of each task.
        seed: the run's seed.
        grading: the grading that decides what passes.
        agent: the agent's name in the entry points `wardround.agents`, `module:function`, or
            "oracle".
        agent_model: a trained file or folder of `wardround train`, if any.
        agent_settings: the agent's own options by name, as typed.
        agent_allow: what a confined agent may reach beyond its own files: `net`, `read:PATH`,
            `env:NAME`.
        agent_process: "trial" for a process of an agent from elsewhere in each trial, "run" for one
            that its trials share.
        unconfined: True to let the agent have the account's files, processes and network.
        models: the language models of the agent and of the benchmark's roles, by role.
        injected: True to hide an instruction in a tool's result of each trial; see
            `wardround.core.injection`.
        options: the benchmark's own options.
        actions: the most agent actions of a trial; None for the benchmark's default.
        seconds: the most wall-clock seconds of a trial; None for the benchmark's default.
        statement_seconds: the deadline of a database statement; None for the default.
        attempts: the most attempts at a trial whose simulated user breaks the rules.
        concurrency: trials played at once.
        judge_concurrency: trials judged at once; None for the same as `concurrency`.
        processes: processes that share the trials.
        cluster: the address of a Ray cluster whose nodes share the trials; None for none.
        cache: a file that caches model answers, if any.
        record: a file that records all exchanges with models, if any.
        replay: a recorded file that replaces all providers, if any.
    """

    model_config = ConfigDict(extra="forbid", defer_build=True)

    benchmark: str
    tasks: AbsolutePath | None = None
    databases: dict[str, Annotated[str, AfterValidator(absolute_location)]] = Field(
        default_factory=dict
    )
    task: tuple[str, ...] = ()
    limit: int | None = Field(None, ge=1, le=MOST)
    trials: int = Field(1, ge=1, le=MOST)
    seed: int = Field(0, ge=-MOST_SEED, le=MOST_SEED)
    grading: str = ""
    agent: str
    agent_model: AbsolutePath | None = None
    agent_settings: dict[str, str] = Field(default_factory=dict)
    agent_allow: tuple[Annotated[str, AfterValidator(absolute_allowance)], ...] = ()
    agent_process: Literal["run", "trial"] = "run"
    unconfined: bool = False
    models: dict[str, ModelSettings] = Field(default_factory=dict)
    injected: bool = False
    options: SerializeAsAny[BaseModel] = Field(default_factory=NoOptions, validate_default=True)
    actions: int | None = Field(None, ge=1, le=MOST)
    seconds: float | None = Field(None, gt=0, le=MOST_SECONDS)
    statement_seconds: float | None = Field(None, gt=0, le=MOST_SECONDS)
    attempts: int = Field(3, ge=1, le=MOST)
    concurrency: int = Field(8, ge=1, le=MOST_AT_ONCE)
    judge_concurrency: int | None = Field(None, ge=1, le=MOST_AT_ONCE)
    processes: int = Field(1, ge=1, le=MOST_AT_ONCE)
    cluster: str | None = Field(None, min_length=1)
    cache: AbsolutePath | None = None
    record: AbsolutePath | None = None
    replay: AbsolutePath | None = None

    @field_validator("options", mode="before")
    @classmethod
    def _validate_options(
        cls, options: BaseModel | Mapping[str, Any], info: ValidationInfo
    ) -> BaseModel:
        """Validates the options by the benchmark's own model."""
        if "benchmark" not in info.data:
            return NoOptions()
        declared = benchmark_declaration(info.data["benchmark"])
        values = options if isinstance(options, Mapping) else options.model_dump(exclude_unset=True)
        return checked_options(
            declared.options, values, option_of, tuple(info.data.get("models", ()))
        )

    @model_validator(mode="after")
    def _fill_in_defaults(self) -> "RunSettings":
        declared = self.declaration
        self.grading = _known_grading(declared, self.grading)
        self.actions = self.actions or declared.limits.actions
        self.seconds = self.seconds or declared.limits.seconds
        self.statement_seconds = self.statement_seconds or declared.limits.statement_seconds
        return self

    def on_cluster(self, cluster: str | None) -> "RunSettings":
        """The settings with another cluster, or with none.

        Raises:
            UserError: they do not fit a cluster.
        """
        return RunSettings.model_validate({**self.as_json(), "cluster": cluster})

    def without_models(self) -> "RunSettings":
        """The settings with the oracle as the agent and no model in any role."""
        fields = self.declaration.options.model_fields
        typed = self.options.model_dump(mode="json", exclude_unset=True)
        options = {name: each for name, each in typed.items() if not _chooses_role(fields[name])}
        changed = {"agent": "oracle", "agent_settings": {}, "models": {}, "options": options}
        return RunSettings.model_validate({**self.as_json(), **changed})

    @model_validator(mode="after")
    def _check_cluster(self) -> "RunSettings":
        if self.cluster is None:
            return self
        if self.processes > 1:
            raise UserError("--processes applies to one machine; leave it out with --cluster.")
        for option, file in (("--cache", self.cache), ("--record", self.record)):
            if file is not None:
                raise UserError(
                    f"{option} names a file of one machine; leave it out with --cluster."
                )
        if "net" in self.agent_allow:
            raise UserError(
                "--agent-allow net is refused with --cluster, since the network of a Ray cluster "
                "lets whoever reaches it run programs on every node."
            )
        return self

    @property
    def declaration(self) -> BenchmarkDeclaration:
        """The declaration of the benchmark."""
        return benchmark_declaration(self.benchmark)

    @property
    def tasks_chosen(self) -> Chosen:
        """The choice of tasks."""
        return Chosen(self.task, self.limit)

    @property
    def limits(self) -> Limits:
        """The limits of a trial."""
        declared = self.declaration.limits
        return Limits(
            self.actions or declared.actions,
            self.seconds or declared.seconds,
            self.statement_seconds or declared.statement_seconds,
        )

    @property
    def judged_at_once(self) -> int:
        """The number of trials judged concurrently."""
        return self.judge_concurrency or self.concurrency

    @property
    def deciding(self) -> str:
        """The grading that decides what passes; empty for the benchmark's first."""
        first = next((grading.name for grading in self.declaration.gradings), "")
        return "" if self.grading == first else self.grading

    def files(self) -> Iterator[Path]:
        """The files that it reads and writes, which are not the agent's."""
        yield from (Path(location) for location in self.databases.values() if not is_url(location))
        files = (self.tasks, self.cache, self.record, self.replay)
        yield from (file for file in files if file is not None)
        options = self.options.model_dump()
        yield from (value for value in options.values() if isinstance(value, Path))

    def opening(self, models: Models) -> Opening[Any, Models]:
        """The arguments for opening the benchmark."""
        return Opening(self.options, self.databases, self.limits, models, self.grading)

    def as_json(self) -> dict[str, Any]:
        """The settings as JSON values."""
        return self.model_dump(mode="json")


def option_of(name: str) -> str:
    """The command-line name of an option.

    >>> option_of("current_time")
    '--current-time'
    """
    return f"--{name.replace('_', '-')}"


def _chooses_role(field: FieldInfo) -> bool:
    """True for an option that says whether a model plays a role (`core.declaration`)."""
    extra = field.json_schema_extra
    return isinstance(extra, Mapping) and "role" in extra


def _known_grading(declared: BenchmarkDeclaration, name: str) -> str:
    grading_names = [grading.name for grading in declared.gradings]
    if name and name not in grading_names:
        choices = ", ".join(grading_names) or "none"
        raise UserError(
            f"{declared.name} has no grading {name!r}; --grading takes one of: {choices}."
        )
    return name or next(iter(grading_names), "")
