"""Fine-tuning that can be stopped at any time and goes on where it was (EHRSQL G)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import torch

from wardround.agents.t5.language import Language, device
from wardround.core.seeds import derive_seed


class Example(NamedTuple):
    """What the model reads, and what it should write."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Schedule:
    """How long and how fast it learns; the defaults are the paper's (Table 11).

    Attributes:
        steps: batches in all.
        batch: examples in a batch.
        length: pieces of a text that are kept.
        rate: the learning rate, the same throughout.
        decay: the weight decay of AdamW.
        clip: the greatest norm of a gradient.
        every: steps between two checkpoints, each with its validation loss.
        seed: what order and dropout are drawn from.
    """

    steps: int = 100_000
    batch: int = 32
    length: int = 512
    rate: float = 0.001
    decay: float = 1.0
    clip: float = 1.0
    every: int = 500
    seed: int = 0


class Loss(NamedTuple):
    """The mean training loss since the last checkpoint, and the validation loss there."""

    step: int
    train: float
    valid: float | None


@dataclass(slots=True)
class Training:
    """A training under way.

    Attributes:
        language: what learns.
        examples: what it learns from, at least one.
        valid: what its loss is measured on beside; may be empty.
        schedule: how.
        checkpoint: the file that it goes on from, if it is there.
        losses: the loss curve so far.
    """

    language: Language
    examples: Sequence[Example]
    valid: Sequence[Example]
    schedule: Schedule
    checkpoint: Path
    losses: list[Loss] = field(default_factory=list)

    def run(
        self,
        told: Callable[[int, float], None] = lambda step, loss: None,
        kept: Callable[[Sequence[Loss]], None] = lambda losses: None,
    ) -> None:
        """Trains to the last step, from the checkpoint on where there is one.

        A training that was stopped ends with the weights of one that was not.

        Args:
            told: hears of each step and its loss.
            kept: hears of the loss curve at each checkpoint.
        """
        model = self.language.model
        learner = torch.optim.AdamW(
            model.parameters(), lr=self.schedule.rate, weight_decay=self.schedule.decay
        )
        done = self._restore(learner)
        since: list[float] = []
        for step in range(done, self.schedule.steps):
            since.append(self._step(learner, step))
            told(step + 1, since[-1])
            if (step + 1) % self.schedule.every == 0 or step + 1 == self.schedule.steps:
                mean = sum(since) / len(since)
                self.losses.append(Loss(step + 1, mean, self._valid_loss()))
                self._keep(learner, step + 1)
                kept(self.losses)
                since = []

    def _step(self, learner: Any, step: int) -> float:
        model = self.language.model.train()
        # A step's dropout depends on nothing but the step, so it is the same after a stop.
        torch.manual_seed(derive_seed(self.schedule.seed, "step", step))
        loss = self._loss([self.examples[number] for number in self._drawn(step)])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), self.schedule.clip)
        learner.step()
        learner.zero_grad()
        return float(loss.detach())

    def _drawn(self, step: int) -> Iterator[int]:
        """The examples of a step: all of them in a new order, time after time."""
        count, batch = len(self.examples), self.schedule.batch
        for place in range(step * batch, (step + 1) * batch):
            yield drawn_order(count, self.schedule.seed, place // count)[place % count]

    def _valid_loss(self) -> float | None:
        if not self.valid:
            return None
        self.language.model.eval()
        size = self.schedule.batch
        parts = [self.valid[start : start + size] for start in range(0, len(self.valid), size)]
        with torch.no_grad():
            losses = [float(self._loss(part)) * len(part) for part in parts]
        return sum(losses) / len(self.valid)

    def _loss(self, examples: Sequence[Example]) -> Any:
        read = self.language.encode([e.source for e in examples], self.schedule.length)
        written = self.language.encode([e.target for e in examples], self.schedule.length)
        labels = written["input_ids"].masked_fill(written["attention_mask"] == 0, -100)
        return self.language.model(**read, labels=labels).loss

    def _restore(self, learner: Any) -> int:
        """The step that the checkpoint was made after, with its weights; 0 without one."""
        if not self.checkpoint.is_file():
            return 0
        kept = torch.load(self.checkpoint, map_location=device(), weights_only=True)
        self.language.model.load_state_dict(kept["model"])
        learner.load_state_dict(kept["learner"])
        self.losses[:] = [Loss(*loss) for loss in kept["losses"]]
        return int(kept["step"])

    def _keep(self, learner: Any, step: int) -> None:
        """Writes a checkpoint, whole or not at all."""
        kept = {
            "model": self.language.model.state_dict(),
            "learner": learner.state_dict(),
            "losses": [tuple(loss) for loss in self.losses],
            "step": step,
        }
        whole = self.checkpoint.with_suffix(".part")
        torch.save(kept, whole)
        whole.replace(self.checkpoint)


@lru_cache(maxsize=2)
def drawn_order(count: int, seed: int, epoch: int) -> tuple[int, ...]:
    """The order of examples in an epoch.

    >>> sorted(drawn_order(4, 0, 7))
    [0, 1, 2, 3]
    """
    return tuple(Random(derive_seed(seed, "epoch", epoch)).sample(range(count), count))
