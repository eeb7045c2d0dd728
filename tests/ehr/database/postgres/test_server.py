"""wardround's own server and others: start, sharing, crashes, leftovers and access."""

import fcntl
import os
import pwd
import shutil
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from time import monotonic, sleep

import pytest

from tests.hospitals import built
from wardround.core.errors import InfraError, UserError
from wardround.ehr.database import QueryError, open_database, write_database
from wardround.ehr.database.postgres.connection import Address, find_address
from wardround.ehr.database.postgres.server import OWNER, PORT, use_server

_PATIENCE = 30

# Makes the data of servers that need not outlive the machine.
_UNSAFE = """
from wardround.ehr.database.postgres import server
server._INITDB += ("--no-sync", "--set=fsync=off")
"""

# Makes a database, writes in a workspace of it, says so, and waits.
_TRIAL = """
import sys, time
from wardround.ehr.database import open_database, write_database
target = write_database("postgresql:small")
if not target.tables():
    target.execute("create table t (a int)")
    target.execute("insert into t values (1)")
target.close()
database = open_database("postgresql:small")
print(database.execute("select count(*) from t").rows, flush=True)
workspace = database.writable()
workspace.execute("insert into t values (2)")
workspace.execute("commit")
print(workspace.execute("select count(*) from t").rows, flush=True)
if "wait" in sys.argv:
    time.sleep(600)
workspace.close()
database.close()
"""


@pytest.fixture
def home() -> Iterator[Path]:
    """A temporary data folder with a separate server, which has not been started."""
    stopped = built("postgresql", _make_server)
    with _data_folder() as folder:
        _copy(stopped, folder / "wardround")
        yield folder


@contextmanager
def _data_folder() -> Iterator[Path]:
    with TemporaryDirectory(prefix="ward") as name, pytest.MonkeyPatch.context() as patch:
        Path(name).chmod(0o711)
        patch.setenv("XDG_DATA_HOME", name)
        yield Path(name)
        # A server must have stopped before its folder is removed.
        _until_stopped(Path(name))


def _make_server(path: Path) -> None:
    """Make the data of a server by its first start."""
    with _data_folder() as folder:
        use_server().leave()
        _until_stopped(folder)
        _copy(folder / "wardround", path)


def _copy(folder: Path, to: Path) -> None:
    """Copy a folder with its owners."""
    subprocess.run(["cp", "-a", folder, to], check=True)


def _folder(home: Path) -> Path:
    (result,) = (home / "wardround" / "postgres").iterdir()
    return result


def _postmaster(home: Path) -> int:
    return int((_folder(home) / "data" / "postmaster.pid").read_text().split()[0])


