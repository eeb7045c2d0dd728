"""Decodes the questions of concurrent trials as one batch, which costs little more than one."""

import asyncio

from wardround.agents.t5.beam_search import BATCH, Decoded, Decoder


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
