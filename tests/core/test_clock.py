"""Time limits and their extensions."""

import asyncio

import pytest

from wardround.core.clock import TrialClock, extend


async def lost(seconds: float) -> None:
    extend(seconds)
    await asyncio.sleep(seconds)


async def test_extended_time_does_not_end_the_trial() -> None:
    clock = TrialClock(0.1)
    async with clock.running():
        for _ in range(4):
            await lost(0.06)
    assert not clock.expired


async def test_the_time_between_blocks_counts_and_an_extension_lasts() -> None:
    clock = TrialClock(0.2)
    async with clock.running():
        extend(0.3)
    await asyncio.sleep(0.25)
    async with clock.running():
        await asyncio.sleep(0.01)
    assert not clock.expired
    await asyncio.sleep(0.3)
    with pytest.raises(TimeoutError):
        async with clock.running():
            await asyncio.sleep(30)
    assert clock.expired


async def test_work_shares_the_limit_of_the_block_that_it_is_in() -> None:
    clock = TrialClock(0.05)
    with pytest.raises(TimeoutError):
        async with clock.running():
            await clock.limited(asyncio.sleep(30))
    assert clock.expired


async def test_work_outside_of_a_block_is_limited_by_itself() -> None:
    clock = TrialClock(0.05)
    assert await clock.limited(asyncio.sleep(0, "done")) == "done"
    with pytest.raises(TimeoutError):
        await clock.limited(asyncio.sleep(30))
    assert clock.expired


async def test_time_that_is_not_extended_ends_the_trial() -> None:
    with pytest.raises(TimeoutError):
        async with TrialClock(0.05).running():
            await asyncio.sleep(30)


async def test_concurrent_trials_have_separate_time_limits() -> None:
    async def trial(generous: bool) -> bool:
        try:
            async with TrialClock(0.1).running():
                if generous:
                    extend(30)
                await asyncio.sleep(0.3)
        except TimeoutError:
            return False
        return True

    assert list(await asyncio.gather(trial(True), trial(False))) == [True, False]


async def test_outside_a_trial_there_is_nothing_to_extend() -> None:
    extend(5)
