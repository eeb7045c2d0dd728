"""Results of searches that have more pages: their keys as they were, so that pages do not shift.

A snapshot holds the keys of the versions that matched when the search was made. Later writes change
neither the order nor the number of its pages, and a page shows each resource as it was then.
"""

from array import array
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from threading import Lock

from wardround.ehr.fhir.outcome import FhirError
from wardround.ehr.fhir.search.query import Form

# Keys in all snapshots of a workspace together; the oldest snapshots go first.
MOST_KEYS = 4_000_000


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The result of a search.

    Attributes:
        address: the path of the search, to which links to pages belong.
        matches: the keys of all matches in their order.
        included: keys of resources that the page before had no room for; they come first.
    """

    address: str
    form: Form
    matches: "array[int]"
    included: "array[int]"


def key_list(keys: Iterable[int]) -> "array[int]":
    """Keys in eight bytes each."""
    return array("q", keys)


class Snapshots:
    """The snapshots of a workspace, or of several on several threads, by number."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._snapshots = OrderedDict[int, Snapshot]()
        self._added = 0
        self._keys = 0

    def add(self, snapshot: Snapshot) -> int:
        """Keeps a snapshot, and drops the oldest ones if there are too many keys."""
        with self._lock:
            self._added += 1
            self._snapshots[self._added] = snapshot
            self._keys += size(snapshot)
            while self._keys > MOST_KEYS and len(self._snapshots) > 1:
                _, dropped = self._snapshots.popitem(last=False)
                self._keys -= size(dropped)
            return self._added

    def get(self, number: int) -> Snapshot:
        """The snapshot with a number.

        Raises:
            FhirError: there is none, or it was dropped.
        """
        if snapshot := self._snapshots.get(number):
            return snapshot
        raise FhirError(410, "not-found", "This page is no longer there; search again.")


def size(snapshot: Snapshot) -> int:
    """The number of keys in a snapshot."""
    return len(snapshot.matches) + len(snapshot.included)
