"""The names of a database that an agent has seen."""

import re

_NAME = re.compile(r"[A-Za-z_]\w*")


class Seen:
    """The identifiers that the agent was shown or wrote itself, in lower case.

    >>> seen = Seen("SELECT hadm_id FROM Admissions")
    >>> sorted(seen.names)
    ['admissions', 'from', 'hadm_id', 'select']
    """

    def __init__(self, *texts: str) -> None:
        self.names: set[str] = set()
        for text in texts:
            self.add(text)

    def add(self, text: str) -> None:
        """Adds the names in a text."""
        self.names.update(name.lower() for name in _NAME.findall(text))
