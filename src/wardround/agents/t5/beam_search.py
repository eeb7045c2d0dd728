"""Beam search with the entropy of each step (Lee et al. 2022, 4.3)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, NamedTuple, Self

import torch

from wardround.agents.t5.model_folder import ModelFolder
from wardround.agents.t5.seq2seq_model import Seq2SeqModel
from wardround.agents.t5.texts import source_text
from wardround.core.errors import UserError

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
