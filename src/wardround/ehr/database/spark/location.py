"""Where Spark finds the tables: a cluster, and a folder of Parquet files that it can read."""

import re
from dataclasses import dataclass
from pathlib import Path

from wardround.core.errors import UserError

_CLUSTER = re.compile(r"spark://(?P<host>[^/]+)(?P<folder>/.+)")
_ALONE = re.compile(r"spark:(?P<folder>[^/].*|/(?!/).*)")


@dataclass(frozen=True)
class Place:
    """A Spark database.

    Attributes:
        master: What Spark calls the cluster: `spark://host:port`, or `local[*]` for this machine.
        folder: One folder of Parquet files per table.
    """

    master: str
    folder: Path

    @property
    def url(self) -> str:
        """The location as it is written."""
        if self.master.startswith("local"):
            return f"spark:{self.folder}"
        return f"{self.master}{self.folder}"


def place_of(location: str) -> Place:
    """Reads `spark://HOST:PORT/FOLDER` or `spark:FOLDER`.

    >>> place_of("spark://10.0.0.5:7077/data/mimic").master
    'spark://10.0.0.5:7077'
    >>> place_of("spark:mimic").master
    'local[*]'

    Raises:
        UserError: If it is neither.
    """
    if found := _CLUSTER.fullmatch(location):
        return Place(f"spark://{found['host']}", Path(found["folder"]))
    if found := _ALONE.fullmatch(location):
        return Place("local[*]", Path(found["folder"]).expanduser())
    raise UserError(
        f"Database {location} is no location of Spark's; write spark://HOST:PORT/FOLDER or "
        "spark:FOLDER, with a folder of Parquet files in it for each table."
    )
