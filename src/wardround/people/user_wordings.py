"""Seeded choice among the scripted user's packaged wordings."""

import re
from random import Random

from wardround.people.patterns import packaged


class Wording:
    """Chooses wordings; the same seed chooses the same."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def say(self, kind: str, **blanks: str) -> str:
        """Returns a line of a kind with its blanks filled in."""
        line = str(self._random.choice(packaged("user_wordings")[kind]))
        return _upper(line.format(**blanks))

    def piece(self, text: str, kind: str) -> str:
        """Puts a piece in a line of a kind, possibly with a synonymous opening phrase."""
        line = str(self._random.choice(packaged("user_wordings")[kind]))
        swapped = self._swapped(text)
        runs_on = re.search(r"[^.?!]\s\{piece\}", line)
        return _upper(line.format(piece=_lower(swapped) if runs_on else swapped))

    def _swapped(self, text: str) -> str:
        for phrase, likes in packaged("user_wordings")["swap"].items():
            if text.startswith(phrase):
                return str(self._random.choice(likes)) + text.removeprefix(phrase)
        return text


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _lower(text: str) -> str:
    """Lowers the first letter, except of "I" and abbreviations."""
    return text if re.match(r"I\b|[A-Z]{2}", text) else text[:1].lower() + text[1:]
