"""What a room took as a submission, noted so that grading counts the same."""

from collections.abc import Iterator

from wardround.benchmarks.interact.prices import SUBMIT
from wardround.core.trajectory import Called, Noted, Trajectory

_SUBJECT = "submission"


def taken(stage: int) -> Noted:
    """A note that the call before it was taken as a submission, for the first or second request."""
    return Noted(_SUBJECT, {"stage": stage})


def submitted(trajectory: Trajectory) -> Iterator[str]:
    """The SQL of each submission that the room took; one that was malformed or refused is none.

    >>> events = [Called(SUBMIT, {"sql": "SELECT 1"}), taken(1), Called(SUBMIT, {"query": "?"})]
    >>> list(submitted(Trajectory(events)))
    ['SELECT 1']
    """
    sql = ""
    for event in trajectory.events:
        if isinstance(event, Called) and event.tool == SUBMIT:
            sql = str(event.arguments.get("sql", ""))
        elif isinstance(event, Noted) and event.subject == _SUBJECT:
            yield sql
