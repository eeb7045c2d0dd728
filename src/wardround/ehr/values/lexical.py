"""Lexical similarity of texts: normal form, fuzzy scores, and a trigram prefilter."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
import unicodedata
from typing import TYPE_CHECKING


def comparable(text: str) -> str:
    """The normal form for comparison: lower case, no accents, single spaces.

    >>> comparable("  Sjögren   SYNDROME ")
    'sjogren syndrome'
    """
    if not text.isascii():
        decomposed = unicodedata.normalize("NFKD", text)
        text = "".join(
            character for character in decomposed if not unicodedata.combining(character)
        )
    return " ".join(text.casefold().split())


# Unrelated phrases share about half their letters in order: rescale this to 0.
_BASELINE = 0.5
# Factor for a query contained in a longer value.
_PARTIAL_MATCH = 0.9
_BETWEEN_WORDS = str.maketrans(dict.fromkeys(",;:()[]", " "))


def lexical_scores(queries: list[str], values: list[str]) -> "NDArray[np.float32]":
    """Lexical similarity of each value to each query, 0 to 1; shape (values, queries).

    >>> lexical_scores(["Fever"], ["fever", "hay fever"]).astype(float).round(2).tolist()
    [[1.0], [0.8]]
    """
    import numpy as np
    from rapidfuzz import fuzz, process

    padded_queries, texts = _padded(queries), _padded(values)
    full_ratio, sorted_words, part = (
        process.cdist(texts, padded_queries, scorer=scorer, dtype=np.float32) / np.float32(100)
        for scorer in (fuzz.ratio, fuzz.token_sort_ratio, fuzz.partial_ratio)
    )
    lengths = np.array([len(text) for text in texts])[:, None]
    can_contain = lengths >= np.array([len(text) for text in padded_queries])
    best = np.maximum(
        np.maximum(full_ratio, sorted_words), np.where(can_contain, part * _PARTIAL_MATCH, 0)
    )
    scores: NDArray[np.float32] = np.clip((best - _BASELINE) / (1 - _BASELINE), 0, 1)
    return scores


def _padded(texts: list[str]) -> list[str]:
    """Texts padded with spaces, to favour matches at word boundaries."""
    return [f" {' '.join(comparable(text).translate(_BETWEEN_WORDS).split())} " for text in texts]


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

        query = np.unique(_trigrams_with_text_index([text])[0])
        positions = np.searchsorted(self.pieces, query)
        positions = positions[positions < len(self.pieces)]
        # Both ascend, so that the first positions are those of the first trigrams.
        positions = positions[self.pieces[positions] == query[: len(positions)]]
        shared = np.zeros(count, dtype=np.float32)
        for position in positions:
            holders = self.holders[self.starts[position] : self.starts[position + 1]]
            shared[holders] += np.log1p(np.float32(count / len(holders)))
        missing = (len(query) - len(positions)) * np.log1p(np.float32(count))
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
