"""Trigram index: a fast prefilter for texts that share rare trigrams with a query."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from wardround.ehr.values.normal_form import comparable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SEPARATOR = 10  # newline, which no normalized text contains


@dataclass(frozen=True)
class Trigrams:
    """Inverted index of three-byte trigrams.

    Attributes:
        pieces: The trigrams as numbers, ascending; shape (trigrams,).
        starts: Offsets of each trigram's texts in `holders`, and the end; shape (trigrams + 1,).
        holders: Indexes of the texts with a trigram, trigram after trigram.
    """

    pieces: "NDArray[np.uint32]"
    starts: "NDArray[np.uint32]"
    holders: "NDArray[np.uint32]"

    @classmethod
    def build(cls, texts: list[str]) -> Self:
        """Build the index of the texts."""
        import numpy as np

        pieces, texts_of_pieces = _trigrams_with_text_index(texts)
        both = np.sort((pieces.astype(np.uint64) << np.uint64(32)) | texts_of_pieces)
        both = both[_beginnings(both)]
        pieces = (both >> np.uint64(32)).astype(np.uint32)
        starts = _beginnings(pieces)
        ends = np.append(starts, len(both)).astype(np.uint32)
        return cls(pieces[starts], ends, both.astype(np.uint32))

    def overlap(self, text: str, count: int) -> "NDArray[np.float32]":
        """Share of the text's trigrams in each of `count` texts, 0 to 1, weighted by rarity."""
        import numpy as np

        query, _ = _trigrams_with_text_index([text])
        positions = np.searchsorted(self.pieces, query)
        positions = np.unique(positions[positions < len(self.pieces)])
        positions = positions[np.isin(self.pieces[positions], query)]
        shared = np.zeros(count, dtype=np.float32)
        for position in positions:
            holders = self.holders[self.starts[position] : self.starts[position + 1]]
            shared[holders] += np.log1p(np.float32(count / len(holders)))
        missing = (len(np.unique(query)) - len(positions)) * np.log1p(np.float32(count))
        return shared / max(float(shared.max(initial=0.0) + missing), 1e-9)


def _beginnings(ascending: "NDArray[Any]") -> "NDArray[np.intp]":
    """Offsets of the distinct values of a sorted array; faster than `numpy.unique`."""
    import numpy as np

    changes = np.concatenate(([True], ascending[1:] != ascending[:-1]))
    return np.flatnonzero(changes[: len(ascending)])


def _trigrams_with_text_index(texts: list[str]) -> "tuple[NDArray[np.uint32], NDArray[np.uint64]]":
    """All trigrams of the padded texts, each with the index of its text."""
    import numpy as np

    joined = "\n".join(f" {comparable(text)} " for text in texts).encode()
    letters = np.frombuffer(joined, dtype=np.uint8).astype(np.uint32)
    indexes = np.cumsum(letters == _SEPARATOR, dtype=np.uint64)
    first, second, third = letters[:-2], letters[1:-1], letters[2:]
    within = (first != _SEPARATOR) & (second != _SEPARATOR) & (third != _SEPARATOR)
    return ((first << 16) | (second << 8) | third)[within], indexes[:-2][within]
