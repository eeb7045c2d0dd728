"""Attacks by connections: to databases, wardround's own server, and the network."""

import ctypes
import os
import socket
import sqlite3
import subprocess
from typing import Any

from wardround.assessment.audit.hostile.attack import attack, read_text, system_call


@attack("databases")
def database_file(known: dict[str, Any]) -> object:
    return sqlite3.connect(known["database"]).execute("SELECT * FROM gold").fetchall()


@attack("databases")
def database_file_changed(known: dict[str, Any]) -> object:
    with sqlite3.connect(known["database"]) as database:
        return database.execute("DELETE FROM gold")


@attack("databases")
def socket_file(known: dict[str, Any]) -> object:
    with socket.socket(socket.AF_UNIX) as client:
        return client.connect_ex(known["socket"]) == 0


@attack("databases")
def abstract_socket(known: dict[str, Any]) -> object:
    with socket.socket(socket.AF_UNIX) as client:
        return client.connect_ex("\0" + known["abstract"]) == 0


@attack("databases")
def datagram_of_a_pair(known: dict[str, Any]) -> object:
    ours, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    return ours.sendto(b"x", known["datagrams"])


@attack("databases")
def stream_of_a_pair(known: dict[str, Any]) -> object:
    ours, theirs = socket.socketpair()
    theirs.close()
    return ours.connect_ex(known["socket"]) == 0


@attack("databases")
def local_port(known: dict[str, Any]) -> object:
    return socket.create_connection(("127.0.0.1", known["port"]), 2)


@attack("server")
def server_socket(known: dict[str, Any]) -> object:
    with socket.socket(socket.AF_UNIX) as client:
        return client.connect_ex(known["sockets"] + "/.s.PGSQL.5432") == 0


@attack("server")
def server_login(known: dict[str, Any]) -> object:
    import psycopg

    for host in (known["sockets"], "127.0.0.1", "localhost"):
        for password in ("", os.environ.get("PGPASSWORD", ""), read_text(known["password"])):
            try:
                settings = f"user=wardround dbname=postgres connect_timeout=3 host={host}"
                with psycopg.connect(settings, password=password):
                    return True
            except psycopg.OperationalError:
                continue
    return None


@attack("server")
def server_password(known: dict[str, Any]) -> object:
    return read_text(known["password"])


@attack("server")
def server_files(known: dict[str, Any]) -> object:
    return read_text(known["data"] + "/pg_hba.conf") or read_text(known["data"] + "/global/1260")


@attack("server")
def server_started_without_login(known: dict[str, Any]) -> object:
    command = [known["program"], "--single", "-D", known["data"], "postgres"]
    return subprocess.run(command, input=b"select 1\n", capture_output=True).returncode == 0


@attack("server")
def server_memory(known: dict[str, Any]) -> object:
    names = ("environ", "cmdline", "maps", "cwd/pg_hba.conf", "root/etc/passwd")
    return [
        path
        for process in known["processes"]
        for name in names
        if read_text(path := f"/proc/{process}/{name}")
    ]


@attack("server")
def server_ended(known: dict[str, Any]) -> object:
    os.kill(known["processes"][0], 0)
    return True


@attack("network")
def families(known: dict[str, Any]) -> object:
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
def names(known: dict[str, Any]) -> object:
    return socket.getaddrinfo("example.com", 80)


@attack("network")
def ring(known: dict[str, Any]) -> object:
    return system_call(425, 4, ctypes.create_string_buffer(120))


@attack("network")
def telnet(known: dict[str, Any]) -> object:
    script = f"exec 3<>/dev/tcp/127.0.0.1/{known['port']} && echo yes"
    return subprocess.run(["bash", "-c", script], capture_output=True).stdout
