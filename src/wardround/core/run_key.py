"""The user's key, by which wardround knows the runs that it wrote itself.

It is a file outside all runs, readable by its owner only: `run.key` in the user's state folder, or
the file named by `WARDROUND_RUN_KEY`. Only the process that writes or reads a run holds the key.
"""

import hmac
import os
import secrets
from contextlib import suppress
from pathlib import Path

from wardround.core.errors import UserError
from wardround.core.folders import state_folder
from wardround.core.private_files import make_folder, open_private

_BYTES = 32


def key_path() -> Path:
    """The file of the key."""
    named = os.environ.get("WARDROUND_RUN_KEY")
    return Path(named) if named else state_folder() / "run.key"


def run_key() -> bytes:
    """The user's key, which is made at its first use.

    Raises:
        UserError: the file cannot be written, holds no key, or can be read by other accounts.
    """
    return known_key() or _made(key_path())


def known_key() -> bytes | None:
    """The user's key; None if there is none yet.

    Raises:
        UserError: the file cannot be read, holds no key, or can be read by other accounts.
    """
    path = key_path()
    try:
        with path.open("rb") as file:
            mode, content = os.fstat(file.fileno()).st_mode, file.read(_BYTES * 2 + 2)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UserError(
            f"{path}, the key of your runs, cannot be read ({error.strerror}); repair it, or name "
            "another file in WARDROUND_RUN_KEY."
        ) from None
    if mode & 0o077:
        raise UserError(
            f"{path}, the key of your runs, can be read by other accounts; make it private with "
            f"chmod 600 {path}."
        )
    try:
        key = bytes.fromhex(content.decode("ascii"))
    except ValueError:
        key = b""
    if len(key) != _BYTES:
        raise UserError(
            f"{path} holds no key of runs; restore it, or move it away so that a new one is made "
            "(runs made with the old one are then not verified)."
        )
    return key


def secret_seed(purpose: str) -> int:
    """A seed that is the same each time, and that cannot be known without the key.

    Raises:
        UserError: as `run_key`.
    """
    return int.from_bytes(hmac.digest(run_key(), f"seed {purpose}".encode(), "sha256")[:6])


def _made(path: Path) -> bytes:
    """Makes a key; two processes that do so at once get the same one."""
    new = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    try:
        make_folder(path.parent)
        try:
            with open_private(new, "xb") as file:
                file.write(secrets.token_bytes(_BYTES).hex().encode() + b"\n")
                os.fsync(file.fileno())
            with suppress(FileExistsError):  # made by another process meanwhile
                os.link(new, path)
        finally:
            new.unlink(missing_ok=True)
    except OSError as error:
        raise UserError(
            f"{path}, the key of your runs, cannot be written ({error.strerror}); name another "
            "file in WARDROUND_RUN_KEY."
        ) from None
    return run_key()
