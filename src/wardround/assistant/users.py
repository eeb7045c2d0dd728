"""The people who may ask, by token, each with limits of rate and cost."""

import hmac
import tomllib
from collections import deque
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from math import ceil
from pathlib import Path
from time import monotonic
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from wardround.core.errors import UserError, WardroundError
from wardround.ehr.ingest.patient_scope import Scope

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._@-]{1,64}$")]
Patient = Annotated[str, StringConstraints(min_length=1, max_length=64)]
Unit = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Column = Annotated[str, StringConstraints(pattern=r"^\w+\.\w+$", to_lower=True)]
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]

# The person at this machine, where nobody else can reach the server.
LOCAL = "local"
_LOCAL_RATE = 60


class RefusedError(WardroundError):
    """A request of a person that is not carried out, with the reason in one sentence."""


class LimitError(RefusedError):
    """A request above a limit of its person.

    Args:
        message: the limit, in a sentence.
        seconds: the time after which it may be sent again.
    """

    def __init__(self, message: str, seconds: float) -> None:
        super().__init__(message)
        self.seconds = seconds


class UnavailableError(RefusedError):
    """A request that the assistant cannot carry out now for anybody."""


class User(BaseModel):
    """Someone who may ask.

    Attributes:
        token_sha256: the SHA-256 of the token, so that the file holds no token; None for those whom
            a sign-in proxy names.
        questions_per_minute: the most questions and calls of tools in any 60 seconds.
        dollars_per_day: the most that models may cost in a day, in UTC; None for no limit.
        patients: the only patients that they may see; None for all.
        units: they may see patients with a stay in one of these units only; None for all.
        masked: the columns that they may not see, as `table.column`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, coerce_numbers_to_str=True)

    token_sha256: Digest | None = None
    questions_per_minute: int = Field(20, ge=1, le=10_000)
    dollars_per_day: float | None = Field(None, ge=0)
    patients: tuple[Patient, ...] | None = Field(None, min_length=1)
    units: tuple[Unit, ...] | None = Field(None, min_length=1)
    masked: tuple[Column, ...] = ()

    @property
    def scope(self) -> Scope:
        """The part of the database that they may see; equal for equal limits in any order."""
        limits = (self.patients or (), self.units or (), self.masked)
        return Scope(*(tuple(sorted(set(limit))) for limit in limits))


class _UsersFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    users: dict[Name, User] = Field(min_length=1)


def token_digest(token: str) -> str:
    """The digest of a token, as a users' file holds it."""
    return sha256(token.encode()).hexdigest()


def read_users(path: Path) -> dict[str, User]:
    """Reads a users' file: TOML with a table `[users.NAME]` for each person.

    Raises:
        UserError: it is missing, is not TOML, names nobody, or two people have the same token.
    """
    try:
        content: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"The users' file {path} cannot be read ({error.strerror}).") from None
    except ValueError as error:
        raise UserError(f"The users' file {path} is not a TOML file: {error}.") from None
    try:
        users = _UsersFile.model_validate(content).users
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        key = ".".join(map(str, problem["loc"])) or "users"
        raise UserError(f"The users' file {path}, {key}: {problem['msg']}.") from None
    digests = [user.token_sha256 for user in users.values() if user.token_sha256 is not None]
    if len(set(digests)) < len(digests):
        raise UserError(f"Two people in the users' file {path} have the same token.")
    return users


def check_tokens(users: Mapping[str, User]) -> None:
    """Refuses people who could not sign in.

    Raises:
        UserError: someone has no token.
    """
    for name, user in users.items():
        if user.token_sha256 is None:
            raise UserError(
                f"The users' file gives {name} no token_sha256; add the digest of a token."
            )


def user_of(users: Mapping[str, User], token: str) -> str | None:
    """The name of the person with a token; None if nobody has it."""
    digest = token_digest(token)
    names = [
        name
        for name, user in users.items()
        if user.token_sha256 is not None and _is_same(user.token_sha256, digest)
    ]
    return names[0] if names else None


class RateLimit:
    """The most events in any minute.

    >>> limit = RateLimit(2)
    >>> limit.wait(at=0.0), limit.wait(at=10.0), limit.wait(at=20.0), limit.wait(at=61.0)
    (0.0, 0.0, 40.0, 0.0)

    Args:
        per_minute: how many.
    """

    def __init__(self, per_minute: int) -> None:
        self._per_minute = per_minute
        self._times: deque[float] = deque()

    def wait(self, at: float | None = None) -> float:
        """Counts an event now, or returns the seconds until one is allowed.

        Args:
            at: the time in seconds; now by default.
        """
        now = monotonic() if at is None else at
        while self._times and self._times[0] <= now - 60:
            self._times.popleft()
        if len(self._times) < self._per_minute:
            self._times.append(now)
            return 0.0
        return 60 - (now - self._times[0])


class Allowances:
    """Counts what people ask and what it costs, against their limits.

    Args:
        users: the people; anybody else has the limits of the person at this machine.
        spent: what models have cost today, in dollars by person.
    """

    def __init__(self, users: Mapping[str, User], spent: Mapping[str, float] | None = None) -> None:
        self._users = users
        self._rates: dict[str, RateLimit] = {}
        self._spent = {(name, today()): dollars for name, dollars in (spent or {}).items()}

    def count(self, person: str) -> None:
        """Counts a question or a call of a tool.

        Raises:
            LimitError: a limit is reached.
        """
        self.check_dollars(person)
        if person not in self._rates:
            user = self._users.get(person)
            self._rates[person] = RateLimit(user.questions_per_minute if user else _LOCAL_RATE)
        if seconds := self._rates[person].wait():
            raise LimitError(f"You ask too fast; wait {ceil(seconds)} s.", seconds)

    def check_dollars(self, person: str) -> None:
        """Refuses a person whose models have cost as much as they may in a day.

        Raises:
            LimitError: the limit is reached.
        """
        user = self._users.get(person)
        limit = user.dollars_per_day if user else None
        if limit is not None and self._spent.get((person, today()), 0.0) >= limit:
            problem = f"Your limit of {limit:g} dollars a day is reached; ask tomorrow."
            raise LimitError(problem, _seconds_of_today())

    def spend(self, person: str, dollars: float) -> None:
        """Counts what models have cost."""
        day = today()
        self._spent[person, day] = self._spent.get((person, day), 0.0) + dollars


def cost_of(costs: Iterable[float | None]) -> float:
    """The known part of costs."""
    return sum(cost for cost in costs if cost is not None)


def today() -> date:
    """The day in UTC, for which costs are counted."""
    return datetime.now(UTC).date()


def _seconds_of_today() -> float:
    """The time until the next day."""
    now = datetime.now(UTC)
    return (now.replace(hour=0, minute=0, second=0) + timedelta(days=1) - now).total_seconds()


def _is_same(first: str, second: str) -> bool:
    return hmac.compare_digest(first, second)
