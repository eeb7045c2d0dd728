"""On which days each person's first visit may fall, and on which of them the person is in now."""

from collections.abc import Iterator
from dataclasses import dataclass

from wardround.ehr.ingest.preparation.plan import Work
from wardround.ehr.ingest.preparation.working_database import literal, number


@dataclass(frozen=True)
class Window:
    """By how many days a person's records may be shifted.

    Attributes:
        earliest: The least shift; 0 where nothing is shifted.
        latest: The greatest.
        current: The shifts between them that leave the person in hospital now, in order.
    """

    person: str | int
    earliest: int
    latest: int
    current: tuple[int, ...]

    @property
    def others(self) -> int:
        """How many shifts leave the person out of hospital now."""
        return self.latest - self.earliest + 1 - len(self.current)

    def other(self, place: int) -> int:
        """The shift at a place among those that leave the person out of hospital now.

        >>> [Window(1, 0, 5, (1, 3)).other(place) for place in range(4)]
        [0, 2, 4, 5]
        """
        shift = self.earliest + place
        for day in self.current:
            shift += day <= shift
        return shift


def windows(work: Work) -> Iterator[Window]:
    """The window of every person who has one, in the order of their identifiers.

    Shifts are whole days, so that the time of day, and a midnight that means a date, stay. A stay
    that is open in the source is open now: it began no longer ago than stays last on average.
    """
    now, first = literal(work.plan.now), literal(work.plan.first)
    until_now, end = _days(now, "min(came)"), "came + length"
    earliest, latest = f"{_days(first, 'min(began)')} + 1", until_now
    if "shift" in work.plan.skip:
        earliest, latest = "0", "0" if "now" in work.plan.skip else f"least({until_now}, 0)"
        end = f"greatest({end}, {now} + INTERVAL 1 DAY)"
    sql = f"""
        WITH visits AS ({work.form.visits}), length AS (
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
    for person, low, high, days in work.lake.execute(sql).fetchall():
        yield Window(person, low, high, tuple(days))


def _days(later: str, earlier: str) -> str:
    """SQL for the whole days between two times."""
    return f"CAST(floor((epoch({later}) - epoch({earlier})) / 86400) AS BIGINT)"


def currently_in(work: Work) -> int:
    """How many people have a hospital stay that now falls into."""
    now = literal(work.plan.now)
    is_in = f"came <= {now} AND coalesce(went > {now}, true)"
    return number(
        work.lake, f"SELECT count(DISTINCT person) FROM ({work.form.visits}) WHERE {is_in}"
    )
