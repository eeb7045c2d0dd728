"""Possible time shifts of each person, and those that make the person a current patient."""

from collections.abc import Iterator
from dataclasses import dataclass

from wardround.ehr.ingest.preparation.plan import Work
from wardround.ehr.ingest.preparation.working_database import literal, number


@dataclass(frozen=True)
class Window:
    """The possible time shifts of a person, in days.

    Attributes:
        earliest: The smallest shift; 0 if times are not shifted.
        latest: The largest shift.
        current: The shifts in between that make the person current, ascending.
    """

    person: str | int
    earliest: int
    latest: int
    current: tuple[int, ...]

    @property
    def others(self) -> int:
        """The number of shifts that do not make the person current."""
        return self.latest - self.earliest + 1 - len(self.current)

    def other(self, index: int) -> int:
        """The shift at an index among those that do not make the person current.

        >>> [Window(1, 0, 5, (1, 3)).other(index) for index in range(4)]
        [0, 2, 4, 5]
        """
        shift = self.earliest + index
        for day in self.current:
            shift += day <= shift
        return shift


def windows(work: Work) -> Iterator[Window]:
    """The windows of all people with possible shifts, by identifier.

    Shifts are whole days, which preserves times of day. A stay that is open in the source is
    current: it began at most an average length of stay before the current time.
    """
    now, first = literal(work.now), literal(work.plan.first)
    until_now, end = _days(now, "min(came)"), "came + length"
    earliest, latest = f"{_days(first, 'min(began)')} + 1", until_now
    if "shift" in work.plan.skip:
        earliest, latest = "0", "0" if "now" in work.plan.skip else f"least({until_now}, 0)"
        end = f"greatest({end}, {now} + INTERVAL 1 DAY)"
    sql = f"""
        WITH visits AS ({work.recipe.visits}), length AS (
            SELECT to_seconds(coalesce(avg(epoch(went) - epoch(came)), 86400)) AS length FROM visits
        ), known AS (
            SELECT person, began, came, coalesce(went, {end}) AS went, went IS NULL AS open
            FROM visits, length
        ), windows AS (
            SELECT person,
                   greatest({earliest}, max({_days(now, "went")} + 1) FILTER (open)) AS earliest,
                   least({latest}, min({_days(now, "came")}) FILTER (open)) AS latest
            FROM known GROUP BY person
        ), current AS (
            SELECT DISTINCT person,
                   unnest(range({_days(now, "went")} + 1, {_days(now, "came")} + 1)) AS day
            FROM known WHERE went > came
        )
        SELECT person, earliest, latest,
               coalesce(list(day ORDER BY day) FILTER (day BETWEEN earliest AND latest), [])
        FROM windows LEFT JOIN current USING (person)
        WHERE earliest <= latest GROUP BY ALL ORDER BY person
    """
    for person, low, high, days in work.connection.execute(sql).fetchall():
        yield Window(person, low, high, tuple(days))


def _days(later: str, earlier: str) -> str:
    """SQL of the whole days between two times."""
    return f"CAST(floor((epoch({later}) - epoch({earlier})) / 86400) AS BIGINT)"


def currently_in(work: Work) -> int:
    """The number of people in hospital at the current time."""
    now = literal(work.now)
    is_in = f"came <= {now} AND coalesce(went > {now}, true)"
    return number(
        work.connection, f"SELECT count(DISTINCT person) FROM ({work.recipe.visits}) WHERE {is_in}"
    )
