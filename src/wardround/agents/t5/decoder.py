"""Beam search with the entropy of each step, and an agent on it (Lee et al. 2022, 4.3)."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp
from threading import Lock
from typing import Any, NamedTuple, Self

import torch

from wardround.agents.t5.model_folder import ModelFolder
from wardround.agents.t5.seq2seq_model import Seq2SeqModel
from wardround.agents.t5.texts import NULL, source_text
from wardround.core.actions import Action, Observation
from wardround.core.errors import UserError
from wardround.core.task import Briefing

BATCH = 16


class Decoded(NamedTuple):
    """The SQL of a question, and the maximum entropy of its steps, in nats."""

    sql: str
    entropy: float


@dataclass(frozen=True, slots=True)
class Decoder:
    """Writes SQL for questions, one batch at a time.

    Attributes:
        schema: The schema appended to each question.
        beams: The beam width.
        length: How many tokens are read and written at most.
        lock: Held while the model decodes.
    """

    model: Seq2SeqModel
    schema: str
    beams: int
    length: int
    lock: Lock

    @classmethod
    def open(cls, folder: ModelFolder, beams: int) -> Self:
        """Load a fine-tuned model.

        Raises:
            UserError: The folder holds no trained model, or one whose training has not ended.
        """
        schema, length = folder.schema, folder.length
        if not folder.model.is_dir():
            raise UserError(
                f"The training in {folder.path} has not ended; go on with it by the command "
                "that began it."
            )
        return cls(Seq2SeqModel.open(folder.model), schema, beams, length, Lock())

    def decode(self, questions: Sequence[str]) -> list[Decoded]:
        """The SQL of each question; thread-safe."""
        with self.lock, torch.no_grad():
            self.model.model.eval()
            return [
                decoded
                for start in range(0, len(questions), BATCH)
                for decoded in self._batch(questions[start : start + BATCH])
            ]

    def _batch(self, questions: Sequence[str]) -> Iterator[Decoded]:
        sources = [source_text(question, self.schema) for question in questions]
        read = self.model.encode(sources, self.length)
        written = self.model.model.generate(
            **read,
            num_beams=self.beams,
            max_new_tokens=self.length,
            repetition_penalty=1.0,
            length_penalty=1.0,
            do_sample=False,
        )
        entropies = self._entropies(read, written).tolist()
        return map(Decoded, self.model.decode(written), entropies)

    def _entropies(self, read: dict[str, Any], written: Any) -> Any:
        """The maximum entropy of each row's steps, up to its end token.

        Teacher forcing along the output gives the distribution that each step chose from.
        """
        steps = self.model.model(**read, decoder_input_ids=written[:, :-1]).logits
        chances = torch.log_softmax(steps.float(), dim=-1)
        entropies = -(chances.exp() * chances).sum(dim=-1)
        ended = (written[:, 1:] == self.model.tokenizer.eos_token_id).int()
        after_end = (ended.cumsum(dim=1) - ended) > 0
        return entropies.masked_fill(after_end, 0.0).amax(dim=1)


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

    def __init__(self, decoder: BatchedDecoder, threshold: float, briefing: Briefing) -> None:
        self._decoder = decoder
        self._threshold = threshold
        self._submit = briefing.tool("answer_with_query")
        self._abstain = briefing.tool("abstain")

    async def act(self, observation: Observation) -> Action:
        """Submit or abstain; the confidence falls from 1 as the entropy grows from 0."""
        decoded = await self._decoder.decode(observation.text)
        confidence = exp(-decoded.entropy)
        if decoded.sql == NULL:
            return self._abstain.call("the model writes null", confidence=confidence)
        if decoded.entropy > self._threshold:
            reason = f"entropy {decoded.entropy:.3f} is above {self._threshold:.3f}"
            return self._abstain.call(reason, confidence=1 - confidence)
        return self._submit.call(decoded.sql, confidence=confidence)
