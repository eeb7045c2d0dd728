"""Spark as an engine: a folder of Parquet files, queried by a cluster or by this machine."""

from wardround.ehr.database.engine import Target
from wardround.ehr.database.interface import Database, Limits
from wardround.ehr.database.spark.location import place_of


class SparkEngine:
    """Opens and writes folders of Parquet files; see `Engine`."""

    def recognises(self, location: str) -> bool:
        """Whether it begins with `spark:`."""
        return location.startswith("spark:")

    def open(self, location: str, limits: Limits) -> Database:
        """Open a folder for reading; starts a Spark session, which takes seconds."""
        from wardround.ehr.database.spark.database import SparkDatabase

        return SparkDatabase(place_of(location), limits)

    def write(self, location: str) -> Target:
        """Open or make a folder for writing; Spark itself is not needed."""
        from wardround.ehr.database.spark.target import ParquetTarget

        return ParquetTarget(place_of(location))
