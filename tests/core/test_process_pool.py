"""Calls in several processes: their results come in order, and an exception comes through."""

import gc
import operator
import subprocess
import sys
import time
from itertools import count, islice
from pathlib import Path

import pytest

from wardround.core.process_pool import results_in_order

pytestmark = pytest.mark.integration


def test_results_come_in_the_order_of_the_calls() -> None:
    calls = [(number, 3) for number in range(20)]
    expected = [(call, call[0] * call[1]) for call in calls]
    assert list(results_in_order(operator.mul, calls, 2)) == expected


def test_endless_calls_are_made_as_results_are_read() -> None:
    calls = ((number, 1) for number in count())
    found = islice(results_in_order(operator.add, calls, 2), 3)
    assert [result for _, result in found] == [1, 2, 3]


def test_an_exception_reaches_the_reader_after_earlier_results() -> None:
    results = results_in_order(operator.floordiv, [(4, 2), (1, 0), (9, 3)], 2)
    assert next(results) == ((4, 2), 2)
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_workers_collect_garbage_as_seldom_as_their_parent() -> None:
    calls = [("__import__('gc').get_threshold()",)]
    [(_, thresholds)] = results_in_order(eval, calls, 1)
    assert thresholds == gc.get_threshold() != (700, 10, 10)


CALLS = """
from wardround.core.process_pool import results_in_order
calls = [("__import__('os').getpid()",), ("__import__('time').sleep(600)",)]
for _, result in results_in_order(eval, calls, 1):
    print(result, flush=True)
"""


def test_workers_end_when_their_parent_is_killed() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", CALLS], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout
        status = Path(f"/proc/{int(parent.stdout.readline())}/status")
        assert "State:\tZ" not in status.read_text()
        parent.kill()
    for _ in range(600):
        if not status.exists() or "State:\tZ" in status.read_text():
            return
        time.sleep(0.05)
    pytest.fail("The worker lives on.")
