"""Actions, observations and grades as Gymnasium's values; texts may be of any script."""

from math import nan
from typing import Any

import gymnasium
import numpy as np
import orjson
from gymnasium.spaces import Box, Dict

from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.trial import Attempt


class AnyText(gymnasium.Space[str]):
    """All texts without lone surrogates; Gymnasium's own `Text` has a finite set of characters."""

    def __init__(self, seed: int | np.random.Generator | None = None) -> None:
        super().__init__(dtype=str, seed=seed)

    @property
    def is_np_flattenable(self) -> bool:
        """False: a text has no fixed size."""
        return False

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """A random text of at most 40 characters of many scripts."""
        points = self.np_random.integers(0x20, 0xD800, size=self.np_random.integers(41))
        return "".join(map(chr, points))

    def contains(self, x: Any) -> bool:
        """True for a text that can be written as UTF-8."""
        return isinstance(x, str) and not any("\ud800" <= sign <= "\udfff" for sign in x)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AnyText)

    __hash__ = None  # type: ignore[assignment]


def observation_space() -> Dict:
    """The space of observations as values."""
    return Dict(text=AnyText(), source=AnyText(), budget=Box(-1.0, 1e9, (), np.float64))


def as_values(observation: Observation) -> dict[str, Any]:
    """An observation in its space; a budget of -1 if actions are free."""
    budget = -1.0 if observation.budget is None else max(0.0, observation.budget)
    return {
        "text": observation.text,
        "source": observation.source,
        "budget": np.array(budget, np.float64),
    }


def graded(last: Attempt) -> tuple[float, dict[str, Any]]:
    """The reward and the information of a trial that is over; NaN if it does not count."""
    reward = next(iter((last.rewards or {}).values()), nan) if last.counts else nan
    # The reason of a fault may hold values of the gold.
    reason = last.reason if last.counts else ""
    return float(reward), {"counts": last.counts, "outcome": str(last.outcome), "reason": reason}


def read_action(text: str) -> Action:
    """The action that a policy wrote; text that is not a call is a message.

    >>> read_action('{"tool": "beds", "arguments": {"ward": "west"}}')
    Call(tool='beds', arguments={'ward': 'west'})
    >>> read_action("Which ward?")
    Say(text='Which ward?')
    """
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return Say(text)
    match value:
        case {"tool": str(tool), "arguments": dict(arguments), **rest} if not rest:
            return Call(tool, arguments)
    return Say(text)
