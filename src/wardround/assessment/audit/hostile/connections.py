"""Attacks by connections: to databases, wardround's own server, and the network."""

import ctypes
import os
import socket
import sqlite3
import subprocess
from typing import Any

from wardround.assessment.audit.hostile.attack import attack, read_text, system_call


@attack("databases")
def database_file(targets: dict[str, Any]) -> object:
    return sqlite3.connect(targets["database"]).execute("SELECT * FROM gold").fetchall()


@attack("databases")
def database_file_changed(targets: dict[str, Any]) -> object:
    with sqlite3.connect(targets["database"]) as database:
        return database.execute("DELETE FROM gold")


@attack("databases")
def socket_file(targets: dict[str, Any]) -> object:
    with socket.socket(socket.AF_UNIX) as client:
        return client.connect_ex(targets["socket"]) == 0


@attack("databases")
def abstract_socket(targets: dict[str, Any]) -> object:
    with socket.socket(socket.AF_UNIX) as client:
        return client.connect_ex("\0" + targets["abstract"]) == 0


@attack("databases")
def datagram_of_a_pair(targets: dict[str, Any]) -> object:
    ours, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    return ours.sendto(b"x", targets["datagrams"])


@attack("databases")
def stream_of_a_pair(targets: dict[str, Any]) -> object:
    ours, theirs = socket.socketpair()
    theirs.close()
    return ours.connect_ex(targets["socket"]) == 0


@attack("databases")
def local_port(targets: dict[str, Any]) -> object:
    return socket.create_connection(("127.0.0.1", targets["port"]), 2)


@attack("server")
def server_socket(targets: dict[str, Any]) -> object:
    with socket.socket(socket.AF_UNIX) as client:
        return client.connect_ex(targets["sockets"] + "/.s.PGSQL.5432") == 0


@attack("server")
def server_login(targets: dict[str, Any]) -> object:
    import psycopg

    for host in (targets["sockets"], "127.0.0.1", "localhost"):
        for password in ("", os.environ.get("PGPASSWORD", ""), read_text(targets["password"])):
            try:
                settings = f"user=wardround dbname=postgres connect_timeout=3 host={host}"
                with psycopg.connect(settings, password=password):
                    return True
            except psycopg.OperationalError:
                continue
    return None


@attack("server")
def server_password(targets: dict[str, Any]) -> object:
    return read_text(targets["password"])


@attack("server")
def server_files(targets: dict[str, Any]) -> object:
    return read_text(targets["data"] + "/pg_hba.conf") or read_text(
        targets["data"] + "/global/1260"
    )


@attack("server")
def server_started_without_login(targets: dict[str, Any]) -> object:
    command = [targets["program"], "--single", "-D", targets["data"], "postgres"]
    return subprocess.run(command, input=b"select 1\n", capture_output=True).returncode == 0


@attack("server")
def server_memory(targets: dict[str, Any]) -> object:
    names = ("environ", "cmdline", "maps", "cwd/pg_hba.conf", "root/etc/passwd")
    return [
        path
        for process in targets["processes"]
        for name in names
        if read_text(path := f"/proc/{process}/{name}")
    ]


@attack("server")
def server_ended(targets: dict[str, Any]) -> object:
    os.kill(targets["processes"][0], 0)
    return True


@attack("network")
def families(targets: dict[str, Any]) -> object:
    made = []
    for family in range(1, 46):
        for kind in (1, 2, 3, 5):
            try:
                socket.socket(family, kind).close()
                made.append((family, kind))
            except OSError:
                continue
    return made


@attack("network")
def names(targets: dict[str, Any]) -> object:
    return socket.getaddrinfo("example.com", 80)


@attack("network")
def ring(targets: dict[str, Any]) -> object:
    return system_call(425, 4, ctypes.create_string_buffer(120))


@attack("network")
def telnet(targets: dict[str, Any]) -> object:
    script = f"exec 3<>/dev/tcp/127.0.0.1/{targets['port']} && echo yes"
    return subprocess.run(["bash", "-c", script], capture_output=True).stdout
