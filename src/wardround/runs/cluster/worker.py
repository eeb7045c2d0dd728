"""The worker of a run on a node of a cluster; one process each."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wardround.core.errors import UserError
from wardround.core.url_passwords import Passwords, take_passwords
from wardround.runs.cluster.carried_files import Arrival, CarriedFile, Trained, relocated
from wardround.runs.settings import RunSettings
from wardround.runs.trials import Trials
from wardround.runs.workers import Job, carry_out

if TYPE_CHECKING:
    from wardround.runs.open_run import OpenRun


@dataclass(frozen=True, slots=True)
class Assignment:
    """The run that a worker takes part in.

    Attributes:
        opener: opens the run's parts with settings, folder and trained files.
        settings: the run's settings.
        folder: the run's folder, which nodes do not have.
        trained: the trained files of the agent by database.
        files: the files that travel.
        identity: the versions, databases, agent and confinement that the worker must have too.
        passwords: the passwords of databases, which no file holds.
    """

    opener: Callable[[RunSettings, Path, Trained], "AbstractContextManager[OpenRun]"]
    settings: RunSettings
    folder: Path
    trained: Trained
    files: Sequence[CarriedFile]
    identity: Mapping[str, Any]
    passwords: Passwords


class ClusterWorker:
    """Plays and judges trials on a node."""

    def __init__(self) -> None:
        self._trials: Trials | None = None
        self._open = AsyncExitStack()
        self._arrival: Arrival | None = None

    async def node(self) -> str:
        """The node's number in the cluster."""
        import ray

        return str(ray.get_runtime_context().get_node_id())

    async def lacks(self, file: CarriedFile) -> bool:
        """Tells if the node lacks a file; then its content has to follow."""
        lacks = not file.node_path.exists()
        self._arrival = Arrival(file) if lacks else None
        return lacks

    async def receive(self, part: str, chunk: bytes) -> None:
        """Takes some bytes of the file that it lacks."""
        if self._arrival:
            self._arrival.add(part, chunk)

    async def received(self) -> None:
        """Puts the file that it lacked in its place.

        Raises:
            UserError: the content has another digest.
        """
        if self._arrival:
            self._arrival.close()

    async def open(self, run: Assignment) -> UserError | None:
        """Opens the run; returns what keeps this node from taking part."""
        take_passwords(run.passwords)
        try:
            settings, trained = relocated(run.settings, run.trained, run.files)
            opened = self._open.enter_context(run.opener(settings, run.folder, trained))
            identity = opened.identity()
            if different := [each for each in identity if identity[each] != run.identity[each]]:
                return UserError(
                    f"A node of the cluster has another {' and '.join(different)} than this "
                    "machine; install the same on all nodes."
                )
            self._trials = await self._open.enter_async_context(opened.trials_here())
        except UserError as error:
            return error
        return None

    async def carry_out(self, job: Job) -> AsyncIterator[tuple[str, Any]]:
        """Plays or judges a trial; yields each verdict, and last the answer or the error."""
        assert self._trials is not None  # noqa: S101 - it was opened
        messages: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()

        def send(kind: str, content: object) -> None:
            messages.put_nowait((kind, content))

        work = asyncio.create_task(carry_out(self._trials, job, send))
        try:
            kind = "verdict"
            while kind == "verdict":
                kind, content = await messages.get()
                yield kind, content
        finally:
            work.cancel()

    async def close(self) -> None:
        """Ends the agent's processes and closes the databases."""
        await self._open.aclose()
