"""A folder of Parquet files, and the Spark cluster that reads it."""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from wardround.core.errors import UserError

_CLUSTER = re.compile(r"spark://(?P<host>[^/]+)(?P<folder>/.+)")
_ALONE = re.compile(r"spark:(?P<folder>[^/].*|/(?!/).*)")


@dataclass(frozen=True)
class ParquetFolder:
    """A Spark database.

    Attributes:
        master: Spark's master URL: `spark://host:port`, or `local[*]` for this machine.
        path: The folder, with a Parquet file or a folder of them for each table.
    """

    master: str
    path: Path

    @property
    def url(self) -> str:
        """The location as a URL."""
        if self.master.startswith("local"):
            return f"spark:{self.path}"
        return f"{self.master}{self.path}"

    def tables(self) -> dict[str, Path]:
        """The path of each table, in alphabetical order: `name.parquet` or `name/*.parquet`.

        Raises:
            UserError: If there are none.
        """
        files = {path.stem: path for path in self.path.glob("*.parquet")}
        folders = {path.parent.name: path.parent for path in self.path.glob("*/*.parquet")}
        paths = {name.removesuffix(".parquet"): path for name, path in (files | folders).items()}
        if not paths:
            raise UserError(
                f"Database {self.url} has no tables; it needs a .parquet file, or a folder of "
                "them, for each."
            )
        return dict(sorted(paths.items()))

    def fingerprint(self) -> str:
        """A hash of the names and bytes of all Parquet files, 32 hexadecimal digits."""
        digest = hashlib.blake2b(digest_size=16)
        for path in sorted(path for path in self.path.rglob("*.parquet") if path.is_file()):
            with path.open("rb") as stream:
                content = hashlib.file_digest(stream, hashlib.blake2b).digest()
            digest.update(f"{path.relative_to(self.path)}\n".encode() + content)
        return digest.hexdigest()


def read_location(location: str) -> ParquetFolder:
    """Parse `spark://HOST:PORT/FOLDER` or `spark:FOLDER`.

    >>> read_location("spark://10.0.0.5:7077/data/mimic").master
    'spark://10.0.0.5:7077'
    >>> read_location("spark:mimic").master
    'local[*]'

    Raises:
        UserError: If the location has neither form.
    """
    if match := _CLUSTER.fullmatch(location):
        return ParquetFolder(f"spark://{match['host']}", Path(match["folder"]))
    if match := _ALONE.fullmatch(location):
        return ParquetFolder("local[*]", Path(match["folder"]).expanduser())
    raise UserError(
        f"Database {location} is not a location of Spark's; write spark://HOST:PORT/FOLDER or "
        "spark:FOLDER, with a folder of Parquet files in it for each table."
    )
