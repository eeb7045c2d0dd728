"""Answers a question by one decoding, or abstains."""

from math import exp

from wardround.agents.t5.batched_decoder import BatchedDecoder
from wardround.agents.t5.texts import NULL
from wardround.core.actions import Action, Call, Observation


class T5Agent:
    """Submits what the model writes, unless its entropy is above the threshold."""

    def __init__(self, decoder: BatchedDecoder, threshold: float) -> None:
        self._decoder = decoder
        self._threshold = threshold

    async def act(self, observation: Observation) -> Action:
        """Submit or abstain; the confidence falls from 1 as the entropy grows from 0."""
        decoded = await self._decoder.decode(observation.text)
        confidence = exp(-decoded.entropy)
        if decoded.sql == NULL:
            return Call("abstain", {"reason": "the model writes null", "confidence": confidence})
        if decoded.entropy > self._threshold:
            reason = f"entropy {decoded.entropy:.3f} is above {self._threshold:.3f}"
            return Call("abstain", {"reason": reason, "confidence": 1 - confidence})
        return Call("submit_sql", {"query": decoded.sql, "confidence": confidence})
