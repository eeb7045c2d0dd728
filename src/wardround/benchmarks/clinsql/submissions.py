"""The submissions of a trial, as its trajectory has them."""

from dataclasses import dataclass

from wardround.benchmarks.clinsql.tools import SUBMIT
from wardround.benchmarks.kit.agent_texts import is_error
from wardround.core.trajectory import Called, Returned, Trajectory


@dataclass(frozen=True, slots=True)
class Attempt:
    """A submitted query and the engine's error; "" if it ran, without rows as well."""

    sql: str
    error: str = ""

    @property
    def succeeded(self) -> bool:
        """True if the query ran."""
        return not self.error


def attempts(trajectory: Trajectory) -> list[Attempt]:
    """The submissions that were carried out, in order; the last one is graded.

    >>> events = [Called("submit_sql", {"query": "SELEC"}), Returned("submit_sql", "Error: no.")]
    >>> attempts(Trajectory(events))
    [Attempt(sql='SELEC', error='Error: no.')]
    """
    found: list[Attempt] = []
    query = ""
    for event in trajectory.events:
        if isinstance(event, Called) and event.tool == SUBMIT:
            query = str(event.arguments.get("query", ""))
        elif isinstance(event, Returned) and event.tool == SUBMIT and query.strip():
            found.append(Attempt(query, event.text if is_error(event.text) else ""))
    return found


def final_sql(trajectory: Trajectory) -> str:
    """The query that is graded; "" if none was submitted."""
    return next((attempt.sql for attempt in reversed(attempts(trajectory))), "")
