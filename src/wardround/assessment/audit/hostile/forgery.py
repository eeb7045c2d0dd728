"""Attacks that forge the run or the code that reads it."""

import os
import signal
import sys
from pathlib import Path
from typing import Any

from wardround.assessment.audit.hostile.attack import attack


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
    return os.open(known["code"], os.O_WRONLY)


@attack("forge")
def own_code_replaced(known: dict[str, Any]) -> object:
    Path(known["code"] + ".new").write_text("")
    return True


@attack("forge")
def mode_of_own_code(known: dict[str, Any]) -> object:
    os.chmod(known["code"], 0o777)
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
def leases_on_files_of_the_system(known: dict[str, Any]) -> object:
    import fcntl

    return fcntl.fcntl(os.open("/bin/sh", os.O_RDONLY), fcntl.F_SETLEASE, fcntl.F_RDLCK) == 0


@attack("forge")
def notices_of_changed_folders(known: dict[str, Any]) -> object:
    import fcntl

    signal.signal(signal.SIGIO, signal.SIG_IGN)
    return fcntl.fcntl(os.open("/bin", os.O_RDONLY), fcntl.F_NOTIFY, fcntl.DN_ACCESS) == 0
