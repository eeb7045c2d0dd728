"""Slots, tenses and articles of a wording, such as "Who [is|was] {patient_id} on {a:drug}?"."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

# A slot; `a:` adds the article "a" or "an" to its value.
SLOT = re.compile(r"\{(a:)?(\w+)\}")

_EITHER = re.compile(r"\[([^|\]]*)\|([^\]]*)\]")
_NOW_AND_THEN = {"has been": "was", "have been": "were", "is": "was", "are": "were"}
_NOW = re.compile(rf"\b({'|'.join(_NOW_AND_THEN)})\b")
_SOUNDS_LIKE_A_VOWEL = re.compile(
    r"""[aeio8] | u(?!ni|re|ri|s[aei]) | (?:11|18)\b | hour | hei
      | [fhlmnrsx] (?![a-z]*[aeiouy])""",  # spelled aloud: mcv
    re.VERBOSE,
)


def with_article(name: str) -> str:
    """Adds the article "a" or "an" to a name.

    >>> with_article("albumin"), with_article("urea nitrogen"), with_article("mcv")
    ('an albumin', 'a urea nitrogen', 'an mcv')
    """
    article = "an" if _SOUNDS_LIKE_A_VOWEL.match(name.lower()) else "a"
    return f"{article} {name}"


def in_tense(wording: str, over: bool) -> str:
    """Chooses one tense of each `[present|past]` in a wording.

    >>> in_tense("What [is|was] it?", over=True)
    'What was it?'
    """
    return _EITHER.sub(r"\2" if over else r"\1", wording)


def in_both_tenses(wording: str) -> str:
    """Turns each present form in a wording into `[present|past]`.

    >>> in_both_tenses("Which drugs are given most?")
    'Which drugs [are|were] given most?'
    """
    return _NOW.sub(lambda now: f"[{now[1]}|{_NOW_AND_THEN[now[1]]}]", wording)


@dataclass(frozen=True)
class StandIns:
    """Example words in the slots of a wording while a model rewords it (Lee et al. 2022).

    The first word of each slot is filled in; any of them is turned back into the slot.

    Attributes:
        words: words by slot.
        tense: True if the wording has both tenses.

    >>> names = StandIns({"patient_id": ["10027"], "drug_name": ["aspirin"]}, tense=True)
    >>> names.filled("[Has|Was] patient {patient_id} [been given|given] {drug_name}?")
    'Has patient 10027 been given aspirin?'
    >>> names.restored("When is aspirin given to patient 10027?")
    'When [is|was] {drug_name} given to patient {patient_id}?'
    """

    words: Mapping[str, Sequence[str]]
    tense: bool

    def filled(self, wording: str) -> str:
        """Returns the wording with its slots filled, in the present tense."""
        return SLOT.sub(self._word, in_tense(wording, over=False))

    def restored(self, text: str) -> str:
        """Turns words back into slots, and adds both tenses if the wording has them."""
        slots = {word.lower(): slot for slot, words in self.words.items() for word in words}
        longest = sorted(map(re.escape, slots), key=len, reverse=True)
        word = re.compile(rf"(?<!\w)(an? )?({'|'.join(longest) or '(?!)'})(?!\w)", re.IGNORECASE)
        wording = word.sub(lambda match: _slot(match, slots), text)
        return in_both_tenses(wording) if self.tense else wording

    @property
    def required(self) -> tuple[str, ...]:
        """Texts that each new wording must contain; models tend to drop a bare patient number."""
        return tuple(
            f"patient {words[0]}" if slot == "patient_id" else words[0]
            for slot, words in self.words.items()
        )

    def _word(self, slot: re.Match[str]) -> str:
        word = self.words[slot[2]][0]
        return with_article(word) if slot[1] else word


def without_known(words: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """Returns the words that no known wording contains outside its slots."""
    texts = [SLOT.sub("", wording).lower() for wording in known]
    return tuple(
        word
        for word in words
        if not any(re.search(rf"(?<!\w){re.escape(word.lower())}(?!\w)", text) for text in texts)
    )


def _slot(match: re.Match[str], slots: Mapping[str, str]) -> str:
    return f"{{{'a:' if match[1] else ''}{slots[match[2].lower()]}}}"
