"""Namespaces: a process sees files, processes and networks of its own only, without root."""

import os
import struct
from collections.abc import Iterable, Sequence
from stat import S_ISDIR

from wardround.sandbox.seccomp import number
from wardround.sandbox.system_calls import mount, system_call

_NEW_MOUNTS, _NEW_NAME, _NEW_IPC = 0x20000, 0x04000000, 0x08000000
_NEW_USER, _NEW_PROCESSES, _NEW_NETWORK = 0x10000000, 0x20000000, 0x40000000
_OPEN_TREE, _MOVE_MOUNT, _MOUNT_SETATTR = 428, 429, 442
_CLONE, _RECURSIVE, _EMPTY_PATH, _FROM_EMPTY_PATH = 1, 0x8000, 0x1000, 4
_HERE = -100
_READ_ONLY, _NO_SUID, _NO_DEVICES, _NO_EXECUTION = 1, 2, 4, 8
_PRIVATE, _WHOLE_TREE, _DETACH = 1 << 18, 16384, 2

# The new root is built over a folder that every system has and no agent needs.
_BASE = "/dev"
_DEVICES = ("null", "zero", "full", "random", "urandom")
SCRATCH, SHARED_MEMORY = "/scratch", "/dev/shm"  # noqa: S108 - of the namespace


def enter(*, network: bool) -> None:
    """Leave the user's namespaces; children of this process start in new ones.

    Args:
        network: True to keep the network.

    Raises:
        OSError: The system refused it.
    """
    user, group = os.getuid(), os.getgid()
    flags = _NEW_USER | _NEW_MOUNTS | _NEW_PROCESSES | _NEW_IPC | _NEW_NAME
    system_call(number("unshare"), flags | (0 if network else _NEW_NETWORK))
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1\n"),
        ("gid_map", f"{group} {group} 1\n"),
    ):
        with open(f"/proc/self/{name}", "w") as file:  # noqa: PTH123 - pathlib is slow to import
            file.write(text)


def build_root(
    readable: Sequence[str],
    writable: Sequence[str],
    links: Iterable[tuple[str, str]],
    hidden: Iterable[str],
    scratch_bytes: int,
) -> None:
    """Make a root folder of some files and folders, and remove all others.

    Args:
        readable: Files and folders that are there, read-only with all that is mounted in them.
        writable: Files and folders that are there and can be changed.
        links: Symbolic links with their targets.
        hidden: Paths that are empty.
        scratch_bytes: The size of the scratch folder.

    Raises:
        OSError: The system refused it.
    """
    mount("", "/", "", _WHOLE_TREE | _PRIVATE)
    read = {path: _tree(path, _READ_ONLY | _NO_SUID | _NO_DEVICES) for path in _outer(readable)}
    write = {path: _tree(path, _NO_SUID | _NO_DEVICES) for path in _outer(writable)}
    devices = {f"/dev/{each}": f"/dev/{each}" for each in _DEVICES}
    device_trees = {path: _tree(path, _READ_ONLY | _NO_SUID | _NO_EXECUTION) for path in devices}
    _mount_memory(_BASE, 16 << 20)
    for path, tree in (*read.items(), *write.items(), *device_trees.items()):
        _mount_at(tree, _BASE + path)
    for link, target in links:
        _link(_BASE + link, target)
    _mount_memory(_BASE + SCRATCH, scratch_bytes)
    _mount_memory(_BASE + SHARED_MEMORY, scratch_bytes)
    _mount_processes(_BASE + "/proc")
    _hide([_BASE + path for path in hidden])
    os.chdir(_BASE)
    system_call(number("pivot_root"), b".", b".")
    system_call(number("umount2"), b".", _DETACH)
    _set_attributes(_HERE, b"/", _READ_ONLY, 0)
    os.chdir("/")


def _outer(paths: Iterable[str]) -> list[str]:
    """The paths that exist and are not beneath others."""
    outermost: list[str] = []
    for path in sorted(paths):
        if os.path.exists(path) and not (outermost and path.startswith(outermost[-1] + "/")):  # noqa: PTH110
            outermost.append(path)
    return outermost


def _tree(path: str, attributes: int) -> int:
    """A detached copy of the mounts at a path, with attributes for each of them."""
    flags = _CLONE | _RECURSIVE | os.O_CLOEXEC
    tree = system_call(_OPEN_TREE, _HERE, os.fsencode(path), flags)
    _set_attributes(tree, b"", attributes, _EMPTY_PATH | _RECURSIVE)
    return tree


def _set_attributes(folder: int, path: bytes, attributes: int, flags: int) -> None:
    values = struct.pack("QQQQ", attributes, 0, 0, 0)
    system_call(_MOUNT_SETATTR, folder, path, flags, values, len(values))


def _mount_at(tree: int, at: str) -> None:
    """Mount a tree at a path, which is made as a folder or a file."""
    if not os.path.exists(at):  # noqa: PTH110
        _make_mount_point(at, is_folder=S_ISDIR(os.fstat(tree).st_mode))
    system_call(_MOVE_MOUNT, tree, b"", _HERE, os.fsencode(at), _FROM_EMPTY_PATH)
    os.close(tree)


def _make_mount_point(at: str, *, is_folder: bool) -> None:
    if is_folder:
        os.makedirs(at)  # noqa: PTH103
        return
    os.makedirs(at.rpartition("/")[0], exist_ok=True)  # noqa: PTH103
    os.close(os.open(at, os.O_CREAT | os.O_WRONLY))


def _link(link: str, target: str) -> None:
    """Make a symbolic link, unless a folder that was placed has it."""
    if not os.path.lexists(link):
        os.makedirs(link.rpartition("/")[0], exist_ok=True)  # noqa: PTH103
        os.symlink(target, link)  # noqa: PTH211


def _mount_memory(at: str, size: int) -> None:
    os.makedirs(at, exist_ok=True)  # noqa: PTH103
    mount("tmpfs", at, "tmpfs", _NO_SUID | _NO_DEVICES, f"size={size},nr_inodes=65536,mode=755")


def _mount_processes(at: str) -> None:
    """Mount the processes of the namespace read-only, where the system lets us."""
    os.makedirs(at)  # noqa: PTH103
    try:
        mount("proc", at, "proc", _READ_ONLY | _NO_SUID | _NO_DEVICES | _NO_EXECUTION)
    except OSError:
        os.rmdir(at)  # noqa: PTH106


def _hide(paths: Iterable[str]) -> None:
    """Mount an empty file or folder over each existing path."""
    empty = _BASE + "/.hidden"
    _make_mount_point(empty + "/file", is_folder=False)
    os.mkdir(empty + "/folder")  # noqa: PTH102
    for path in paths:
        if os.path.exists(path):  # noqa: PTH110
            kind = "folder" if os.path.isdir(path) else "file"  # noqa: PTH112
            _mount_at(_tree(f"{empty}/{kind}", _READ_ONLY), path)
