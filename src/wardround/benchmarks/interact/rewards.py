"""What a trial of BIRD-Interact earns, from 0 to 1 (F.2)."""

from collections.abc import Sequence
from typing import NamedTuple

_CONVERSATION = {1: (0.7, 0.5), 2: (0.3, 0.2)}
_ACTIONS = {1: 0.7, 2: 0.3}


class Try(NamedTuple):
    """One submission: for which of the two requests, and whether it passed."""

    stage: int
    passed: bool


def reward_of_conversation(tries: Sequence[Try]) -> float:
    """c-Interact: 0.7 and 0.3, or 0.5 and 0.2 where it took the second try.

    >>> reward_of_conversation([Try(1, False), Try(1, True), Try(2, True)])
    0.8
    """
    return round(sum(_earned(tries, stage) for stage in _CONVERSATION), 3)


def reward_of_actions(tries: Sequence[Try]) -> float:
    """a-Interact: 0.7 for the first request, 1.0 for both, however often they were tried.

    >>> reward_of_actions([Try(1, False), Try(1, False), Try(1, True)])
    0.7
    """
    passed = {stage for stage, right in tries if right}
    return round(sum(_ACTIONS[stage] for stage in _ACTIONS if stage in passed), 3)


def _earned(tries: Sequence[Try], stage: int) -> float:
    results = [passed for of, passed in tries if of == stage]
    first, second = _CONVERSATION[stage]
    if True not in results:
        return 0.0
    return first if results[0] else second
