"""Common types of options: times, and paths made absolute."""

from datetime import datetime
from pathlib import Path
from typing import Annotated, TypeAlias

from pydantic import AfterValidator

TIME_FORMAT = "%Y-%m-%d %H:%M:%S"
EXAMPLE_TIME = "2100-12-31 23:59:00"


def is_time(text: str) -> bool:
    """True if a text has the time format of options and `run.json`.

    >>> is_time("2105-12-31 23:59:00"), is_time("2105-12-31")
    (True, False)
    """
    try:
        datetime.strptime(text, TIME_FORMAT)
    except ValueError:
        return False
    return True


def check_time(text: str) -> str:
    """Returns the text if it is a time.

    Raises:
        ValueError: It is not a time.
    """
    if not is_time(text):
        raise ValueError(f"{text!r} is not a time written as {EXAMPLE_TIME}")
    return text


def absolute(path: Path) -> Path:
    """The absolute path, so that a run can be resumed from any folder."""
    return path.expanduser().absolute()


Time: TypeAlias = Annotated[str, AfterValidator(check_time)]
AbsolutePath: TypeAlias = Annotated[Path, AfterValidator(absolute)]
