"""A sequence-to-sequence model with its tokenizer: loaded, or initialized at random."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import (
    AutoModelForSeq2SeqLM,
    AutoTokenizer,
    PreTrainedTokenizerFast,
    T5Config,
    T5ForConditionalGeneration,
)

from wardround.agents.t5.texts import escape, unescape
from wardround.core.errors import UserError

NEW = re.compile(r"new:(\d+)x(\d+)")
VOCABULARY = 4000
PAD, END = "<pad>", "</s>"
HEAD = 64  # width of an attention head, as in every published T5


@dataclass(frozen=True)
class Seq2SeqModel:
    """A model that writes SQL, with its tokenizer."""

    model: Any
    tokenizer: Any

    @classmethod
    def open(cls, named: str | Path) -> Self:
        """Load a model by its name or folder, to the accelerator if there is one.

        Raises:
            UserError: There is none, or it is of another kind.
        """
        try:
            model = AutoModelForSeq2SeqLM.from_pretrained(named)
            tokenizer = AutoTokenizer.from_pretrained(named)
        except (OSError, ValueError) as error:
            first = str(error).splitlines()[0]
            raise UserError(
                f"The model {str(named)!r} cannot be loaded ({first}); name a sequence-to-sequence "
                "model or its folder, or new:LAYERSxWIDTH for one without a past."
            ) from None
        return cls(model.to(device()), tokenizer)

    @classmethod
    def new(cls, layers: int, width: int, texts: Iterable[str], seed: int) -> Self:
        """A T5 with random weights, and a tokenizer trained on texts.

        Args:
            layers: Of the encoder, and of the decoder.
            width: Of the model.
            texts: What it will read and write.
            seed: What its weights are drawn from.
        """
        tokenizer = _tokenizer(texts)
        torch.manual_seed(seed)
        config = T5Config(
            vocab_size=len(tokenizer),
            d_model=width,
            d_kv=min(HEAD, width),
            d_ff=4 * width,
            num_layers=layers,
            num_heads=max(1, width // HEAD),
            pad_token_id=tokenizer.pad_token_id,
            eos_token_id=tokenizer.eos_token_id,
            decoder_start_token_id=tokenizer.pad_token_id,
        )
        return cls(T5ForConditionalGeneration(config).to(device()), tokenizer)

    def encode(self, texts: Sequence[str], length: int) -> dict[str, Any]:
        """Tokenize texts, each truncated to a length in tokens."""
        written = [escape(text, self._has_letter) for text in texts]
        encoded = self.tokenizer(
            written, padding=True, truncation=True, max_length=length, return_tensors="pt"
        )
        return {name: encoded[name].to(device()) for name in ("input_ids", "attention_mask")}

    def decode(self, tokens: Any) -> list[str]:
        """The texts of tokens."""
        texts = self.tokenizer.batch_decode(
            tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        return [unescape(text).strip() for text in texts]

    def save(self, folder: Path) -> None:
        """Save model and tokenizer in the format of `transformers`."""
        self.model.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)

    def _has_letter(self, letter: str) -> bool:
        if letter not in self._known_letters:
            numbers = self.tokenizer(letter, add_special_tokens=False)["input_ids"]
            self._known_letters[letter] = self.tokenizer.unk_token_id not in numbers
        return self._known_letters[letter]

    @cached_property
    def _known_letters(self) -> dict[str, bool]:
        return {}


def device() -> str:
    """The device that models run on."""
    return "cuda" if torch.cuda.is_available() else "cpu"


def _tokenizer(texts: Iterable[str]) -> Any:
    """A byte-level BPE tokenizer; digits are separate tokens, so that numbers can be copied."""
    pieces = Tokenizer(models.BPE())
    pieces.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    pieces.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=[PAD, END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    pieces.train_from_iterator(texts, trainer)
    pieces.post_processor = processors.TemplateProcessing(
        single=f"$A {END}", special_tokens=[(END, pieces.token_to_id(END))]
    )
    return PreTrainedTokenizerFast(tokenizer_object=pieces, pad_token=PAD, eos_token=END)
