"""`run.json`: the settings of a run with its random id, and the chains of its other files."""

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from wardround.core.errors import UserError
from wardround.core.line_chain import MAC, Chain, Ending
from wardround.core.private_files import write_whole
from wardround.core.run_key import known_key, run_key

SETTINGS, SEAL = "run.json", "seal.json"
TRIALS, TRAJECTORIES, VERDICTS = "trials.jsonl", "trajectories.jsonl", "verdicts.jsonl"
INDEX = "index.sqlite"  # for searching; no part of the run

OF_PEOPLE = "questions of people"  # the source of the tasks of a record of what was served

FORMAT = 3  # incremented with every incompatible change
_READ = (2, FORMAT)  # format 2 is not authenticated

_ID, _KEY = "id", "key"


@dataclass(frozen=True, slots=True)
class Signer:
    """The user's key with the random id of a run that was made with it."""

    key: bytes
    run: str

    def chain(self, name: str, ending: Ending | None = None) -> Chain:
        """The chain of a file of the run, from its start or its end."""
        return Chain(self.key, self.run, name, ending)


@dataclass(frozen=True, slots=True)
class RunDocument:
    """The content of `run.json`.

    Attributes:
        settings: the settings, versions, tasks and databases.
        signer: signs and checks the run's lines; None if the run was made with another key or in
            an older format, so that it cannot be verified.
        genuine: True if the document is as it was written.
    """

    settings: Mapping[str, Any]
    signer: Signer | None
    genuine: bool


def write_document(folder: Path, settings: Mapping[str, Any]) -> None:
    """Writes the `run.json` of a new run."""
    signer = Signer(run_key(), secrets.token_hex(16))
    document = {"format": FORMAT, _ID: signer.run, _KEY: _name_of(signer.key), **settings}
    write_whole(folder / SETTINGS, signer.chain(SETTINGS).signed_document(document))


def read_document(folder: Path) -> RunDocument:
    """Reads and checks `run.json`.

    Raises:
        UserError: the folder is not a run, or its `run.json` is unreadable or of another format.
    """
    path = folder / SETTINGS
    if not path.is_file():
        raise UserError(f"{folder} is not a run: it has no {SETTINGS}; name a run's folder.")
    content = path.read_bytes()
    document = _parsed(path, content)
    if (version := document.pop("format", 1)) not in _READ:
        raise UserError(
            f"{path} has format {version}, and this version of wardround reads format {FORMAT}; "
            "use the version that wrote it, or start a new run."
        )
    run, name = str(document.pop(_ID, "")), document.pop(_KEY, "")
    document.pop(MAC, None)
    key = known_key() if run else None
    if key is None or name != _name_of(key):
        return RunDocument(document, None, False)
    signer = Signer(key, run)
    genuine = signer.chain(SETTINGS).checked_document(content) is not None
    return RunDocument(document, signer, genuine)


def writable_document(folder: Path, *, trust: bool = False) -> RunDocument:
    """Reads the `run.json` of a run that is to be resumed, judged or scored again.

    Args:
        folder: the run.
        trust: accept a run that cannot be verified.

    Raises:
        UserError: the folder is not a run, or its `run.json` was changed or cannot be verified.
    """
    run = read_document(folder)
    if run.signer is None and not trust:
        raise UserError(
            f"{folder} was made with another key or by an older version, so wardround cannot tell "
            "if it was changed; add --trust to take it as it is, and it stays marked as not "
            "verified."
        )
    if run.signer is not None and not run.genuine:
        raise UserError(
            f"{folder / SETTINGS} was changed since wardround wrote it, so nothing can be added to "
            "the run; restore it, or start a new run."
        )
    return run


def _parsed(path: Path, content: bytes) -> dict[str, Any]:
    try:
        document: dict[str, Any] = dict(orjson.loads(content))
    except (orjson.JSONDecodeError, TypeError, ValueError) as error:
        raise UserError(
            f"{path} is not valid JSON ({error}); restore it or start a new run."
        ) from None
    return document


def _name_of(key: bytes) -> str:
    """The name of a key, which distinguishes other users' runs from changed ones."""
    return hmac.digest(key, b"wardround run key", "sha256").hex()[:16]
