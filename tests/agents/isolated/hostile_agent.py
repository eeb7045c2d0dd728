"""An agent that attacks: it knows where everything is, and reports what it got."""

import ctypes
import errno
import importlib
import json
import mmap
import os
import resource
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wardround.core.actions import Action, Call, Observation

LIBC = ctypes.CDLL(None, use_errno=True)
ATTACKS: dict[str, list[Callable[[dict[str, Any]], object]]] = {}


def attack(kind: str) -> Callable[[Callable[[dict[str, Any]], object]], Any]:
    def add(function: Callable[[dict[str, Any]], object]) -> Any:
        ATTACKS.setdefault(kind, []).append(function)
        return function

    return add


class Hostile:
    async def act(self, observation: Observation) -> Action:
        kind, _, known = observation.text.partition(" ")
        got = {}
        for each in ATTACKS[kind]:
            try:
                result = each(json.loads(known))
            except BaseException:
                continue
            if result:
                got[each.__name__] = str(result)[:200]
        return Call("got", got)


def open_agents(model: object) -> Any:
    return lambda briefing, context: Hostile()


def call(name: int, *arguments: Any) -> int:
    """A system call by its number on x86_64."""
    result: int = LIBC.syscall(ctypes.c_long(name), *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


# It reads what it must not see.


@attack("read")
def files(known: dict[str, Any]) -> object:
    return [text for path in known["secrets"] if (text := _read(path))]


@attack("read")
def listed_suites(known: dict[str, Any]) -> object:
    return [n for n in os.listdir(known["suite_folder"]) if known["names_hidden"]]


@attack("read")
def packaged_suites(known: dict[str, Any]) -> object:
    return importlib.import_module("wardround.benchmarks").__file__


@attack("read")
def packaged_makers(known: dict[str, Any]) -> object:
    return importlib.import_module("wardround.authoring").__file__


@attack("read")
def made_hospital(known: dict[str, Any]) -> object:
    return importlib.import_module("wardround.ehr.hospital.catalogue")


@attack("read")
def links_to_files(known: dict[str, Any]) -> object:
    for number, path in enumerate(known["secrets"]):
        os.symlink(path, f"link{number}")
        if text := _read(f"link{number}"):
            return text
    return None


@attack("read")
def hard_links(known: dict[str, Any]) -> object:
    os.link(known["secrets"][0], "hard")
    return _read("hard")


@attack("read")
def renamed_files(known: dict[str, Any]) -> object:
    os.rename(known["secrets"][0], "moved")
    return True


@attack("read")
def paths_without_access(known: dict[str, Any]) -> object:
    number = os.open(known["secrets"][0], os.O_PATH)
    try:
        return _read(f"/proc/self/fd/{number}")
    finally:
        os.close(number)


@attack("read")
def parent_memory(known: dict[str, Any]) -> object:
    return [
        _read(f"/proc/{known['parent']}/{name}") for name in ("environ", "maps", "cmdline")
    ] != [
        "",
        "",
        "",
    ]


@attack("read")
def parent_memory_by_call(known: dict[str, Any]) -> object:
    return call(101, 16, known["parent"], 0, 0) == 0  # PTRACE_ATTACH


@attack("read")
def memory_of_first_process(known: dict[str, Any]) -> object:
    return os.getpid() != 1 and os.open(f"/proc/{os.getppid()}/mem", os.O_RDWR)


@attack("read")
def other_descriptors(known: dict[str, Any]) -> object:
    found = []
    for number in range(3, 256):
        try:
            target = os.fstat(number)
        except OSError:
            continue
        found.append((number, target.st_ino, target.st_dev))
    return [one for one in found if one[1:] in map(tuple, known["inodes"])]


@attack("read")
def file_behind_the_error_output(known: dict[str, Any]) -> object:
    return os.read(os.open("/proc/self/fd/2", os.O_RDONLY | os.O_NONBLOCK), 30)


@attack("read")
def environment(known: dict[str, Any]) -> object:
    return [n for n, v in os.environ.items() if v in known["values"] or n.startswith("PG")]


@attack("read")
def password_files(known: dict[str, Any]) -> object:
    return _read("/etc/shadow") or _read("/root/.ssh/id_rsa") or _read("/etc/ssl/private")


@attack("read")
def new_namespace(known: dict[str, Any]) -> object:
    return LIBC.unshare(0x10000000) == 0 or LIBC.unshare(0x20000) == 0


@attack("read")
def cloned_namespace(known: dict[str, Any]) -> object:
    pid = call(56, 0x10000000 | 17, 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    return pid


@attack("read")
def unmounted_cover(known: dict[str, Any]) -> object:
    return LIBC.umount2(known["suite_folder"].encode(), 2) == 0


@attack("read")
def keyring(known: dict[str, Any]) -> object:
    return call(250, 0, -3, 1)


@attack("read")
def handles(known: dict[str, Any]) -> object:
    return call(304, -100, ctypes.create_string_buffer(64), 0)


@attack("read")
def x32_numbers(known: dict[str, Any]) -> object:
    return call(0x40000000 + 39)


# It forges the run.


def _path(known: dict[str, Any]) -> str:
    return str(known["run"]) + "/trials.jsonl"


@attack("forge")
def written(known: dict[str, Any]) -> object:
    return Path(_path(known)).write_text("{}") and Path(_path(known)).exists()


@attack("forge")
def appended(known: dict[str, Any]) -> object:
    with open(_path(known), "a") as file:
        return file.write("{}\n")


@attack("forge")
def emptied(known: dict[str, Any]) -> object:
    os.truncate(_path(known), 0)
    return True


@attack("forge")
def emptied_by_opening(known: dict[str, Any]) -> object:
    return os.open(_path(known), os.O_RDONLY | os.O_TRUNC)


@attack("forge")
def emptied_without_access(known: dict[str, Any]) -> object:
    return os.open(_path(known), 3 | os.O_TRUNC)


@attack("forge")
def mode(known: dict[str, Any]) -> object:
    os.chmod(_path(known), 0o777)
    return True


@attack("forge")
def owner(known: dict[str, Any]) -> object:
    os.chown(_path(known), os.getuid(), os.getgid())
    return True


@attack("forge")
def times(known: dict[str, Any]) -> object:
    os.utime(_path(known), (1, 1))
    return True


@attack("forge")
def attributes(known: dict[str, Any]) -> object:
    os.setxattr(_path(known), "user.mark", b"x")
    return True


@attack("forge")
def removed(known: dict[str, Any]) -> object:
    os.unlink(_path(known))
    return True


@attack("forge")
def folder_moved(known: dict[str, Any]) -> object:
    os.rename(known["run"], known["run"] + "x")
    return True


@attack("forge")
def new_file(known: dict[str, Any]) -> object:
    return os.open(known["run"] + "/verdicts.jsonl", os.O_CREAT | os.O_WRONLY)


@attack("forge")
def wardround_itself(known: dict[str, Any]) -> object:
    return os.open(sys.modules["wardround"].__file__ or "", os.O_WRONLY)


@attack("forge")
def own_code(known: dict[str, Any]) -> object:
    return os.open(__file__, os.O_WRONLY)


@attack("forge")
def own_code_replaced(known: dict[str, Any]) -> object:
    Path(__file__ + ".new").write_text("")
    return True


@attack("forge")
def mode_of_own_code(known: dict[str, Any]) -> object:
    os.chmod(__file__, 0o777)
    return True


@attack("forge")
def mode_of_devices(known: dict[str, Any]) -> object:
    os.chmod("/dev/null", 0o666)
    return True


@attack("forge")
def system_settings(known: dict[str, Any]) -> object:
    return os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY)


@attack("forge")
def trigger(known: dict[str, Any]) -> object:
    return os.open("/proc/sysrq-trigger", os.O_WRONLY)


@attack("forge")
def submounts(known: dict[str, Any]) -> object:
    return [os.open(folder + "/x", os.O_CREAT | os.O_WRONLY) for folder in known["mounted"]]


@attack("forge")
def parent_ended(known: dict[str, Any]) -> object:
    os.kill(known["parent"], 0)
    return True


@attack("forge")
def parent_signalled_by_handle(known: dict[str, Any]) -> object:
    signal.pidfd_send_signal(os.pidfd_open(known["parent"]), 0)
    return True


@attack("forge")
def parent_signalled_by_thread(known: dict[str, Any]) -> object:
    return call(234, known["parent"], known["parent"], 0) == 0


@attack("forge")
def parent_queued(known: dict[str, Any]) -> object:
    return call(129, known["parent"], 0, ctypes.create_string_buffer(128)) == 0


@attack("forge")
def parent_signalled_by_file(known: dict[str, Any]) -> object:
    import fcntl

    ours, theirs = socket.socketpair()
    fcntl.fcntl(ours, fcntl.F_SETOWN, known["victim"])
    fcntl.fcntl(ours, 10, signal.SIGKILL)
    fcntl.fcntl(ours, fcntl.F_SETFL, os.O_ASYNC)
    theirs.send(b"x")
    return None  # seen from outside


@attack("forge")
def parent_limits(known: dict[str, Any]) -> object:
    return resource.prlimit(known["parent"], resource.RLIMIT_NOFILE)


@attack("forge")
def parent_priority(known: dict[str, Any]) -> object:
    os.setpriority(os.PRIO_PROCESS, known["parent"], 19)
    return True


@attack("forge")
def parent_processors(known: dict[str, Any]) -> object:
    os.sched_setaffinity(known["parent"], {0})
    return True


@attack("forge")
def leases_on_files_of_the_system(known: dict[str, Any]) -> object:
    import fcntl

    return fcntl.fcntl(os.open("/bin/sh", os.O_RDONLY), fcntl.F_SETLEASE, fcntl.F_RDLCK) == 0


@attack("forge")
def notices_of_changed_folders(known: dict[str, Any]) -> object:
    import fcntl

    signal.signal(signal.SIGIO, signal.SIG_IGN)
    return fcntl.fcntl(os.open("/bin", os.O_RDONLY), fcntl.F_NOTIFY, fcntl.DN_ACCESS) == 0


@attack("forge")
def terminal(known: dict[str, Any]) -> object:
    import fcntl
    import termios

    for number in range(3):
        try:
            fcntl.ioctl(number, termios.TIOCSTI, b"x")
        except OSError as error:
            if error.errno != errno.EPERM:
                return f"{number}: {error}"
    return None


# It logs into databases.


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


# It attacks wardround's own PostgreSQL server.


@attack("server")
def server_socket(known: dict[str, Any]) -> object:
    with socket.socket(socket.AF_UNIX) as client:
        return client.connect_ex(known["sockets"] + "/.s.PGSQL.5432") == 0


@attack("server")
def server_login(known: dict[str, Any]) -> object:
    import psycopg

    for host in (known["sockets"], "127.0.0.1", "localhost"):
        for password in ("", os.environ.get("PGPASSWORD", ""), _read(known["password"])):
            try:
                settings = f"user=wardround dbname=postgres connect_timeout=3 host={host}"
                with psycopg.connect(settings, password=password):
                    return True
            except psycopg.OperationalError:
                continue
    return None


@attack("server")
def server_password(known: dict[str, Any]) -> object:
    return _read(known["password"])


@attack("server")
def server_files(known: dict[str, Any]) -> object:
    return _read(known["data"] + "/pg_hba.conf") or _read(known["data"] + "/global/1260")


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
        if _read(path := f"/proc/{process}/{name}")
    ]