def _kill_server(home: Path) -> None:
    """Kill it, and wait for its sessions to notice."""
    os.kill(_postmaster(home), signal.SIGKILL)
    with (_folder(home) / "server.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)


def _until_stopped(home: Path) -> None:
    ends = monotonic() + _PATIENCE
    while (_folder(home) / "data" / "postmaster.pid").exists():
        assert monotonic() < ends, "the server is left running"
        sleep(0.02)


def _small() -> None:
    with closing(write_database("postgresql:small")) as target:
        target.execute("create table t (a int)")
        target.execute("insert into t values (1)")


def _left(address: Address) -> list[str]:
    sql = (
        "select datname from pg_database where datname like 'wardround_trial_%'"
        " union all select rolname from pg_roles where rolname like 'wardround_trial_%'"
    )
    with address.maintenance.connect() as owner:
        return [str(row[0]) for row in owner.execute(sql.encode()).fetchall()]


def test_server_stops_with_its_last_user_and_starts_again(home: Path) -> None:
    _small()
    for _ in range(5):
        first, second = use_server(), use_server()
        assert first.sockets == second.sockets
        before = _postmaster(home)
        first.leave()
        assert _postmaster(home) == before
        second.leave()
        second.leave()
    _until_stopped(home)
    with closing(open_database("postgresql:small")) as database:
        assert database.execute("select * from t").rows == [(1,)]


def _refused(sockets: Path, **settings: str) -> bool:
    """True if a program of this account is refused, with the settings of its own."""
    import psycopg

    names = {"host": str(sockets), "port": PORT, "dbname": "postgres", **settings}
    with (
        pytest.raises(psycopg.OperationalError, match="password"),
        psycopg.connect(**names),  # type: ignore[arg-type]
    ):
        pass
    return True


def test_every_role_needs_a_password(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _small()
    monkeypatch.setenv("PGPASSFILE", str(home / "none"))
    with closing(open_database("postgresql:small")) as database:
        address = find_address("postgresql:small")
        with address.maintenance.connect() as owner:
            names = [str(name) for (name,) in owner.execute("select rolname from pg_authid")]
            sql = (
                "select count(*) from pg_authid where rolcanlogin and rolpassword not like 'SCRAM%'"
            )
            assert owner.execute(sql).fetchall() == [(0,)]
        sockets = Path(address.settings["host"])
        assert database.execute("select * from t").rows == [(1,)]
        assert all(_refused(sockets, user=name) for name in names)
        assert _refused(sockets, user=OWNER, password="guess")
        address.leave()
    folder = _folder(home)
    assert (folder / "password").stat().st_mode & 0o777 == 0o600
    for private in (folder, sockets):
        assert private.stat().st_mode & 0o777 == 0o700
    assert (folder / "data" / "pg_hba.conf").read_text() == "local all all scram-sha-256\n"


def test_password_is_in_no_argument_and_no_environment(home: Path) -> None:
    _small()
    with closing(open_database("postgresql:small")):
        password = (_folder(home) / "password").read_bytes()
        for process in Path("/proc").glob("[0-9]*"):
            for name in ("cmdline", "environ"):
                with suppress(OSError):
                    assert password not in (process / name).read_bytes()


def test_settings_of_libpq_do_not_reach_the_own_server(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    passwords = home / "pgpass"
    passwords.write_text("*:*:*:*:from the file\n")
    passwords.chmod(0o600)
    for name, value in {
        "PGPASSWORD": "from the environment",
        "PGPASSFILE": str(passwords),
        "PGPORT": "6543",
        "PGUSER": "somebody",
        "PGHOST": "nowhere",
        "PGDATABASE": "other",
        "PGOPTIONS": "-c search_path=nowhere",
    }.items():
        monkeypatch.setenv(name, value)
    _small()
    with closing(open_database("postgresql:small")) as database:
        assert database.execute("select * from t").rows == [(1,)]


@pytest.mark.parametrize("lost", [("password",), ("password", "access"), ("access",)])
def test_data_of_an_earlier_version_is_kept_and_secured(home: Path, lost: tuple[str, ...]) -> None:
    _small()
    _until_stopped(home)
    folder = _folder(home)
    if "password" in lost:
        (folder / "password").unlink()
    if "access" in lost:
        (folder / "data" / "pg_hba.conf").write_text("local all all peer map=wardround\n")
    with closing(open_database("postgresql:small")) as database:
        assert database.execute("select * from t").rows == [(1,)]
        address = find_address("postgresql:small")
        assert _refused(Path(address.settings["host"]), user=OWNER)
        address.leave()


def test_missing_password_of_a_running_server_is_reported(home: Path) -> None:
    _small()
    with closing(open_database("postgresql:small")):
        (_folder(home) / "password").unlink()
        with pytest.raises(UserError, match="a new one is made once"):
            open_database("postgresql:small")
    _until_stopped(home)
    with closing(open_database("postgresql:small")) as database:
        assert database.execute("select * from t").rows == [(1,)]


def test_dead_server_is_reported_and_restarted(home: Path) -> None:
    _small()
    with closing(open_database("postgresql:small")) as database:
        start = database.fingerprint()
        with closing(database.writable()) as idle, closing(database.writable()) as workspace:
            workspace.execute("insert into t values (2)")
            _kill_server(home)
            with pytest.raises(InfraError, match="broke off"):
                workspace.execute("select count(*) from t")
            with pytest.raises(InfraError, match="lost"):
                idle.execute("select count(*) from t")
            for each in (idle, workspace):
                each.reset()
                assert each.execute("select count(*) from t").rows == [(1,)]
                assert each.fingerprint() == start
        _kill_server(home)
        with pytest.raises(InfraError, match="broke off"):
            database.execute("select count(*) from t")
        assert database.execute("select count(*) from t").rows == [(1,)]
        assert database.fingerprint() == start


def test_crash_recovery_is_waited_for(home: Path) -> None:
    _small()
    with (
        closing(open_database("postgresql:small")) as database,
        closing(database.writable()) as idle,
        closing(database.writable()) as workspace,
    ):
        ((pid,),) = idle.execute("select pg_backend_pid()").rows
        # All sessions end with it, and the server lets nobody in until it has recovered.
        os.kill(int(str(pid)), signal.SIGKILL)
        for each in (idle, workspace):
            with pytest.raises(InfraError):
                each.execute("select pg_sleep(20)")
            each.reset()
            assert each.execute("select count(*) from t").rows == [(1,)]


def test_role_of_a_dropped_database_is_dropped(home: Path) -> None:
    _small()
    open_database("postgresql:small").close()
    with closing(write_database("postgresql:other")) as other:
        roles = "select rolname from pg_roles where rolname like 'wardround_readers_%'"
        ((role,),) = other.query(roles)
        other.execute("DROP DATABASE small")
        other.execute("create table t as select 1 as a")
        open_database("postgresql:other").close()
        assert (role,) not in other.query(roles)
    assert _folder(home).is_dir()


def test_killed_process_leaves_no_server_and_its_clones_are_dropped(home: Path) -> None:
    killed = _trial("wait")
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate()
    _until_stopped(home)
    address = find_address("postgresql:small")
    assert _left(address)
    open_database("postgresql:small").close()
    assert _left(address) == []
    address.leave()


def test_server_outlives_a_killed_process_while_another_uses_it(home: Path) -> None:
    killed = _trial("wait")
    with closing(open_database("postgresql:small")) as database:
        os.kill(killed.pid, signal.SIGKILL)
        killed.communicate()
        for _ in range(20):
            assert database.execute("select * from t").rows == [(1,)]
            sleep(0.01)


def test_server_stops_when_its_keeper_is_killed(home: Path) -> None:
    _small()
    with closing(open_database("postgresql:small")) as database:
        status = Path(f"/proc/{_postmaster(home)}/status")
        if not status.exists():
            pytest.skip("the keeper is found by /proc, and so the server on Linux only")
        os.kill(int(status.read_text().split("PPid:")[1].split()[0]), signal.SIGKILL)
        _until_stopped(home)
        with pytest.raises(InfraError, match="broke off"):
            database.execute("select * from t")
        assert database.execute("select * from t").rows == [(1,)]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_server_of_another_user_than_root() -> None:
    nobody = pwd.getpwnam("nobody")
    with TemporaryDirectory(prefix="ward") as name:
        os.chown(name, nobody.pw_uid, nobody.pw_gid)
        result = subprocess.run(
            [_python_of_all(), "-c", _UNSAFE + _TRIAL],
            env={"XDG_DATA_HOME": name, "PYTHONPATH": os.pathsep.join(sys.path)},
            cwd=name,
            user=nobody.pw_uid,
            group=nobody.pw_gid,
            extra_groups=[],
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.stdout == "[(1,)]\n[(2,)]\n", result.stderr
        assert (_folder(Path(name)) / "data").stat().st_uid == nobody.pw_uid
        _until_stopped(Path(name))


def _python_of_all() -> str:
    """An interpreter like this one that every user can run."""
    result = shutil.which(f"python3.{sys.version_info.minor}", path="/usr/bin:/usr/local/bin")
    return result or pytest.skip("every interpreter here is root's own")


def _trial(*words: str) -> "subprocess.Popen[str]":
    """A process with a trial that has written."""
    process = subprocess.Popen(
        [sys.executable, "-c", _TRIAL, *words], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "[(1,)]\n"
    assert process.stdout.readline() == "[(2,)]\n"
    return process


def test_owner_without_superuser_is_enough(version_15: str) -> None:
    """The role owns the database and may create roles and databases only."""
    with find_address(f"{version_15}postgres").connect() as boss:
        boss.execute("create role clerk login createdb createrole password 'secret'")
    location = version_15.replace("boss:pass%20word%401", "clerk:secret") + "clerks"
    with closing(write_database(location)) as target:
        target.execute("create table t (a serial primary key)")
        target.execute("insert into t values (1)")
    with closing(open_database(location)) as database:
        start = database.fingerprint()
        with closing(database.writable()) as workspace:
            for statements in (["insert into t values (2)"], ["delete from t", "commit"]):
                for statement in statements:
                    workspace.execute(statement)
                assert workspace.fingerprint() != start
                workspace.reset()
                assert workspace.fingerprint() == start
            with pytest.raises(QueryError) as refused:
                workspace.execute("create role mine")
            assert refused.value.kind == "denied"


@pytest.mark.parametrize(
    ("rights", "reason"), [("", "CREATEROLE"), ("createrole", "CREATEDB")], ids=["none", "roles"]
)
def test_missing_privilege_of_the_owner_is_named(version_15: str, rights: str, reason: str) -> None:
    name = f"poor{len(rights)}"
    with find_address(f"{version_15}postgres").connect() as boss:
        boss.execute(f"create role {name} login {rights} password 'secret'".encode())
        boss.execute(f"create database {name} owner {name}".encode())
    location = version_15.replace("boss:pass%20word%401", f"{name}:secret") + name
    with closing(write_database(location)) as target:
        target.execute("create table t (a int)")
    with pytest.raises(UserError, match=reason), closing(open_database(location)) as database:
        database.writable()


def test_older_version_is_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        Thread(target=_pretend_13, args=(listening,), daemon=True).start()
        port = listening.getsockname()[1]
        with pytest.raises(UserError, match="on PostgreSQL 13; 14 or newer is needed"):
            open_database(
                f"postgresql://user@127.0.0.1:{port}/x?sslmode=disable&gssencmode=disable"
            )


def _pretend_13(listening: socket.socket) -> None:
    """Accept a connection as a server of version 13."""
    connection, _ = listening.accept()
    with connection:
        connection.recv(1000)
        connection.sendall(
            _message(b"R", struct.pack("!i", 0))
            + _message(b"S", b"server_version\x0013.4\x00")
            + _message(b"S", b"client_encoding\x00UTF8\x00")
            + _message(b"Z", b"I")
        )
        connection.recv(1000)


def _message(kind: bytes, content: bytes) -> bytes:
    return kind + struct.pack("!i", len(content) + 4) + content


def test_error_about_a_location_hides_its_password(version_15: str) -> None:
    with pytest.raises(UserError) as failed:
        open_database(version_15.replace("pass%20word%401", "guess") + "postgres")
    assert "authentication failed" in str(failed.value)
    for location, item in (
        (f"{version_15}nowhere", "does not exist"),
        ("postgresql://u:hunter2@127.0.0.1:1/x", "refused"),
        ("postgres://u:hunter2@127.0.0.1:1/x", "refused"),
        ("postgresql://u:hunter2@[::1/x", "not well formed"),
        ("postgresql:No Such", "cannot be the name"),
    ):
        with pytest.raises(UserError, match=item) as failed:
            open_database(location)
        assert "hunter2" not in str(failed.value)
        assert "%401" not in str(failed.value)
