"""Turning texts into vectors whose angle says how alike in meaning the texts are."""

import logging
import os
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from wardround.core.errors import UserError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_GROUP = "wardround.embedders"


class Embedder(Protocol):
    """What an embedder has to offer; installed ones are found by entry point."""

    @property
    def name(self) -> str:
        """Names the embedder and its version: indexes of another name are built anew."""

    def encode(self, texts: list[str]) -> "NDArray[np.float32]":
        """Vectors of length 1 (or 0 for a text without content), shape (texts, dimensions)."""


class WordLlamaEmbedder:
    """The embedder that needs no network: its weights come with the `wordllama` package."""

    name = "wordllama-l2-supercat-256"

    def encode(self, texts: list[str]) -> "NDArray[np.float32]":
        """Vectors of 256 dimensions: the mean of the vectors of a text's word pieces."""
        import numpy as np

        vectors: NDArray[np.float32] = _word_llama().embed(texts)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors /= np.maximum(lengths, np.float32(1e-12))
        return vectors


def find_embedder(name: str) -> Embedder:
    """The embedder installed under that name in the entry-point group `wardround.embedders`.

    Raises:
        UserError: If none is installed under it; the message lists those that are.
    """
    installed = {point.name: point for point in entry_points(group=_GROUP)}
    if name not in installed:
        known = ", ".join(sorted(installed)) or "none"
        raise UserError(f"There is no embedder {name!r}; installed are: {known}.")
    return cast("Embedder", installed[name].load()())


@cache
def _word_llama() -> Any:
    # A query is a few words: a pool of threads costs its tokenizer more than it saves.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    # Its import sets up logging for the whole program, unless somebody has done so before.
    somebody = logging.NullHandler()
    logging.getLogger().addHandler(somebody)
    try:
        import wordllama
    finally:
        logging.getLogger().removeHandler(somebody)
    # Without these it asks a model hub first, even for the weights that it carries.
    folder = Path(wordllama.__file__).parent
    return wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
