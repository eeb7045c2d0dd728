"""Lists of words, a file each: functions, types, reserved words, features."""

from functools import cache
from importlib.resources import files


@cache
def word_list(file: str) -> frozenset[str]:
    """The words of a file.

    >>> "FLOAT64" in word_list("types.txt"), "FLOAT" in word_list("types.txt")
    (True, False)
    """
    lines = (files(__package__) / file).read_text().splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())
