"""Descendants of a process: their number, threads, memory and end."""

import os

_KILOBYTE = 1024
_ENDED = {"Z", "X"}
_OF_STATUS = ("RssAnon:", "RssShmem:")
_OF_SHARES = ("Pss_Anon:", "Pss_Shmem:")


def descendants(process: int, most: int) -> tuple[list[int], int]:
    """The processes beneath a process, and the number of their threads, counted up to a limit.

    Args:
        process: The process, which is not counted.
        most: Where counting may stop.
    """
    all_descendants: list[int] = []
    waiting, threads = _children(process)[0], 0
    while waiting and threads <= most:
        each = waiting.pop()
        children, tasks = _children(each)
        all_descendants.append(each)
        threads += max(tasks, 1)
        waiting += children
    return all_descendants, threads


def memory(processes: list[int], limit: int) -> int:
    """Bytes of memory that processes hold; shared pages count once if the sum exceeds `limit`.

    Shared memory counts while it is mapped; programs and files that are read do not.

    Args:
        processes: The processes.
        limit: Bytes up to which shared pages may be counted several times.
    """
    total = sum(_sum(each, "status", _OF_STATUS) for each in processes)
    if total <= limit:
        return total
    shares = ((_sum(each, "smaps_rollup", _OF_SHARES), each) for each in processes)
    # A process may hide its shares, not its status.
    return sum(share or _sum(each, "status", _OF_STATUS) for share, each in shares)


def has_only_zombies(group: int) -> bool:
    """True if all processes of a group have ended, and only wait for their parents to notice.

    The first process of a container may never notice those that it inherits.
    """
    try:
        processes = [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208
    except OSError:  # a system without /proc
        return False
    states = [state for each in processes for state, its in _state_and_group(each) if its == group]
    return bool(states) and set(states) <= _ENDED


def _state_and_group(process: int) -> list[tuple[str, int]]:
    """The state of a process and its group; nothing if it is gone or hidden."""
    try:
        state, _, group, *_ = _text(f"/proc/{process}/stat").rpartition(")")[2].split()
    except OSError:
        return []
    return [(state, int(group))]


def _children(process: int) -> tuple[list[int], int]:
    """The children of a process and the number of its threads; none if it has ended."""
    children: list[int] = []
    threads = 0
    try:
        for thread in os.listdir(f"/proc/{process}/task"):  # noqa: PTH208 - pathlib is slow to import
            threads += 1
            children += map(int, _text(f"/proc/{process}/task/{thread}/children").split())
    except OSError:
        return children, threads
    return children, threads


def _sum(process: int, file: str, names: tuple[str, ...]) -> int:
    """The sum of some lines of a process's file in bytes; 0 if it has ended or hides them."""
    try:
        lines = _text(f"/proc/{process}/{file}").splitlines()
    except OSError:
        return 0
    return _KILOBYTE * sum(int(line.split()[1]) for line in lines if line.startswith(names))


def _text(path: str) -> str:
    with open(path) as file:  # noqa: PTH123 - pathlib is slow to import
        return file.read()
