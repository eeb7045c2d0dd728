"""System-call filters for test programs and for agents, built from `seccomp.tsv`."""

import ctypes
import os
import struct
import sys
from functools import cache

from wardround.sandbox.privileges import prctl

_SET_SECCOMP, _SET_NO_NEW_PRIVILEGES, _FILTER = 22, 38, 2
# seccomp's architecture number, and the column in `seccomp.tsv`, by machine.
_MACHINES = {"x86_64": (0xC000003E, 1), "aarch64": (0xC00000B7, 2)}
_PROGRAMS, _AGENTS = 3, 4
_X32 = 0x40000000  # x86_64's second set of numbers begins here

_LOAD, _AND, _RETURN, _JUMP = 0x20, 0x54, 0x06, 0x05
_EQUAL, _GREATER, _AT_LEAST = 0x15, 0x25, 0x35
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_ALLOW, _REFUSE, _UNKNOWN = 0x7FFF0000, 0x00050001, 0x00050026

_UNIX, _INET, _INET6, _STREAM = 1, 2, 10, 1
_TRUNCATE, _NO_ACCESS = 0o1000, 3
_NEW_NAMESPACES = 0x7E020000
# Typing into a terminal, and changing the attributes of files that were opened for reading.
_IOCTLS = (0x5412, 0x541C, 0x40086602, 0x40046602, 0x401C5820, 0x40087602, 0x40806685, 0x800C6613)
_SET_OWNER_IOCTLS, _SET_OWNER, _LEASE_AND_NOTIFY = (0x8901, 0x8902), (8, 10, 15), (1024, 1026)
# Versions of landlock that know of truncation, and keep signals in.
_TRUNCATION, _SIGNALS = 3, 6

_Code = list[tuple[int, int, int, int]]
# A condition on an argument of a system call: its place, the bits that are compared, the values,
# and True if these are refused, False if only they are allowed.
_Test = tuple[int, int, tuple[int, ...], bool]
_ALL_BITS = 0xFFFFFFFF


def supported() -> bool:
    """True on machines whose system calls can be filtered."""
    known = sys.platform == "linux" and os.uname().machine in _MACHINES
    return known and struct.calcsize("P") == 8


