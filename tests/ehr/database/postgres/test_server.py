"""wardround's own server and others: start, sharing, crashes, leftovers and access."""

import os
import pwd
import shutil
import signal
import socket
import struct
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from time import sleep

import pytest

from tests.ehr.database.postgres.own_server import (
    home,
    kill_server,
    postmaster,
    server_folder,
    until_stopped,
)
from wardround.core.errors import InfraError, UserError
from wardround.ehr.database import QueryError, open_database, write_database
from wardround.ehr.database.postgres.connection import Address, find_address
from wardround.ehr.database.postgres.private_copy import copy_location
from wardround.ehr.database.postgres.server import OWNER, PORT, use_server

__all__ = ["home"]

# Makes the data of servers that need not outlive the machine.
_UNSAFE = """
from wardround.ehr.database.postgres import server
server._INITDB += ("--no-sync", "--set=fsync=off")
"""

# Makes a database, writes in a workspace of it, says so, and waits.
_TRIAL = """
import sys, time
from wardround.ehr.database import open_database, write_database
target = write_database("postgresql:kept")
if not target.tables():
    target.execute("create table t (a int)")
    target.execute("insert into t values (1)")
target.close()
database = open_database("postgresql:kept")
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


def _left(address: Address) -> list[str]:
    sql = (
        "select datname from pg_database where datname like 'wardround_trial_%'"
        " union all select rolname from pg_roles where rolname like 'wardround_trial_%'"
    )
    with address.maintenance.connect() as owner:
        return [str(row[0]) for row in owner.execute(sql.encode()).fetchall()]


def test_server_stops_with_its_last_user_and_starts_again(home: Path) -> None:
    for _ in range(2):
        first, second = use_server(), use_server()
        assert first.sockets == second.sockets
        before = postmaster(home)
        first.leave()
        assert postmaster(home) == before
        second.leave()
        second.leave()
    until_stopped(home)
    with closing(open_database("postgresql:kept")) as database:
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
    monkeypatch.setenv("PGPASSFILE", str(home / "none"))
    with closing(open_database("postgresql:kept")) as database:
        address = find_address("postgresql:kept")
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
    folder = server_folder(home)
    assert (folder / "password").stat().st_mode & 0o777 == 0o600
    for private in (folder, sockets):
        assert private.stat().st_mode & 0o777 == 0o700
    assert (folder / "data" / "pg_hba.conf").read_text() == "local all all scram-sha-256\n"


def test_password_is_in_no_argument_and_no_environment(home: Path) -> None:
    with closing(open_database("postgresql:kept")):
        password = (server_folder(home) / "password").read_bytes()
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
    with closing(open_database("postgresql:kept")) as database:
        assert database.execute("select * from t").rows == [(1,)]


@pytest.mark.parametrize("lost", [("password",), ("password", "access"), ("access",)])
def test_data_of_an_earlier_version_is_kept_and_secured(home: Path, lost: tuple[str, ...]) -> None:
    folder = server_folder(home)
    if "password" in lost:
        (folder / "password").unlink()
    if "access" in lost:
        (folder / "data" / "pg_hba.conf").write_text("local all all peer map=wardround\n")
    with closing(open_database("postgresql:kept")) as database:
        assert database.execute("select * from t").rows == [(1,)]
        address = find_address("postgresql:kept")
        assert _refused(Path(address.settings["host"]), user=OWNER)
        address.leave()


def test_missing_password_of_a_running_server_is_reported(home: Path) -> None:
    with closing(open_database("postgresql:kept")):
        (server_folder(home) / "password").unlink()
        with pytest.raises(UserError, match="a new one is made once"):
            open_database("postgresql:kept")
    until_stopped(home)
    with closing(open_database("postgresql:kept")) as database:
        assert database.execute("select * from t").rows == [(1,)]


def test_dead_server_is_reported_and_restarted(home: Path) -> None:
    with closing(open_database("postgresql:kept")) as database:
        start = database.fingerprint()
        with closing(database.writable()) as idle, closing(database.writable()) as workspace:
            workspace.execute("insert into t values (2)")
            kill_server(home)
            with pytest.raises(InfraError, match="broke off"):
                workspace.execute("select count(*) from t")
            with pytest.raises(InfraError, match="lost"):
                idle.execute("select count(*) from t")
            for each in (idle, workspace):
                each.reset()
                assert each.execute("select count(*) from t").rows == [(1,)]
                assert each.fingerprint() == start
        kill_server(home)
        with pytest.raises(InfraError, match="broke off"):
            database.execute("select count(*) from t")
        assert database.execute("select count(*) from t").rows == [(1,)]
        assert database.fingerprint() == start


def test_a_private_copy_outlives_a_restart_until_the_next_opening(home: Path) -> None:
    with closing(copy_location("postgresql:kept", home)) as copy:
        assert copy.is_there()
        kill_server(home)
        assert copy.is_there()
        open_database("postgresql:kept").close()
        assert copy.is_there()  # the new connection holds it
        kill_server(home)
        open_database("postgresql:kept").close()
        assert not copy.is_there()


def test_crash_recovery_is_waited_for(home: Path) -> None:
    with (
        closing(open_database("postgresql:kept")) as database,
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
    open_database("postgresql:kept").close()
    with closing(write_database("postgresql:other")) as other:
        roles = "select rolname from pg_roles where rolname like 'wardround_readers_%'"
        ((role,),) = other.query(roles)
        other.execute("DROP DATABASE kept")
        other.execute("create table t as select 1 as a")
        open_database("postgresql:other").close()
        assert (role,) not in other.query(roles)
    assert server_folder(home).is_dir()


def test_killed_process_leaves_no_server_and_its_clones_are_dropped(home: Path) -> None:
    killed = _trial("wait")
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate()
    until_stopped(home)
    address = find_address("postgresql:kept")
    assert _left(address)
    open_database("postgresql:kept").close()
    assert _left(address) == []
    address.leave()


def test_server_outlives_a_killed_process_while_another_uses_it(home: Path) -> None:
    killed = _trial("wait")
    with closing(open_database("postgresql:kept")) as database:
        os.kill(killed.pid, signal.SIGKILL)
        killed.communicate()
        for _ in range(20):
            assert database.execute("select * from t").rows == [(1,)]
            sleep(0.01)


def test_server_stops_when_its_keeper_is_killed(home: Path) -> None:
    with closing(open_database("postgresql:kept")) as database:
        status = Path(f"/proc/{postmaster(home)}/status")
        if not status.exists():
            pytest.skip("the keeper is found by /proc, and so the server on Linux only")
        os.kill(int(status.read_text().split("PPid:")[1].split()[0]), signal.SIGKILL)
        until_stopped(home)
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
        assert (server_folder(Path(name)) / "data").stat().st_uid == nobody.pw_uid
        until_stopped(Path(name))


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
