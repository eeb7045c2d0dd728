"""Spark as an engine: a folder of Parquet files, queried by a cluster or by this machine."""

from wardround.core.errors import UserError
from wardround.ehr.database.engine import Target
from wardround.ehr.database.interface import Database, Limits
from wardround.ehr.database.spark.location import place_of


class SparkEngine:
    """Opens folders of Parquet files; see `Engine`."""

    def recognises(self, location: str) -> bool:
        """Whether it begins with `spark:`."""
        return location.startswith("spark:")

    def open(self, location: str, limits: Limits) -> Database:
        """Open a folder for reading; starts a Spark session, which takes seconds."""
        from wardround.ehr.database.spark.database import SparkDatabase

        return SparkDatabase(place_of(location), limits)

    def write(self, location: str) -> Target:
        """Not on Spark: DuckDB builds what Spark reads.

        Raises:
            UserError: Always.
        """
        raise UserError(
            f"Database {location} cannot be written by wardround; build a .duckdb file and run "
            "EXPORT DATABASE 'FOLDER' (FORMAT parquet) on it in DuckDB."
        )