@attack("server")
def server_ended(known: dict[str, Any]) -> object:
    os.kill(known["processes"][0], 0)
    return True


# It calls out.


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
    return call(425, 4, ctypes.create_string_buffer(120))


@attack("network")
def telnet(known: dict[str, Any]) -> object:
    script = f"exec 3<>/dev/tcp/127.0.0.1/{known['port']} && echo yes"
    return subprocess.run(["bash", "-c", script], capture_output=True).stdout


# It leaves something behind.


@attack("stay")
def daemons(known: dict[str, Any]) -> object:
    for way in ("plain", "session", "group"):
        if os.fork() == 0:
            try:
                if way == "session":
                    os.setsid()
                elif way == "group":
                    os.setpgid(0, 0)
            except OSError:
                pass
            if os.fork() == 0:
                for each in range(1, 60):
                    try:
                        signal.signal(each, signal.SIG_IGN)
                    except (OSError, ValueError):
                        continue
                os.execv(sys.executable, [sys.executable, "-S", "-c", SLEEP, known["marker"]])
            os._exit(0)
    time.sleep(0.5)
    return None


SLEEP = "import time, ctypes; ctypes.CDLL(None).prctl(1, 0); time.sleep(600)"


@attack("stay")
def shared_memory(known: dict[str, Any]) -> object:
    return call(29, 0, 1 << 20, 0o1600)  # shmget


