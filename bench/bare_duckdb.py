"""Reads a release's files by bare DuckDB with its type detection: `FOLDER DATABASE`."""

import sys
from pathlib import Path

import duckdb

SUFFIX = ".csv.gz"


def main(folder: str, database: str) -> None:
    """Makes a table of each file in a folder of the release."""
    with duckdb.connect(database) as connection:
        for path in sorted(Path(folder).glob(f"*/*{SUFFIX}")):
            table = path.name.removesuffix(SUFFIX)
            connection.execute(f"CREATE TABLE {table} AS FROM read_csv('{path}')")


if __name__ == "__main__":
    main(*sys.argv[1:])
