"""A stand-in for `pytz` with UTC only: DuckDB imports that module but does not depend on it."""

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
    """UTC for any name: processes that run statements use UTC only."""
    return _Universal()
