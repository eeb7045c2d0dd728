"""Text embedders; cosine similarity of their vectors approximates similarity of meaning."""

import logging
import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from wardround.core import plugins
from wardround.core.errors import UserError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_GROUP = "wardround.embedders"


class Embedder(Protocol):
    """Interface of an embedder; installed ones are found by entry point."""

    @property
    def name(self) -> str:
        """Name and version of the embedder; indexes of another name are rebuilt."""

    def encode(self, texts: list[str]) -> "NDArray[np.float32]":
        """Unit vectors (zero for a text without content), shape (texts, dimensions)."""


class WordLlamaEmbedder:
    """Offline embedder with the weights packaged in `wordllama`."""

    name = "wordllama-l2-supercat-256"

    def encode(self, texts: list[str]) -> "NDArray[np.float32]":
        """256-dimensional unit vectors: the mean over a text's tokens."""
        import numpy as np

        vectors: NDArray[np.float32] = _word_llama().embed(texts)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors /= np.maximum(lengths, np.float32(1e-12))
        return vectors


def find_embedder(name: str) -> Embedder:
    """The embedder of that name in the entry-point group `wardround.embedders`.

    Raises:
        UserError: If it is not installed; the message lists the installed ones.
    """
    installed = plugins.names(_GROUP)
    if name not in installed:
        listed = ", ".join(installed) or "none"
        raise UserError(f"There is no embedder {name!r}; installed are: {listed}.")
    return cast("Embedder", plugins.load(_GROUP, name)())


@cache
def ordinary_words() -> frozenset[str]:
    """The words that the offline embedder's tokenizer has whole, in lower case.

    They are the most frequent ones; names of drugs are not among them.

    >>> "patient" in ordinary_words(), "naproxen" in ordinary_words()
    (True, False)
    """
    vocabulary = _word_llama().tokenizer.get_vocab()
    pieces = (piece[1:] for piece in vocabulary if piece.startswith("\u2581"))
    return frozenset(piece.lower() for piece in pieces if piece.isalpha() and piece.isascii())


@cache
def _word_llama() -> Any:
    # Queries are a few words, for which the tokenizer's thread pool costs more than it saves.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    # Importing wordllama configures root logging unless a handler is present.
    handler = logging.NullHandler()
    logging.getLogger().addHandler(handler)
    try:
        import wordllama
    finally:
        logging.getLogger().removeHandler(handler)
    # Without these arguments it contacts a model hub first, even for its packaged weights.
    folder = Path(wordllama.__file__).parent
    return wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
