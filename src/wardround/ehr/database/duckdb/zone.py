"""Universal time as `pytz` gives it: DuckDB asks for that module, and does not bring it."""

from datetime import datetime, timedelta, tzinfo


class _Universal(tzinfo):
    def utcoffset(self, when: datetime | None) -> timedelta:
        return timedelta()

    def dst(self, when: datetime | None) -> timedelta:
        return timedelta()

    def tzname(self, when: datetime | None) -> str:
        return "UTC"

    def localize(self, when: datetime) -> datetime:
        return when.replace(tzinfo=self)


def timezone(name: str) -> tzinfo:
    """The zone of every time: a process that runs statements knows universal time only."""
    return _Universal()
