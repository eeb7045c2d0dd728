"""Attacks that forge the run or the code that reads it."""

import os
import signal
import sys
from pathlib import Path
from typing import Any

from wardround.assessment.audit.hostile.attack import attack


def _path(targets: dict[str, Any]) -> str:
    return str(targets["run"]) + "/trials.jsonl"


@attack("forge")
def written(targets: dict[str, Any]) -> object:
    return Path(_path(targets)).write_text("{}") and Path(_path(targets)).exists()


@attack("forge")
def appended(targets: dict[str, Any]) -> object:
    with open(_path(targets), "a") as file:
        return file.write("{}\n")


@attack("forge")
def emptied(targets: dict[str, Any]) -> object:
    os.truncate(_path(targets), 0)
    return True


@attack("forge")
def emptied_by_opening(targets: dict[str, Any]) -> object:
    return os.open(_path(targets), os.O_RDONLY | os.O_TRUNC)


@attack("forge")
def emptied_without_access(targets: dict[str, Any]) -> object:
    return os.open(_path(targets), 3 | os.O_TRUNC)


@attack("forge")
def mode(targets: dict[str, Any]) -> object:
    os.chmod(_path(targets), 0o777)
    return True


@attack("forge")
def owner(targets: dict[str, Any]) -> object:
    os.chown(_path(targets), os.getuid(), os.getgid())
    return True


@attack("forge")
def times(targets: dict[str, Any]) -> object:
    os.utime(_path(targets), (1, 1))
    return True


@attack("forge")
def attributes(targets: dict[str, Any]) -> object:
    os.setxattr(_path(targets), "user.mark", b"x")
    return True


@attack("forge")
def removed(targets: dict[str, Any]) -> object:
    os.unlink(_path(targets))
    return True


@attack("forge")
def folder_moved(targets: dict[str, Any]) -> object:
    os.rename(targets["run"], targets["run"] + "x")
    return True


@attack("forge")
def new_file(targets: dict[str, Any]) -> object:
    return os.open(targets["run"] + "/verdicts.jsonl", os.O_CREAT | os.O_WRONLY)


@attack("forge")
def wardround_itself(targets: dict[str, Any]) -> object:
    return os.open(sys.modules["wardround"].__file__ or "", os.O_WRONLY)


@attack("forge")
def own_code(targets: dict[str, Any]) -> object:
    return os.open(targets["code"], os.O_WRONLY)


@attack("forge")
def own_code_replaced(targets: dict[str, Any]) -> object:
    Path(targets["code"] + ".new").write_text("")
    return True


@attack("forge")
def mode_of_own_code(targets: dict[str, Any]) -> object:
    os.chmod(targets["code"], 0o777)
    return True


@attack("forge")
def mode_of_devices(targets: dict[str, Any]) -> object:
    os.chmod("/dev/null", 0o666)
    return True


@attack("forge")
def system_settings(targets: dict[str, Any]) -> object:
    return os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY)


@attack("forge")
def trigger(targets: dict[str, Any]) -> object:
    return os.open("/proc/sysrq-trigger", os.O_WRONLY)


@attack("forge")
def submounts(targets: dict[str, Any]) -> object:
    return [os.open(folder + "/x", os.O_CREAT | os.O_WRONLY) for folder in targets["mounted"]]


@attack("forge")
def leases_on_files_of_the_system(targets: dict[str, Any]) -> object:
    import fcntl

    return fcntl.fcntl(os.open("/bin/sh", os.O_RDONLY), fcntl.F_SETLEASE, fcntl.F_RDLCK) == 0


@attack("forge")
def notices_of_changed_folders(targets: dict[str, Any]) -> object:
    import fcntl

    signal.signal(signal.SIGIO, signal.SIG_IGN)
    return fcntl.fcntl(os.open("/bin", os.O_RDONLY), fcntl.F_NOTIFY, fcntl.DN_ACCESS) == 0
