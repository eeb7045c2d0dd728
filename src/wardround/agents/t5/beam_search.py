"""Beam search, and how unsure the model was on the way (EHRSQL 4.3)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, NamedTuple, Self

import torch

from wardround.agents.t5.folder import Trained
from wardround.agents.t5.language import Language
from wardround.agents.t5.texts import source_text
from wardround.core.errors import UserError

BATCH = 16


class Decoded(NamedTuple):
    """What the model wrote, and the highest entropy among its steps, in nats."""

    sql: str
    entropy: float


@dataclass(frozen=True, slots=True)
class Decoder:
    """Writes SQL for questions, one batch at a time.

    Attributes:
        schema: what stands after each question.
        beams: how many beams are searched.
        length: pieces read and written at most.
    """

    language: Language
    schema: str
    beams: int
    length: int
    turn: Lock

    @classmethod
    def open(cls, trained: Trained, beams: int) -> Self:
        """Loads what training left.

        Raises:
            UserError: the folder holds no trained model, or one whose training has not ended.
        """
        schema, length = trained.schema, trained.length
        if not trained.model.is_dir():
            raise UserError(
                f"The training in {trained.folder} has not ended; go on with it by the command "
                "that began it."
            )
        return cls(Language.open(trained.model), schema, beams, length, Lock())

    def decode(self, questions: Sequence[str]) -> list[Decoded]:
        """Each question's SQL with its entropy; any thread may call this."""
        with self.turn, torch.no_grad():
            self.language.model.eval()
            return [
                decoded
                for start in range(0, len(questions), BATCH)
                for decoded in self._batch(questions[start : start + BATCH])
            ]

    def _batch(self, questions: Sequence[str]) -> Iterator[Decoded]:
        sources = [source_text(question, self.schema) for question in questions]
        read = self.language.encode(sources, self.length)
        written = self.language.model.generate(
            **read,
            num_beams=self.beams,
            max_new_tokens=self.length,
            repetition_penalty=1.0,
            length_penalty=1.0,
            do_sample=False,
        )
        entropies = self._entropies(read, written).tolist()
        return map(Decoded, self.language.decode(written), entropies)

    def _entropies(self, read: dict[str, Any], written: Any) -> Any:
        """The highest entropy of each row's steps, up to the one that ends it.

        The model is led along what it wrote, so a step's entropy is that of the choice it had.
        """
        steps = self.language.model(**read, decoder_input_ids=written[:, :-1]).logits
        chances = torch.log_softmax(steps.float(), dim=-1)
        entropies = -(chances.exp() * chances).sum(dim=-1)
        ended = (written[:, 1:] == self.language.tokenizer.eos_token_id).int()
        after_end = (ended.cumsum(dim=1) - ended) > 0
        return entropies.masked_fill(after_end, 0.0).amax(dim=1)
