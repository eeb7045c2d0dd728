"""Attacks that leave something behind or use up the machine."""

import mmap
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

from wardround.assessment.audit.hostile.attack import attack, system_call

SLEEP = "import time, ctypes; ctypes.CDLL(None).prctl(1, 0); time.sleep(600)"


@attack("stay")
def daemons(targets: dict[str, Any]) -> object:
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
                os.execv(sys.executable, [sys.executable, "-S", "-c", SLEEP, targets["marker"]])
            os._exit(0)
    time.sleep(0.5)
    return None


@attack("stay")
def shared_memory(targets: dict[str, Any]) -> object:
    return system_call(29, 0, 1 << 20, 0o1600)  # shmget


@attack("stay")
def message_queue(targets: dict[str, Any]) -> object:
    return system_call(240, b"wardround-left", os.O_CREAT | os.O_RDWR, 0o600, None)


@attack("stay")
def memory_in_no_folder(targets: dict[str, Any]) -> object:
    return os.memfd_create("left")


@attack("stay")
def secret_memory(targets: dict[str, Any]) -> object:
    return system_call(447, 0)


@attack("stay")
def memory_files(targets: dict[str, Any]) -> object:
    with open("/dev/shm/" + targets["marker"], "wb") as file:
        file.write(b"x" * (8 << 20))
    return None  # gone with the namespace


@attack("stay")
def other_folders(targets: dict[str, Any]) -> object:
    made = []
    for folder in ("/tmp", "/var/tmp", "/dev/shm", "/run", "/", os.path.expanduser("~root")):
        try:
            Path(folder, targets["marker"]).write_text("x")
            made.append(folder)
        except OSError:
            continue
    return [folder for folder in made if folder != "/dev/shm"]


@attack("stay")
def memory(targets: dict[str, Any]) -> object:
    block = mmap.mmap(-1, 64 << 20)
    for page in range(0, 64 << 20, 4096):
        block[page] = 1
    return None


@attack("stay")
def dump(targets: dict[str, Any]) -> object:
    if (child := os.fork()) == 0:
        os.abort()
    _, status = os.waitpid(child, 0)
    return os.WCOREDUMP(status)


@attack("stay")
def deep_folders(targets: dict[str, Any]) -> object:
    for _ in range(3000):
        os.mkdir("d", 0o700)
        os.chdir("d")
    os.mkdir("shut", 0)
    return None


@attack("fill")
def scratch(targets: dict[str, Any]) -> object:
    written = 0
    block = b"x" * (1 << 20)
    for number in range(10):
        with open(f"filler{number}", "wb", 0) as file:
            for _ in range(100):
                written += file.write(block)
    time.sleep(1)
    return f"{written >> 20} MB"


@attack("crowd")
def threads(targets: dict[str, Any]) -> object:
    threading.stack_size(64 << 10)
    for _ in range(5000):
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
    time.sleep(5)
    return "5000 threads"
