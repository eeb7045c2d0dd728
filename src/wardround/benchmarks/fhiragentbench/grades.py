"""Grades of a trial without a judge: recall and precision of resources, and the answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from wardround.benchmarks.fhiragentbench.environment import ENDED
from wardround.benchmarks.fhiragentbench.tools import RETRIEVED
from wardround.core.trajectory import Noted, Trajectory

Ids: TypeAlias = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The grades of a trial's retrieval; None where they are not defined.

    Attributes:
        recall: 1 if all true resources were retrieved, else 0.
        precision: the share of retrieved resources that are true.
    """

    recall: float | None
    precision: float | None


def retrieval_grades(true: Ids, retrieved: Ids) -> Retrieval:
    """Grades the retrieved ids of the true types, as published.

    Where nothing is true, retrieving nothing is right, and anything else has no recall and no
    precision above 0. Where nothing was retrieved, there is no precision.

    >>> retrieval_grades({"Encounter": ["1"]}, {"Encounter": ["1", "2"], "Patient": ["3"]})
    Retrieval(recall=1.0, precision=0.5)
    >>> retrieval_grades({}, {}), retrieval_grades({}, {"Patient": ["3"]})
    (Retrieval(recall=1.0, precision=1.0), Retrieval(recall=None, precision=0.0))
    """
    wanted = {(type, id) for type, ids in true.items() for id in ids}
    kinds = {type for type, _ in wanted}
    given = {(t, id) for t, ids in retrieved.items() for id in ids if not kinds or t in kinds}
    if not wanted:
        return Retrieval(None, 0.0) if given else Retrieval(1.0, 1.0)
    precision = len(wanted & given) / len(given) if given else None
    return Retrieval(float(wanted <= given), precision)


def retrieved_ids(trajectory: Trajectory) -> dict[str, list[str]]:
    """The ids of all resources that the tools returned, by type, without repetitions."""
    together: dict[str, dict[str, None]] = {}
    for note in notes(trajectory, RETRIEVED):
        for type, ids in note.items():
            together.setdefault(type, {}).update(dict.fromkeys(ids))
    return {type: list(ids) for type, ids in together.items()}


def final_answer(trajectory: Trajectory) -> str | None:
    """The agent's answer; None if it ended without one."""
    answers = [note["answer"] for note in notes(trajectory, ENDED) if "answer" in note]
    return answers[-1] if answers else None


def notes(trajectory: Trajectory, subject: str) -> list[dict[str, Any]]:
    """The data of a trajectory's notes on a subject."""
    events = trajectory.events
    return [e.data for e in events if isinstance(e, Noted) and e.subject == subject]