def install(instructions: bytes) -> None:
    """Filter the system calls of this process and its children, irrevocably.

    Raises:
        OSError: The kernel has no such filters.
    """
    buffer = ctypes.create_string_buffer(instructions, len(instructions))
    program = struct.pack("HxxxxxxP", len(instructions) // 8, ctypes.addressof(buffer))
    loaded = ctypes.create_string_buffer(program, len(program))
    prctl(_SET_NO_NEW_PRIVILEGES, 1)
    if prctl(_SET_SECCOMP, _FILTER, ctypes.addressof(loaded)) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def program_filter() -> bytes:
    """The filter of test programs, which refuses all calls that are not allowed."""
    calls = [int(row[_column()]) for row in _rows() if row[_PROGRAMS] == "allowed"]
    code: _Code = []
    for call in calls:
        code += [(_EQUAL, 0, 1, call), (_RETURN, 0, 0, _ALLOW)]
    return _assembled(code, _REFUSE)


def agent_filter(*, network: bool, namespaces: bool, landlock: int) -> bytes:
    """The filter of agents, for the process that will execute the agent.

    Args:
        network: True if IPv4 and IPv6 are allowed.
        namespaces: True if the agent is in namespaces of its own.
        landlock: The version of landlock that restricts it, 0 for none.
    """
    alone = not namespaces
    refused = {
        "refused": True,
        "offline": not network,
        "alone": alone,
        "signals": alone and landlock < _SIGNALS,
        "truncation": alone and landlock < _TRUNCATION,
    }
    tests = _tests(network=network, alone=alone, landlock=landlock)
    numbers = {row[0]: int(row[_column()]) for row in _rows()}
    code: _Code = []
    for row in _rows():
        name, rule = row[0], row[_AGENTS]
        if refused.get(rule):
            code += [(_EQUAL, 0, 1, numbers[name]), (_RETURN, 0, 0, _REFUSE)]
        elif name in tests:
            code += _tested(numbers[name], tests[name])
    # A filter cannot read the flags of `clone3` and `openat2`, and no limit counts the memory of
    # `memfd_create`. Programs fall back on older calls where the system lacks these.
    for name in ("clone3", "memfd_create", *(["openat2"] if alone else [])):
        code += [(_EQUAL, 0, 1, numbers[name]), (_RETURN, 0, 0, _UNKNOWN)]
    code += [(_GREATER, 0, 1, max(numbers.values())), (_RETURN, 0, 0, _UNKNOWN)]
    return _assembled(code, _ALLOW)


def number(name: str) -> int:
    """The number of a system call of the table on this machine."""
    return next(int(row[_column()]) for row in _rows() if row[0] == name)


def _tests(*, network: bool, alone: bool, landlock: int) -> dict[str, list[_Test]]:
    """The conditions on the arguments of an agent's calls."""
    families = (_INET, _INET6) if network else ()
    tests = {
        "socket": [_allowed(0, families)],
        # A stream pair cannot be pointed at another socket, as a datagram socket can.
        "socketpair": [_allowed(0, (_UNIX,)), _allowed(1, (_STREAM,), 0xF)],
        "clone": [_allowed(0, (0,), _NEW_NAMESPACES)],
        "ioctl": [_refused(1, _IOCTLS)],
        # A lease on a file blocks other processes that open it for writing.
        "fcntl": [_refused(1, _LEASE_AND_NOTIFY)],
    }
    if not alone:
        return tests
    tests |= {
        "open": _opening(1, landlock),
        "openat": _opening(2, landlock),
        "prlimit64": [_allowed(0, (0,))],
        "sched_setaffinity": [_allowed(0, (0,))],
    }
    if landlock < _SIGNALS:
        tests["tgkill"] = [_allowed(0, (os.getpid(),))]
        tests["ioctl"] = [_refused(1, (*_IOCTLS, *_SET_OWNER_IOCTLS))]
        tests["fcntl"] = [_refused(1, (*_LEASE_AND_NOTIFY, *_SET_OWNER))]
    return tests


def _opening(flags: int, landlock: int) -> list[_Test]:
    """Conditions on the flags of a file that is opened, by their place."""
    # Landlock checks no file that is opened for neither reading nor writing.
    tests = [_refused(flags, (_NO_ACCESS,), _NO_ACCESS)]
    if landlock < _TRUNCATION:
        tests.append(_refused(flags, (_TRUNCATE,), _TRUNCATE | _NO_ACCESS))
    return tests


def _allowed(argument: int, values: tuple[int, ...], mask: int = _ALL_BITS) -> _Test:
    return argument, mask, values, False


def _refused(argument: int, values: tuple[int, ...], mask: int = _ALL_BITS) -> _Test:
    return argument, mask, values, True


def _tested(call: int, tests: list[_Test]) -> _Code:
    """Instructions that decide a call by its arguments."""
    body: _Code = []
    for argument, mask, values, refused in tests:
        body += [(_LOAD, 0, 0, _ARGUMENTS + 8 * argument), (_AND, 0, 0, mask)]
        # A match jumps over the remaining comparisons, to the refusal or past it.
        skipped = range(len(values), 0, -1)
        body += [(_EQUAL, skip, 0, value) for skip, value in zip(skipped, values, strict=True)]
        body += [(_JUMP, 0, 0, 1)] if refused else []
        body += [(_RETURN, 0, 0, _REFUSE)]
    body += [(_RETURN, 0, 0, _ALLOW)]
    return [(_EQUAL, 0, len(body), call), *body]


def _assembled(code: _Code, otherwise: int) -> bytes:
    """The filter for this machine: other architectures are refused first."""
    machine, _ = _MACHINES[os.uname().machine]
    begin: _Code = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, machine),
        (_RETURN, 0, 0, _REFUSE),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, _REFUSE),
    ]
    whole = [*begin, *code, (_RETURN, 0, 0, otherwise)]
    return b"".join(struct.pack("HBBI", *instruction) for instruction in whole)


@cache
def _rows() -> tuple[list[str], ...]:
    """The calls that this machine has; kept for processes that lose their files."""
    path = os.path.join(os.path.dirname(__file__), "seccomp.tsv")  # noqa: PTH118, PTH120
    with open(path, encoding="utf-8") as file:  # noqa: PTH123 - every agent's process begins here
        rows = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    return tuple(row for row in rows if row[_column()] != "-")


def _column() -> int:
    return _MACHINES[os.uname().machine][1]
