"""Processes that a process has started, and their memory."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import sleep

import pytest

from wardround.sandbox.process_tree import descendants, has_only_zombies, memory

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
TREE = """
import os, sys, threading, time
if os.fork() == 0:
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    os.write(1, b"up\\n")
    time.sleep(60)
time.sleep(60)
"""
SHARED = """
import mmap, os, sys, time
held = mmap.mmap(-1, 32 << 20)
held.write(b"x" * (32 << 20))
for _ in range(3):
    if os.fork() == 0:
        sum(held[place] for place in range(0, 32 << 20, 4096))
        os.write(1, b"up\\n")
        time.sleep(60)
time.sleep(60)
"""


@contextmanager
def running(script: str, ups: int) -> Iterator[int]:
    """A process that runs a script, once it has said often enough that it is up."""
    process = subprocess.Popen(
        [sys.executable, "-S", "-c", script], stdout=subprocess.PIPE, start_new_session=True
    )
    assert process.stdout is not None
    with process.stdout as output:
        for _ in range(ups):
            assert output.readline() == b"up\n"
        yield process.pid
        os.killpg(process.pid, 9)
        process.wait()


def test_children_of_children_and_their_threads_are_counted() -> None:
    before = descendants(os.getpid(), 1000)[1]
    with running(TREE, 1) as first:
        processes, threads = descendants(os.getpid(), 1000)
        assert first in processes
        assert threads - before == 3
        [child] = descendants(first, 1000)[0]
        assert descendants(first, 1000)[1] == 2
        assert descendants(child, 1000) == ([], 0)
    assert descendants(first, 1000) == ([], 0)


def test_counting_stops_at_the_limit() -> None:
    with running(TREE, 1) as first:
        assert descendants(os.getpid(), 0)[1] >= 1
        assert len(descendants(os.getpid(), 0)[0]) <= len(descendants(os.getpid(), 99)[0])
        assert first in descendants(os.getpid(), 99)[0]


def test_shared_memory_counts_once_where_it_matters() -> None:
    with running(SHARED, 3) as first:
        processes = [first, *descendants(first, 1000)[0]]
        size = 32 << 20
        assert memory(processes, 1 << 40) > 4 * size
        assert size < memory(processes, size) < 2.5 * size


def test_a_process_that_has_ended_holds_nothing() -> None:
    with running(TREE, 1) as first:
        pass
    assert memory([first], 0) == 0


def test_a_group_has_only_zombies_between_its_end_and_the_notice_of_its_parent() -> None:
    with running(TREE, 1) as first:
        [child] = descendants(first, 1000)[0]
        assert not has_only_zombies(first)
        os.kill(child, 9)
        assert not has_only_zombies(first)
        os.kill(first, 9)
        os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
        for _ in range(1000):  # the child ends a little later
            if has_only_zombies(first):
                break
            sleep(0.01)
        assert has_only_zombies(first)
        os.killpg(first, 0)
    assert not has_only_zombies(1 << 30)  # no group
