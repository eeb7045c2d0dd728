"""PostgreSQL as an engine: what is named by a URL that begins with `postgresql`."""

from wardround.core.errors import UserError
from wardround.ehr.database.engine import Target
from wardround.ehr.database.interface import Database, Limits


class PostgresEngine:
    """Opens and writes PostgreSQL databases; see `Engine`."""

    def recognises(self, location: str) -> bool:
        """Whether it is a URL of PostgreSQL."""
        return location.startswith("postgresql:")

    def open(self, location: str, limits: Limits) -> Database:
        """Open a database for agents."""
        raise UserError(f"Database {location} cannot be opened for agents yet.")

    def write(self, location: str) -> Target:
        """Open a database for building."""
        raise UserError(f"Database {location} cannot be written yet.")
