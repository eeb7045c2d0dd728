"""Types that options have in common: times, and paths that hold from any folder."""

from datetime import datetime
from pathlib import Path
from typing import Annotated, TypeAlias

from pydantic import AfterValidator

TIME_FORMAT = "%Y-%m-%d %H:%M:%S"
EXAMPLE_TIME = "2100-12-31 23:59:00"


def is_time(text: str) -> bool:
    """True if a text is a time as options and `run.json` write it.

    >>> is_time("2105-12-31 23:59:00"), is_time("2105-12-31")
    (True, False)
    """
    try:
        datetime.strptime(text, TIME_FORMAT)
    except ValueError:
        return False
    return True


def check_time(text: str) -> str:
    """The text, if it is a time.

    Raises:
        ValueError: It is none.
    """
    if not is_time(text):
        raise ValueError(f"{text!r} is no time written as {EXAMPLE_TIME}")
    return text


def absolute(path: Path) -> Path:
    """The path as it holds from any folder, so that a run can be resumed from anywhere."""
    return path.expanduser().absolute()


Time: TypeAlias = Annotated[str, AfterValidator(check_time)]
AbsolutePath: TypeAlias = Annotated[Path, AfterValidator(absolute)]
