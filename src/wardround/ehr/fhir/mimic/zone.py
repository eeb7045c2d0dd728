"""Local times of a hospital as FHIR times, which carry an offset from UTC."""

from datetime import UTC, date, datetime, time, timedelta

from wardround.ehr.fhir.index.dates import read_zone

_DAY = timedelta(days=1)


class Zone:
    """A hospital's time zone with its summer time.

    A time that the clocks skip or repeat is read as winter time, as MIMIC-IV on FHIR does.

    Args:
        name: the zone's name in the tz database.

    Raises:
        UserError: There is no such zone.

    >>> zone = Zone("America/New_York")
    >>> zone.instant(datetime(2180, 7, 23, 14)), zone.instant(datetime(2180, 1, 23, 14))
    ('2180-07-23T14:00:00-04:00', '2180-01-23T14:00:00-05:00')
    >>> zone.instant(datetime(2180, 3, 12, 2, 30)), zone.instant(datetime(2180, 11, 5, 1, 30))
    ('2180-03-12T03:30:00-04:00', '2180-11-05T01:30:00-05:00')
    """

    def __init__(self, name: str) -> None:
        self._zone = read_zone(name)
        # The offset of each day, or None if the clocks change on it.
        self._offsets: dict[int, str | None] = {}

    def instant(self, local: datetime | date | None) -> str | None:
        """A local time with its offset; a date is the time at which it begins."""
        if local is None:
            return None
        if not isinstance(local, datetime):
            local = datetime.combine(local, time())
        offset = self._day_offset(local)
        if offset is None:
            return self._changing_instant(local)
        return local.isoformat(timespec="seconds") + offset

    def _day_offset(self, local: datetime) -> str | None:
        day = local.toordinal()
        if day not in self._offsets:
            begin = datetime.combine(local.date(), time())
            first, last = self._offset(begin), self._offset(begin + _DAY)
            self._offsets[day] = first if first == last else None
        return self._offsets[day]

    def _offset(self, local: datetime) -> str:
        return local.replace(tzinfo=self._zone).isoformat()[19:]

    def _changing_instant(self, local: datetime) -> str:
        """The instant by winter time if the clocks skip or repeat the local time."""
        first, second = (local.replace(tzinfo=self._zone, fold=fold) for fold in (0, 1))
        standard = min(first, second, key=lambda each: each.utcoffset() or timedelta())
        return standard.astimezone(UTC).astimezone(self._zone).isoformat(timespec="seconds")
