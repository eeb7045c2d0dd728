"""How a run is set: what `run.json` holds and every command that starts a run fills in."""

from datetime import datetime
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from wardround.core.limits import Limits
from wardround.ehr.database import is_url
from wardround.models.settings import ModelSettings

# When the records of EHR-ChatQA end (A.3.2, A.5).
CURRENT_TIME = "2100-12-31 23:59:00"
TIME_FORMAT = "%Y-%m-%d %H:%M:%S"


User: TypeAlias = Literal["script", "model"]
UserOfInteract: TypeAlias = Literal["model-free", "function-driven", "baseline"]


def is_time(text: str) -> bool:
    """Whether a text is a time written as 2100-12-31 23:59:00."""
    try:
        datetime.strptime(text, TIME_FORMAT)
    except ValueError:
        return False
    return True


class RunSettings(BaseModel):
    """All that decides what a run does.

    Attributes:
        benchmark: the benchmark's name, as in the entry points `wardround.benchmarks`.
        tasks: a task file in the benchmark's published form; None for the shipped suite.
        databases: databases, files or URLs, by the name that tasks use; empty for the shipped one.
            A URL holds no password: it would stand in `run.json`.
        mode: which of the benchmark's rooms: BIRD-Interact's conversation (c) or actions (a), or a
            conversation with nothing left to ask (clear).
        documents: a folder with the databases' knowledge bases and column meanings as BIRD-Interact
            publishes them; None for wardround's own.
        graft: another run, whose questions and answers the agent is given instead of asking.
        patience: what a user bears beyond the questions that have to be asked.
        free: whether actions cost nothing.
        own_actions: actions of the agent's own beside BIRD-Interact's nine, `module:function`.
        reset: when a trial's database goes back to its start: on each submission, or after each
            statement too.
        agent: the agent's name in the entry points `wardround.agents`, `module:function`, or
            "oracle".
        agent_model: what the agent has learned, a file or folder of `wardround train`; None for
            none.
        agent_settings: the agent's own settings by name, as they were typed.
        models: each role's language model ("agent", "user", "verifier", "validator").
        user: who plays the user: "script" needs no model, "model" is played by one. BIRD-Interact's
            have names of their own: "model-free", which is "script", "function-driven", which is
            "model", and "baseline".
        trials: how often each task is run.
        seed: the run's seed.
        limit: run only the first so many tasks; None runs all.
        actions: agent actions a trial may take; None for the benchmark's own, which are 30 as in
            EHR-ChatQA (C.2), and 100 in BIRD-Interact, whose rooms have their own bounds.
        seconds: wall-clock seconds a trial may take.
        statement_seconds: seconds a database statement may take.
        current_time: the time that everybody in a trial takes for now, as YYYY-MM-DD HH:MM:SS;
            None for the tasks' own.
        attempts: how often a trial is run at most when the validator rejects the user.
        concurrency: trials at once.
        processes: processes that share the trials.
        web_search: where clinical knowledge is looked up: "reference" is the packaged one,
            else a provider in the entry points `wardround.search` as "name=address".
        embedder: what similarity search compares meanings with, an entry point of
            `wardround.embedders`.
        cache: a file that keeps model answers for later runs; None keeps none.
        record: a file to which all exchanges with models are written; None for none.
        replay: a recorded file that answers instead of any model's provider; None for none.
    """

    model_config = ConfigDict(extra="forbid")

    benchmark: str
    tasks: Path | None = None
    databases: dict[str, str] = Field(default_factory=dict)
    mode: Literal["c", "a", "clear"] = "c"
    documents: Path | None = None
    graft: Path | None = None
    patience: int = Field(3, ge=0)
    free: bool = False
    own_actions: str | None = None
    reset: Literal["submit", "execute"] = "submit"
    agent: str
    agent_model: Path | None = None
    agent_settings: dict[str, str] = Field(default_factory=dict)
    models: dict[str, ModelSettings] = Field(default_factory=dict)
    user: Literal[User, UserOfInteract] = "script"
    trials: int = Field(1, ge=1)
    seed: int = 0
    limit: int | None = Field(None, ge=1)
    actions: int | None = Field(None, ge=1)
    seconds: float = Field(600.0, gt=0)
    statement_seconds: float = Field(60.0, gt=0)
    current_time: str | None = None
    attempts: int = Field(3, ge=1)
    concurrency: int = Field(8, ge=1)
    processes: int = Field(1, ge=1)
    web_search: str = "reference"
    embedder: str = "wordllama"
    cache: Path | None = None
    record: Path | None = None
    replay: Path | None = None

    @field_validator("tasks", "agent_model", "documents", "graft", "cache", "record", "replay")
    @classmethod
    def _from_anywhere(cls, path: Path | None) -> Path | None:
        """Paths that hold from any folder, so that a run can be gone on with from anywhere."""
        return path and path.expanduser().absolute()

    @field_validator("databases")
    @classmethod
    def _all_from_anywhere(cls, places: dict[str, str]) -> dict[str, str]:
        return {name: _place_from_anywhere(place) for name, place in places.items()}

    @field_validator("current_time")
    @classmethod
    def _is_a_time(cls, text: str | None) -> str | None:
        if text is not None and not is_time(text):
            raise ValueError(f"{text!r} is no time written as {CURRENT_TIME}")
        return text

    @field_validator("user", mode="before")
    @classmethod
    def _is_there(cls, user: Any, given: ValidationInfo) -> Any:
        benchmark = given.data.get("benchmark")
        known = get_args(User) + (get_args(UserOfInteract) if benchmark == "interact" else ())
        if user not in known:
            raise ValueError(f"{benchmark} has no user {user!r}; name one of {', '.join(known)}")
        return user

    @property
    def limits(self) -> Limits:
        """Where a trial is cut off."""
        own = 100 if self.benchmark == "interact" else 30
        return Limits(self.actions or own, self.seconds, self.statement_seconds)

    def as_json(self) -> dict[str, Any]:
        """The settings as JSON values."""
        return self.model_dump(mode="json")


def _place_from_anywhere(place: str) -> str:
    if not is_url(place):
        return str(Path(place).expanduser().absolute())
    if urlsplit(place).password:
        raise ValueError("a URL with a password would be kept; put it in PGPASSWORD or ~/.pgpass")
    return place
