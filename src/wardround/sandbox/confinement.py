"""Confinement of untrusted programs: the mechanisms that work here, and the command."""

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from wardround.sandbox import landlock, seccomp

NAMESPACES, LANDLOCK, SECCOMP = "namespaces", "landlock", "seccomp"
# An empty package at the same path: the real one imports more than the process needs.
_START = """
import sys
wardround = sys.modules["wardround"] = type(sys)("wardround")
wardround.__path__ = [sys.argv.pop(1)]
from wardround.sandbox.confined_process import main
main()
"""
_TRIAL_SECONDS = 20


@dataclass(frozen=True, slots=True)
class View:
    """The files of a confined program.

    Attributes:
        readable: Files and folders by their real paths.
        writable: Files and folders that it may change, besides its scratch folder.
        links: Symbolic links that lead to them, with their targets.
        hidden: Paths beneath the readable ones that are left out.
        network: True if IPv4 and IPv6 are allowed.
    """

    readable: tuple[str, ...]
    writable: tuple[str, ...] = ()
    links: tuple[tuple[str, str], ...] = ()
    hidden: tuple[str, ...] = ()
    network: bool = False


@cache
def available() -> tuple[str, ...]:
    """The mechanisms that work here; empty if a program cannot be confined.

    Namespaces count if a process could be set up in them, mounts included.
    """
    if not seccomp.supported() or not _works((SECCOMP,)):
        return ()
    kernel = (LANDLOCK,) if landlock.version() else ()
    spaces = (NAMESPACES,) if _works((NAMESPACES, *kernel, SECCOMP)) else ()
    return (*spaces, *kernel, SECCOMP) if spaces or kernel else ()


def confined_command(
    view: View, command: Sequence[str], scratch: str, mechanisms: Sequence[str]
) -> list[str]:
    """The command that runs a program confined, with the environment that it inherits.

    The process leads a group; the program's processes stay in it or end with the namespace.

    Args:
        view: The files that it sees.
        command: The program by its real path, and its arguments.
        scratch: Its scratch folder; with namespaces, `namespaces.SCRATCH`.
        mechanisms: Those of `available`, or some of them.
    """
    words = [
        f"parent={os.getpid()}",
        f"scratch={scratch}",
        f"landlock={landlock.version() if LANDLOCK in mechanisms else 0}",
        *(["namespaces"] if NAMESPACES in mechanisms else []),
        *(["net"] if view.network else []),
        *(f"read={path}" for path in view.readable),
        *(f"write={path}" for path in view.writable),
        *(f"hidden={path}" for path in view.hidden),
        *(word for link, to in view.links for word in (f"link={link}", f"target={to}")),
    ]
    package = str(Path(__file__).parents[1])
    return [sys.executable, "-I", "-S", "-c", _START, package, *words, "--", *command]


def _works(mechanisms: tuple[str, ...]) -> bool:
    """True if a process can be confined by some mechanisms; it is tried."""
    scratch = "/scratch" if NAMESPACES in mechanisms else "/"
    view = View(("/usr/lib", "/usr/bin"))
    tried = subprocess.run(  # noqa: S603 - our own interpreter
        confined_command(view, (), scratch, mechanisms),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=_TRIAL_SECONDS,
        start_new_session=True,
        env={},
        check=False,
    )
    return tried.returncode == 0
