"""Trains an agent before a run's first trial, in a separate process; caches the trained file.

A trainable agent declares a function `train(database, pairs, seed, progress, to)`. A pair source is
an entry point of the group `wardround.pairs`: a function `(database, seed, source)` that returns
questions with their SQL. Agent and source are independent, and during the trials the agent has
access to the trained file only.
"""

import hashlib
import pickle
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeAlias

from wardround import __version__
from wardround.core import plugins
from wardround.core.errors import UserError
from wardround.core.folders import cache_folder
from wardround.core.private_files import make_folder, put_in_place, write_whole
from wardround.core.scratch_folder import ScratchFolder
from wardround.core.url_passwords import with_passwords

Progress: TypeAlias = Callable[[str], None]
# Takes a file of pickled pairs, a database, a seed, the file to write, and a callback for steps.
Trainer: TypeAlias = Callable[[Path, str, int, Path, Progress], None]


@dataclass(frozen=True, slots=True)
class Training:
    """The training of an agent before a run.

    Attributes:
        agent: The agent's name.
        train: Its training function, `module:function`.
        pairs: The pair source: its name, or `NAME=FILE` for one that reads a file or folder.
        seed: The seed of the source and the agent.
        format: The format of the trained file.
        trainer: Trains an agent that is not wardround's own; None for this module's process.
    """

    agent: str
    train: str
    pairs: str = "made"
    seed: int = 1
    format: int = 0
    trainer: Trainer | None = None

    @property
    def source(self) -> str:
        """The name of the pair source."""
        return self.pairs.partition("=")[0]

    @property
    def source_file(self) -> str:
        """The file or folder that the pair source reads; "" for none."""
        return self.pairs.partition("=")[2]


def trained_files(
    training: Training,
    databases: Mapping[str, str],
    fingerprints: Mapping[str, str],
    progress: Progress,
) -> dict[str, Path]:
    """The trained file for each database, by name.

    Args:
        training: The agent, its training function and settings.
        databases: Locations by name.
        fingerprints: Digests of the databases' content by name.
        progress: Called with each step.

    Raises:
        UserError: As `trained_file`.
    """
    return {
        name: trained_file(training, location, fingerprints[name], progress)
        for name, location in databases.items()
    }


def trained_file(training: Training, database: str, fingerprint: str, progress: Progress) -> Path:
    """The file trained on a database's current content; trains only if none is cached.

    Files for the same content from other versions or settings are removed.

    Args:
        training: The agent, its training function and settings.
        database: Its location.
        fingerprint: A digest of its content.
        progress: Called with each step.

    Raises:
        UserError: There are no pairs for this database, or training failed.
    """
    path = _cached_file(training, fingerprint)
    folder = path.parent
    if path.exists():
        progress(f"Trained before: {path}")
        return path
    progress(
        f"No trained file is named: {training.agent} is trained on {training.source!r} pairs once, "
        f"in up to a minute on two cores: {path}"
    )
    make_folder(folder)
    with ScratchFolder(folder) as scratch:
        unfinished = scratch.path / path.name
        _train_in_process(training, database, unfinished, progress)
        # A concurrent run may have put an equal file in place.
        put_in_place(unfinished, path)
    for old in folder.glob(f"{fingerprint}-*.model"):
        if old != path:
            old.unlink(missing_ok=True)
    return path


def is_trained(training: Training, fingerprint: str) -> bool:
    """True if the file trained on a database's current content is cached."""
    return _cached_file(training, fingerprint).exists()


def _cached_file(training: Training, fingerprint: str) -> Path:
    folder = cache_folder() / "trained" / training.agent
    return folder / f"{fingerprint}-{_settings_digest(training)}.model"


def _settings_digest(training: Training) -> str:
    digest = hashlib.sha256(repr((__version__, *_settings(training))).encode())
    for content in _contents(training.source_file):
        digest.update(content)
    return digest.hexdigest()[:12]


def _settings(training: Training) -> tuple[object, ...]:
    return training.agent, training.train, training.pairs, training.seed, training.format


def _contents(source_file: str) -> Iterator[bytes]:
    if not source_file:
        return
    root = Path(source_file)
    try:
        files = sorted(root.iterdir()) if root.is_dir() else [root]
        yield from (path.read_bytes() for path in files if not path.is_dir())
    except OSError as error:
        raise UserError(f"{error.filename} cannot be read ({error.strerror}).") from None


def _train_in_process(training: Training, database: str, to: Path, progress: Progress) -> None:
    """Train in a process that ends with its memory, database and random state.

    The pairs of an agent that is not wardround's own are made in another process, so that it
    cannot see their maker.

    Raises:
        UserError: Raised by the process, or because the process died.
    """
    if training.trainer is None:
        _work_in_process(_train, training, database, to, progress)
        return
    with ScratchFolder() as scratch:
        file = scratch.path / "pairs"
        _work_in_process(_write_pairs, training, database, file, progress)
        training.trainer(file, database, training.seed, to, progress)


def _work_in_process(
    work: Callable[[Connection, Training, str, Path], None],
    training: Training,
    database: str,
    to: Path,
    progress: Progress,
) -> None:
    parent, child = get_context("spawn").Pipe(duplex=False)
    settings = replace(training, trainer=None)
    process = get_context("spawn").Process(
        target=with_passwords(work), args=(child, settings, database, to)
    )
    process.start()
    child.close()
    try:
        for message in _messages(parent):
            if isinstance(message, UserError):
                raise message
            progress(message)
    except KeyboardInterrupt:
        process.terminate()
        raise
    finally:
        parent.close()
        process.join()
    if process.exitcode:
        raise UserError(
            f"Training {training.agent} failed with exit code {process.exitcode}; see the "
            "reason above."
        )


def _messages(pipe: Connection) -> Iterator[str | UserError]:
    """Yields progress and any final error of the process until it closes the pipe."""
    while True:
        try:
            yield pipe.recv()
        except EOFError:
            return


def _train(pipe: Connection, training: Training, database: str, to: Path) -> None:
    with _errors_sent(pipe):
        pairs = _pairs(pipe, training, database)
        train = plugins.implementation(training.train)
        train(database, pairs, training.seed, lambda step: pipe.send(f"{step} …"), to)


def _write_pairs(pipe: Connection, training: Training, database: str, to: Path) -> None:
    with _errors_sent(pipe):
        write_whole(to, pickle.dumps(_pairs(pipe, training, database)))


def _pairs(pipe: Connection, training: Training, database: str) -> Any:
    pairs_of = plugins.load(plugins.PAIR_SOURCES, training.source)
    pipe.send("making questions …")
    return pairs_of(database, training.seed, training.source_file)


@contextmanager
def _errors_sent(pipe: Connection) -> Iterator[None]:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the run ends this process
    try:
        yield
    except UserError as error:
        pipe.send(error)