@attack("stay")
def message_queue(known: dict[str, Any]) -> object:
    return call(240, b"wardround-left", os.O_CREAT | os.O_RDWR, 0o600, None)


@attack("stay")
def memory_in_no_folder(known: dict[str, Any]) -> object:
    return os.memfd_create("left")


@attack("stay")
def secret_memory(known: dict[str, Any]) -> object:
    return call(447, 0)


@attack("crowd")
def threads(known: dict[str, Any]) -> object:
    threading.stack_size(64 << 10)
    for _ in range(5000):
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
    time.sleep(5)
    return "5000 threads"


@attack("stay")
def memory_files(known: dict[str, Any]) -> object:
    with open("/dev/shm/" + known["marker"], "wb") as file:
        file.write(b"x" * (8 << 20))
    return None  # gone with the namespace


@attack("stay")
def other_folders(known: dict[str, Any]) -> object:
    made = []
    for folder in ("/tmp", "/var/tmp", "/dev/shm", "/run", "/", os.path.expanduser("~root")):
        try:
            Path(folder, known["marker"]).write_text("x")
            made.append(folder)
        except OSError:
            continue
    return [folder for folder in made if folder != "/dev/shm"]


@attack("stay")
def memory(known: dict[str, Any]) -> object:
    held = mmap.mmap(-1, 64 << 20)
    for page in range(0, 64 << 20, 4096):
        held[page] = 1
    return None


@attack("stay")
def dump(known: dict[str, Any]) -> object:
    if (child := os.fork()) == 0:
        os.abort()
    _, status = os.waitpid(child, 0)
    return os.WCOREDUMP(status)


@attack("stay")
def deep_folders(known: dict[str, Any]) -> object:
    for _ in range(3000):
        os.mkdir("d", 0o700)
        os.chdir("d")
    os.mkdir("shut", 0)
    return None


@attack("fill")
def scratch(known: dict[str, Any]) -> object:
    written = 0
    block = b"x" * (1 << 20)
    for number in range(10):
        with open(f"filler{number}", "wb", 0) as file:
            for _ in range(100):
                written += file.write(block)
    time.sleep(1)
    return f"{written >> 20} MB"


def _read(path: str) -> str:
    try:
        return Path(path).read_bytes().decode("latin-1") if os.path.isfile(path) else ""
    except OSError:
        return ""


assert shutil.which("bash")
