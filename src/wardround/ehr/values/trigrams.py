"""Which of many texts share rare three-letter pieces with a query: fast, and blind to typos."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from wardround.ehr.values.normal_form import comparable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SEPARATOR = 10  # a newline: no comparable text contains one


@dataclass(frozen=True)
class Trigrams:
    """For each three-byte piece, which texts have it.

    Attributes:
        pieces: The pieces as numbers, ascending; shape (pieces,).
        starts: Where each piece's texts begin in `holders`, and the end; shape (pieces + 1,).
        holders: The places of the texts that have a piece, piece after piece.
    """

    pieces: "NDArray[np.uint32]"
    starts: "NDArray[np.uint32]"
    holders: "NDArray[np.uint32]"

    @classmethod
    def build(cls, texts: list[str]) -> Self:
        """The pieces of the texts."""
        import numpy as np

        pieces, places = _pieces_and_places(texts)
        both = np.sort((pieces.astype(np.uint64) << np.uint64(32)) | places)
        both = both[_beginnings(both)]
        pieces = (both >> np.uint64(32)).astype(np.uint32)
        starts = _beginnings(pieces)
        ends = np.append(starts, len(both)).astype(np.uint32)
        return cls(pieces[starts], ends, both.astype(np.uint32))

    def overlap(self, text: str, count: int) -> "NDArray[np.float32]":
        """How much of the text each of `count` texts shares, 0 to 1; rare pieces weigh more."""
        import numpy as np

        wanted, _ = _pieces_and_places([text])
        found = np.searchsorted(self.pieces, wanted)
        found = np.unique(found[found < len(self.pieces)])
        found = found[np.isin(self.pieces[found], wanted)]
        shared = np.zeros(count, dtype=np.float32)
        for piece in found:
            holders = self.holders[self.starts[piece] : self.starts[piece + 1]]
            shared[holders] += np.log1p(np.float32(count / len(holders)))
        missing = (len(np.unique(wanted)) - len(found)) * np.log1p(np.float32(count))
        return shared / max(float(shared.max(initial=0.0) + missing), 1e-9)


def _beginnings(ascending: "NDArray[Any]") -> "NDArray[np.intp]":
    """Where each distinct value begins; faster than `unique` on what is sorted."""
    import numpy as np

    changes = np.concatenate(([True], ascending[1:] != ascending[:-1]))
    return np.flatnonzero(changes[: len(ascending)])


def _pieces_and_places(texts: list[str]) -> "tuple[NDArray[np.uint32], NDArray[np.uint64]]":
    """Every piece of every text, each text in spaces, and the place of its text."""
    import numpy as np

    joined = "\n".join(f" {comparable(text)} " for text in texts).encode()
    letters = np.frombuffer(joined, dtype=np.uint8).astype(np.uint32)
    places = np.cumsum(letters == _SEPARATOR, dtype=np.uint64)
    first, second, third = letters[:-2], letters[1:-1], letters[2:]
    within = (first != _SEPARATOR) & (second != _SEPARATOR) & (third != _SEPARATOR)
    return ((first << 16) | (second << 8) | third)[within], places[:-2][within]
