"""Time that a provider's fault takes does not count against the trial."""

import asyncio

import pytest

from wardround.core.clock import extend, time_limit


async def lost(seconds: float) -> None:
    extend(seconds)
    await asyncio.sleep(seconds)


async def test_time_given_back_does_not_end_the_trial() -> None:
    async with time_limit(0.1) as clock:
        for _ in range(4):
            await lost(0.06)
    assert not clock.expired()


async def test_time_not_given_back_does() -> None:
    with pytest.raises(TimeoutError):
        async with time_limit(0.05):
            await asyncio.sleep(30)


async def test_trials_at_once_have_clocks_of_their_own() -> None:
    async def trial(generous: bool) -> bool:
        try:
            async with time_limit(0.1):
                if generous:
                    extend(30)
                await asyncio.sleep(0.3)
        except TimeoutError:
            return False
        return True

    assert list(await asyncio.gather(trial(True), trial(False))) == [True, False]


async def test_outside_a_trial_there_is_nothing_to_extend() -> None:
    extend(5)
