"""PostgreSQL as an engine: databases on a server given by URL, or on wardround's own."""

from wardround.ehr.database.interface import Database, Limits
from wardround.ehr.database.postgres.connection import find_place
from wardround.ehr.database.postgres.database import PostgresDatabase
from wardround.ehr.database.postgres.target import PostgresTarget


class PostgresEngine:
    """Opens and writes PostgreSQL databases; see `Engine`.

    `postgresql://user:password@host:port/database` is a database on any server, `postgresql:NAME`
    one on the server that wardround starts by itself.
    """

    def recognises(self, location: str) -> bool:
        """Whether it is a URL of PostgreSQL."""
        return location.startswith(("postgresql:", "postgres://"))

    def open(self, location: str, limits: Limits) -> Database:
        """Open a database for agents."""
        place = find_place(location)
        try:
            return PostgresDatabase(place, limits)
        except BaseException:
            place.leave()
            raise

    def write(self, location: str) -> PostgresTarget:
        """Open or make a database for writing."""
        place = find_place(location)
        try:
            return PostgresTarget(place)
        except BaseException:
            place.leave()
            raise
