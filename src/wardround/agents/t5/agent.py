"""Answers a question by one decoding, or abstains; concurrent trials are decoded as one batch."""

import asyncio
from math import exp

from wardround.agents.t5.beam_search import BATCH, Decoded, Decoder
from wardround.agents.t5.texts import NULL
from wardround.core.actions import Action, Call, Observation


class BatchedDecoder:
    """Queues questions while the model is busy, and decodes them together."""

    def __init__(self, decoder: Decoder) -> None:
        self._decoder = decoder
        self._queue: list[tuple[str, asyncio.Future[Decoded]]] = []
        self._worker: asyncio.Task[None] | None = None

    async def decode(self, question: str) -> Decoded:
        """The question's SQL with its entropy."""
        result: asyncio.Future[Decoded] = asyncio.get_running_loop().create_future()
        self._queue.append((question, result))
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._decode_all())
        return await result

    async def _decode_all(self) -> None:
        await asyncio.sleep(0)  # let trials that start together queue together
        while self._queue:
            batch, self._queue = self._queue[:BATCH], self._queue[BATCH:]
            questions = [question for question, _ in batch]
            try:
                found = await asyncio.to_thread(self._decoder.decode, questions)
            except Exception as error:
                for _, result in batch:
                    if not result.done():
                        result.set_exception(error)
                continue
            for (_, result), decoded in zip(batch, found, strict=True):
                if not result.done():  # the trial may have been cancelled
                    result.set_result(decoded)


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
