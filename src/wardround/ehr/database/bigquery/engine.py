"""BigQuery as an engine: datasets, the project that pays, and the location that names both."""

from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from wardround.core.errors import UserError
from wardround.ehr.database.engine import Engine

ENGINE = Engine(
    summary="BigQuery datasets, read; needs the extra bigquery.",
    reader="wardround.ehr.database.bigquery.driver:open_datasets",
    schemes=("bigquery:",),
    write_advice=("load it with BigQuery's own tools, or use the datasets that PhysioNet shares"),
)

# A scan of every column of MIMIC-IV's largest table is about 40 GB.
MOST_BYTES = 50_000_000_000


@dataclass(frozen=True)
class Datasets:
    """The datasets of a BigQuery database.

    Attributes:
        project: The project that queries are charged to.
        names: The readable datasets, each as `project.dataset`; table names without a dataset
            are looked up in the first.
        most_bytes: The most bytes that one query may scan.
        without: A patient whose rows no query reaches.
    """

    project: str
    names: tuple[str, ...]
    most_bytes: int = MOST_BYTES
    without: int | None = None

    @property
    def url(self) -> str:
        """The location in full."""
        address = f"bigquery://{self.project}/{','.join(self.names)}?most_bytes={self.most_bytes}"
        return address if self.without is None else f"{address}&without={self.without}"


def read_location(location: str) -> Datasets:
    """Parse `bigquery://PROJECT/DATASET[,DATASET…][?most_bytes=N&without=ID]`.

    >>> read_location("bigquery://mine/physionet-data.mimiciv_3_1_hosp,own").names
    ('physionet-data.mimiciv_3_1_hosp', 'mine.own')

    Raises:
        UserError: If the location does not have that form.
    """
    parts = urlsplit(location)
    names = [name for name in parts.path.strip("/").split(",") if name]
    options = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    most, without = options.get("most_bytes", str(MOST_BYTES)), options.get("without", "")
    numbers = most.isdecimal() and (without.isdecimal() or not without)
    if parts.scheme != "bigquery" or not parts.netloc or not names or not numbers:
        raise UserError(
            f"Database {location} is not a location of BigQuery's; write "
            "bigquery://PROJECT/DATASET or bigquery://PROJECT/DATASET,DATASET?most_bytes=N."
        )
    full = (name if "." in name else f"{parts.netloc}.{name}" for name in names)
    return Datasets(parts.netloc, tuple(full), int(most), int(without) if without else None)
