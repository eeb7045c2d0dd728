"""Waits after provider faults: their length, their total and their announcement."""

import asyncio
from collections.abc import Sequence
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.core.clock import TrialClock
from wardround.models.retry import RetryPolicy, with_retries


class BusyError(Exception):
    def __init__(self, retry_after: float | None = None) -> None:
        self.retry_after = retry_after


class GivenUpError(Exception):
    pass


class Calls:
    """A provider that fails with the given requested waits, then answers."""

    def __init__(self, asked: Sequence[float | None]) -> None:
        self.asked = list(asked)
        self.slept: list[float] = []
        self.lines: list[str] = []

    def ask(self, policy: RetryPolicy, monkeypatch: pytest.MonkeyPatch) -> str:
        async def sleep(seconds: float) -> None:
            self.slept.append(seconds)

        async def answer() -> str:
            if self.asked:
                raise BusyError(self.asked.pop(0))
            return "answer"

        async def whole() -> str:
            result, _ = await with_retries(
                answer,
                policy,
                faults=(BusyError,),
                transient=lambda error: True,
                give_up=lambda failed, stopped: GivenUpError(f"{len(failed)}: {stopped}"),
                waiting=lambda error, wait: self.lines.append(wait),
                seed=lambda: "7",
            )
            return result

        monkeypatch.setattr("wardround.models.retry.asyncio.sleep", sleep)
        return asyncio.run(whole())


@pytest.mark.parametrize("asked", [86400, 301.0, 1e18, float("inf")])
def test_wait_above_the_cap_fails_immediately(
    asked: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = Calls([asked])
    with pytest.raises(GivenUpError, match=r"^1: the next try would be in .* --max-wait is 300$"):
        calls.ask(RetryPolicy(5), monkeypatch)
    assert calls.slept == []


def test_waits_together_stay_below_the_cap(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = Calls([100.0] * 9)
    with pytest.raises(GivenUpError, match="of waiting"):
        calls.ask(RetryPolicy(50), monkeypatch)
    assert 200 <= sum(calls.slept) <= 300


@given(
    st.lists(st.one_of(st.none(), st.floats(allow_nan=True, allow_infinity=True)), max_size=40),
    st.floats(0, 1000),
    st.floats(0, 100),
)
def test_no_sequence_of_faults_waits_longer_than_the_cap(
    asked: list[float | None], most: float, first: float
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        calls = Calls(asked)
        try:
            calls.ask(RetryPolicy(100, first, most), patch)
        except GivenUpError:
            assert calls.asked != asked
    assert sum(calls.slept) <= most * (1 + 1e-9)
    assert all(wait >= 0 for wait in calls.slept)


def test_long_waits_are_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = Calls([20.0, None, 0.0])
    assert calls.ask(RetryPolicy(5, 0.0), monkeypatch) == "answer"
    assert calls.lines == ["20 s"]


async def test_waits_do_not_count_as_trial_time() -> None:
    numbers = count()

    async def answer() -> str:
        if next(numbers) < 3:
            raise BusyError(0.1)
        return "answer"

    async with TrialClock(0.2).running():
        result, retries = await with_retries(
            answer,
            RetryPolicy(5, 0.0),
            faults=(BusyError,),
            transient=lambda error: True,
            give_up=lambda failed, stopped: GivenUpError(),
            waiting=lambda error, wait: None,
            seed=lambda: "7",
        )
    assert (result, retries) == ("answer", 3)
