"""How the scripted user puts things: seeded picks from the packaged wordings."""

import re
from random import Random

from wardround.people.patterns import packaged


class Wording:
    """Picks words; the same seed picks the same ones."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def say(self, kind: str, **blanks: str) -> str:
        """A line of one kind with its blanks filled in."""
        line = str(self._random.choice(packaged("wording")[kind]))
        return _upper(line.format(**blanks))

    def piece(self, text: str, kind: str) -> str:
        """A piece in a line of one kind, perhaps with a phrase swapped for its like."""
        line = str(self._random.choice(packaged("wording")[kind]))
        swapped = self._swapped(text)
        runs_on = re.search(r"[^.?!]\s\{piece\}", line)
        return _upper(line.format(piece=_lower(swapped) if runs_on else swapped))

    def _swapped(self, text: str) -> str:
        for phrase, likes in packaged("wording")["swap"].items():
            if text.startswith(phrase):
                return str(self._random.choice(likes)) + text.removeprefix(phrase)
        return text


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _lower(text: str) -> str:
    """The text as it goes on within a sentence: "I" and abbreviations keep their capitals."""
    return text if re.match(r"I\b|[A-Z]{2}", text) else text[:1].lower() + text[1:]
