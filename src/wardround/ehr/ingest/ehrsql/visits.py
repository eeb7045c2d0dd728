"""On which days each person's first visit may fall, and on which of them the person is in now."""

from collections.abc import Iterator
from dataclasses import dataclass

from wardround.ehr.ingest.ehrsql.plan import Work

# Shifts are whole days, so that the time of day, and a midnight that means a date, stay.
_DAYS = "CAST(floor(epoch({later} - {earlier}) / 86400) AS BIGINT)"


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
    """The window of every person who has one, in the order of their identifiers."""
    shifts = "shift" not in work.plan.skip
    since_first = _DAYS.format(later="$first", earlier="min(came)")
    since_now = _DAYS.format(later="$now", earlier="min(came)")
    sql = f"""
        WITH visits AS ({work.form.visits}), windows AS (
            SELECT person, {f"{since_first} + 1" if shifts else "0"} AS earliest,
                   {since_now if shifts else f"least({since_now}, 0)"} AS latest
            FROM visits GROUP BY person
        ), current AS (
            SELECT DISTINCT person, unnest(range(
                {_DAYS.format(later="$now", earlier="went")} + 1,
                {_DAYS.format(later="$now", earlier="came")} + 1)) AS day
            FROM visits WHERE went > came
        )
        SELECT person, earliest, latest,
               coalesce(list(day ORDER BY day) FILTER (day BETWEEN earliest AND latest), [])
        FROM windows LEFT JOIN current USING (person)
        WHERE earliest <= latest GROUP BY ALL ORDER BY person
    """
    times = {"now": work.plan.now, "first": work.plan.first}
    for person, earliest, latest, days in work.lake.execute(sql, times).fetchall():
        yield Window(person, earliest, latest, tuple(days))


def currently_in(work: Work) -> int:
    """How many people have a hospital stay that now falls into."""
    sql = f"""
        SELECT count(DISTINCT person) FROM ({work.form.visits})
        WHERE came <= $now AND coalesce(went > $now, true)
    """
    row = work.lake.execute(sql, {"now": work.plan.now}).fetchone()
    return int(row[0]) if row else 0
