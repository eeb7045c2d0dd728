"""Fine-tuning that can be stopped at any time and resumed (Lee et al. 2022, G)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import torch

from wardround.agents.t5.seq2seq_model import Seq2SeqModel, device
from wardround.core.seeds import derive_seed


class Example(NamedTuple):
    """An input and the output to learn."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Schedule:
    """Length and rates of training; the defaults are the paper's (Table 11).

    Attributes:
        steps: Batches in all.
        batch: Examples in a batch.
        length: Tokens of a text; longer ones are truncated.
        rate: The constant learning rate.
        decay: The weight decay of AdamW.
        clip: The maximum norm of a gradient.
        every: Steps between checkpoints, each with its validation loss.
        seed: The seed of order and dropout.
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
class Trainer:
    """A training in progress.

    Attributes:
        model: The model to train.
        examples: What it learns from, at least one.
        valid: What the validation loss is measured on; may be empty.
        schedule: How long and how fast to train.
        checkpoint: The file to resume from, if it exists.
        losses: The loss curve so far.
    """

    model: Seq2SeqModel
    examples: Sequence[Example]
    valid: Sequence[Example]
    schedule: Schedule
    checkpoint: Path
    losses: list[Loss] = field(default_factory=list)

    def run(
        self,
        progress: Callable[[int, float], None] = lambda step, loss: None,
        save_losses: Callable[[Sequence[Loss]], None] = lambda losses: None,
    ) -> None:
        """Train to the last step, from the checkpoint if there is one.

        A training that was stopped and resumed ends with the same weights as one that was not.

        Args:
            progress: Called with each step and its loss.
            save_losses: Called with the loss curve at each checkpoint.
        """
        model = self.model.model
        optimizer = torch.optim.AdamW(
            model.parameters(), lr=self.schedule.rate, weight_decay=self.schedule.decay
        )
        done = self._restore(optimizer)
        since: list[float] = []
        for step in range(done, self.schedule.steps):
            since.append(self._step(optimizer, step))
            progress(step + 1, since[-1])
            if (step + 1) % self.schedule.every == 0 or step + 1 == self.schedule.steps:
                mean = sum(since) / len(since)
                self.losses.append(Loss(step + 1, mean, self._valid_loss()))
                self._save(optimizer, step + 1)
                save_losses(self.losses)
                since = []

    def _step(self, optimizer: Any, step: int) -> float:
        model = self.model.model.train()
        # Dropout depends on the step alone, so that a resumed training repeats it.
        torch.manual_seed(derive_seed(self.schedule.seed, "step", step))
        loss = self._loss([self.examples[number] for number in self._batch_of(step)])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), self.schedule.clip)
        optimizer.step()
        optimizer.zero_grad()
        return float(loss.detach())

    def _batch_of(self, step: int) -> Iterator[int]:
        """The numbers of a step's examples; each epoch has them in a new order."""
        count, batch = len(self.examples), self.schedule.batch
        for index in range(step * batch, (step + 1) * batch):
            yield epoch_order(count, self.schedule.seed, index // count)[index % count]

    def _valid_loss(self) -> float | None:
        if not self.valid:
            return None
        self.model.model.eval()
        size = self.schedule.batch
        parts = [self.valid[start : start + size] for start in range(0, len(self.valid), size)]
        with torch.no_grad():
            losses = [float(self._loss(part)) * len(part) for part in parts]
        return sum(losses) / len(self.valid)

    def _loss(self, examples: Sequence[Example]) -> Any:
        inputs = self.model.encode([e.source for e in examples], self.schedule.length)
        targets = self.model.encode([e.target for e in examples], self.schedule.length)
        labels = targets["input_ids"].masked_fill(targets["attention_mask"] == 0, -100)
        return self.model.model(**inputs, labels=labels).loss

    def _restore(self, optimizer: Any) -> int:
        """Restore the checkpoint; returns the number of steps done, 0 without one."""
        if not self.checkpoint.is_file():
            return 0
        saved = torch.load(self.checkpoint, map_location=device(), weights_only=True)
        self.model.model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        self.losses[:] = [Loss(*loss) for loss in saved["losses"]]
        return int(saved["step"])

    def _save(self, optimizer: Any, step: int) -> None:
        """Write a checkpoint, whole or not at all."""
        state = {
            "model": self.model.model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "losses": [tuple(loss) for loss in self.losses],
            "step": step,
        }
        unfinished = self.checkpoint.with_suffix(".part")
        torch.save(state, unfinished)
        unfinished.replace(self.checkpoint)


@lru_cache(maxsize=2)
def epoch_order(count: int, seed: int, epoch: int) -> tuple[int, ...]:
    """The order of examples in an epoch.

    >>> sorted(epoch_order(4, 0, 7))
    [0, 1, 2, 3]
    """
    return tuple(Random(derive_seed(seed, "epoch", epoch)).sample(range(count), count))
