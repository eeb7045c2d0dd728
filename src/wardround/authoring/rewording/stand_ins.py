"""Ordinary words that fill a wording's slots while a model rewords it (Lee et al. 2022, 3.3)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wardround.authoring.slots import SLOT, in_both_tenses, in_tense, with_article


@dataclass(frozen=True)
class StandIns:
    """The words for each slot of a wording; the first is shown, any becomes the slot again.

    Attributes:
        words: By slot.
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
        """Returns the wording with its slots filled, in the tense of a time that is not over."""
        return SLOT.sub(self._word, in_tense(wording, over=False))

    def restored(self, text: str) -> str:
        """Returns the text with its slots open, in both tenses where the wording has them."""
        slots = {word.lower(): slot for slot, words in self.words.items() for word in words}
        longest = sorted(map(re.escape, slots), key=len, reverse=True)
        word = re.compile(rf"(?<!\w)(an? )?({'|'.join(longest) or '(?!)'})(?!\w)", re.IGNORECASE)
        wording = word.sub(lambda found: _slot(found, slots), text)
        return in_both_tenses(wording) if self.tense else wording

    @property
    def required(self) -> tuple[str, ...]:
        """Texts that each new wording must hold; models soon drop a bare patient number."""
        return tuple(
            f"patient {words[0]}" if slot == "patient_id" else words[0]
            for slot, words in self.words.items()
        )

    def _word(self, slot: re.Match[str]) -> str:
        word = self.words[slot[2]][0]
        return with_article(word) if slot[1] else word


def without_known(words: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """Returns the words that no known wording says outside its slots."""
    texts = [SLOT.sub("", wording).lower() for wording in known]
    return tuple(
        word
        for word in words
        if not any(re.search(rf"(?<!\w){re.escape(word.lower())}(?!\w)", text) for text in texts)
    )


def _slot(found: re.Match[str], slots: Mapping[str, str]) -> str:
    return f"{{{'a:' if found[1] else ''}{slots[found[2].lower()]}}}"
