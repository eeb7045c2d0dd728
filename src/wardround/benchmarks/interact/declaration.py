"""BIRD-Interact's declaration: options, role, limits and gradings."""

from pathlib import Path
from typing import Literal, Self, TypeAlias

from pydantic import Field, ValidationInfo, field_validator, model_validator

from wardround.core.declaration import (
    BenchmarkDeclaration,
    Grading,
    Options,
    Role,
    WorkDeclaration,
    has_model,
)
from wardround.core.limits import Limits
from wardround.core.option_types import AbsolutePath, Time

Mode: TypeAlias = Literal["paper", "strict"]
MODES: tuple[Mode, ...] = ("paper", "strict")

CURRENT_TIME = "2100-12-31 23:59:00"

# Options that apply to a single mode.
_MODE_OF = {"graft": "c", "free": "a", "own_actions": "a", "reset": "a"}


class InteractOptions(Options):
    """Options of BIRD-Interact."""

    mode: Literal["c", "a", "clear"] = Field(
        "c", description="c (conversation), a (actions at a price) or clear (nothing to ask)."
    )
    user: Literal["model-free", "function-driven", "baseline"] | None = Field(
        None,
        description="The simulated user; model-free needs no model, and answers about half of the "
        "questions about the solution that are not about an ambiguity. "
        "[function-driven if the user has one]",
        json_schema_extra={"role": "user"},
    )
    patience: int = Field(
        3, ge=0, description="Questions beyond the necessary ones; with --mode a, 2 units each."
    )
    free: bool = Field(False, description="Actions cost nothing.")
    reset: Literal["submit", "execute"] = Field(
        "submit", description="Reset the trial's database on submit, or also on execute."
    )
    own_actions: str | None = Field(
        None, description="The agent's own actions in addition to the nine, as module:function."
    )
    graft: AbsolutePath | None = Field(
        None, description="A run whose questions and answers the agent gets."
    )
    documents: AbsolutePath | None = Field(
        None, description="A folder of knowledge bases and column meanings. [wardround's own]"
    )
    current_time: Time = Field(CURRENT_TIME, description="The current time in trials.")

    @field_validator("user", mode="before")
    @classmethod
    def _played_by_a_model_if_there_is_one(cls, user: str | None, info: ValidationInfo) -> str:
        return user or ("function-driven" if has_model(info, "user") else "model-free")

    @model_validator(mode="after")
    def _belongs_to_its_mode(self) -> Self:
        """Refuses options of another mode, which would have no effect."""
        for name, mode in _MODE_OF.items():
            default = type(self).model_fields[name].default
            if self.mode != mode and getattr(self, name) != default:
                option = name.replace("_", "-")
                raise ValueError(
                    f"--{option} is of --mode {mode} and means nothing in --mode {self.mode}; "
                    "leave it out"
                )
        return self


BENCHMARK = BenchmarkDeclaration(
    name="interact",
    summary="Resolve ambiguity under a budget, reading and writing PostgreSQL.",
    implementation="wardround.benchmarks.interact.benchmark:InteractBenchmark",
    agents_without_model=("parser",),
    options=InteractOptions,
    roles=(Role("user", "plays the user"),),
    # Budget or patience usually ends a trial earlier.
    limits=Limits(actions=100, seconds=600.0, statement_seconds=60.0),
    gradings=(
        Grading("paper", "as published: the test cases of the task"),
        Grading("strict", "the test cases, and all rows of the gold in order"),
    ),
)


class AgreementOptions(Options):
    """Options of comparing simulated users with people."""

    sources: tuple[Path, ...] = Field(
        description="Runs, one of each system and simulated user.",
        json_schema_extra={"argument": True},
    )
    human: Path = Field(
        description="Trials with people as users, as JSON Lines: task, passed, and the system (as "
        "the tables name it) if there are several."
    )


AGREEMENT = WorkDeclaration(
    name=BENCHMARK.name,
    summary="Compare simulated users with people, by the tasks that agents pass (Table 3).",
    implementation="wardround.benchmarks.interact.agreement:compare_people",
    options=AgreementOptions,
)
