"""Locations of BigQuery: the datasets, and the project that pays."""

from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from wardround.core.errors import UserError

# A scan of every column of MIMIC-IV's largest table is about 40 GB.
MOST_BYTES = 100_000_000_000


@dataclass(frozen=True)
class Datasets:
    """The datasets of a BigQuery database.

    Attributes:
        project: The project that queries are charged to.
        names: The readable datasets, each as `project.dataset`; table names without a dataset
            are looked up in the first.
        most_bytes: The most bytes that one query may scan.
    """

    project: str
    names: tuple[str, ...]
    most_bytes: int = MOST_BYTES

    @property
    def url(self) -> str:
        """The location in full."""
        return f"bigquery://{self.project}/{','.join(self.names)}?most_bytes={self.most_bytes}"


def read_location(location: str) -> Datasets:
    """Parse `bigquery://PROJECT/DATASET[,DATASET…][?most_bytes=N]`.

    >>> read_location("bigquery://mine/physionet-data.mimiciv_3_1_hosp,own").names
    ('physionet-data.mimiciv_3_1_hosp', 'mine.own')

    Raises:
        UserError: If the location does not have that form.
    """
    parts = urlsplit(location)
    names = [name for name in parts.path.strip("/").split(",") if name]
    most = parse_qs(parts.query).get("most_bytes", [str(MOST_BYTES)])[-1]
    if parts.scheme != "bigquery" or not parts.netloc or not names or not most.isdecimal():
        raise UserError(
            f"Database {location} is no location of BigQuery's; write "
            "bigquery://PROJECT/DATASET or bigquery://PROJECT/DATASET,DATASET?most_bytes=N."
        )
    full = (name if "." in name else f"{parts.netloc}.{name}" for name in names)
    return Datasets(parts.netloc, tuple(full), int(most))
