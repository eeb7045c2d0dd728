"""Landlock: a process and its children lose all files that no rule names (Linux 5.13)."""

import os
import struct
import sys
from collections.abc import Iterable, Iterator

from wardround.sandbox.privileges import prctl
from wardround.sandbox.system_calls import system_call

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION, _PATH_BENEATH = 1, 1
_SET_NO_NEW_PRIVILEGES = 38

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_FOLDER = 1, 2, 4, 8
_FIRST_RIGHTS = (1 << 13) - 1
# Rights that later versions added: moving between folders, truncation, ioctl on devices.
_LATER_RIGHTS = {2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
_TRUNCATE = 1 << 14
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE
_BIND_AND_CONNECT, _NETWORK_SINCE = 3, 4
_ABSTRACT_SOCKETS_AND_SIGNALS, _SCOPES_SINCE = 3, 6


def version() -> int:
    """The version of the kernel's landlock; 0 if it has none."""
    if sys.platform != "linux":
        return 0
    try:
        return system_call(_CREATE_RULESET, None, 0, _VERSION)
    except OSError:
        return 0


def restrict(
    readable: Iterable[str],
    writable: Iterable[str],
    *,
    hidden: Iterable[str] = (),
    network: bool,
    version: int,
) -> None:
    """Take all files from this process except some, irrevocably.

    Signals and abstract sockets end at its children where the kernel can do that.

    Args:
        readable: Files and folders that it may read and execute.
        writable: Files and folders that it may change; devices are named as files.
        hidden: Paths beneath the readable ones that it may not read.
        network: False to refuse TCP, where the kernel can do that.
        version: The version of landlock to use.

    Raises:
        OSError: The kernel refused it.
    """
    files = _FIRST_RIGHTS
    for since, right in _LATER_RIGHTS.items():
        files |= right if version >= since else 0
    ports = _BIND_AND_CONNECT if version >= _NETWORK_SINCE and not network else 0
    scopes = _ABSTRACT_SOCKETS_AND_SIGNALS if version >= _SCOPES_SINCE else 0
    size = 24 if version >= _SCOPES_SINCE else 16 if version >= _NETWORK_SINCE else 8
    attributes = struct.pack("QQQ", files, ports, scopes)[:size]
    rules = system_call(_CREATE_RULESET, attributes, size, 0)
    read = _EXECUTE | _READ_FILE | _READ_FOLDER
    for root in readable:
        for path, rights in _around(root, read, [each for each in hidden if _holds(root, each)]):
            _allow(rules, path, rights & files)
    for path in writable:
        _allow(rules, path, files)
    prctl(_SET_NO_NEW_PRIVILEGES, 1)
    system_call(_RESTRICT_SELF, rules, 0)
    os.close(rules)


def _around(root: str, rights: int, hidden: list[str]) -> Iterator[tuple[str, int]]:
    """Rules for a folder that leave out what is hidden in it.

    A rule holds for all that is beneath, so a folder with hidden parts is allowed entry by entry.
    Its own rule gives the names in it, and those in its hidden parts.
    """
    if root in hidden:
        return
    if not hidden:
        yield root, rights
        return
    yield root, rights & _READ_FOLDER
    for entry in os.scandir(root):
        if not entry.is_symlink():
            within = [each for each in hidden if _holds(entry.path, each)]
            yield from _around(entry.path, rights & ~_READ_FOLDER, within)


def _holds(folder: str, path: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _allow(rules: int, path: str, rights: int) -> None:
    try:
        number = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    if not os.path.isdir(path):  # noqa: PTH112 - every agent's process begins here
        rights &= _OF_FILES
    rule = struct.pack("<Qi", rights, number)
    if rights:
        system_call(_ADD_RULE, rules, _PATH_BENEATH, rule, 0)
    os.close(number)
