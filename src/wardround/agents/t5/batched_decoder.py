"""Questions of trials that run at once, decoded together: a batch costs little more than one."""

import asyncio

from wardround.agents.t5.beam_search import BATCH, Decoded, Decoder


class Together:
    """Collects what is asked while the model is busy, and decodes it as one batch."""

    def __init__(self, decoder: Decoder) -> None:
        self._decoder = decoder
        self._asked: list[tuple[str, asyncio.Future[Decoded]]] = []
        self._work: asyncio.Task[None] | None = None

    async def decode(self, question: str) -> Decoded:
        """The question's SQL with its entropy."""
        answer: asyncio.Future[Decoded] = asyncio.get_running_loop().create_future()
        self._asked.append((question, answer))
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._decode_all())
        return await answer

    async def _decode_all(self) -> None:
        await asyncio.sleep(0)  # trials that begin together ask together
        while self._asked:
            batch, self._asked = self._asked[:BATCH], self._asked[BATCH:]
            questions = [question for question, _ in batch]
            try:
                found = await asyncio.to_thread(self._decoder.decode, questions)
            except Exception as fault:
                for _, answer in batch:
                    if not answer.done():
                        answer.set_exception(fault)
                continue
            for (_, answer), decoded in zip(batch, found, strict=True):
                if not answer.done():  # a trial that was cut off waits no more
                    answer.set_result(decoded)
