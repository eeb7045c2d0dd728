"""The mark by which a record's file is known, read without the rest of the record's code."""

from pathlib import Path

FORMAT = "2"
APPLICATION_ID = 0x46484952  # "FHIR" in SQLite's header
_APPLICATION_ID_AT = 68  # bytes from the beginning of an SQLite file


def is_record(path: Path) -> bool:
    """True for a file that `build_record` wrote."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        file.seek(_APPLICATION_ID_AT)
        return file.read(4) == APPLICATION_ID.to_bytes(4)
