"""Slots of a wording given ordinary words while a model words it anew, and taken back (3.3)."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from wardround.authoring.ehrsql.paraphrases.template_wordings import Asked
from wardround.authoring.ehrsql.questions import wordings
from wardround.authoring.ehrsql.templates.grammar import in_tense, with_article

SLOT = re.compile(r"\{(a:)?(\w+)\}")

_NOW_OR_THEN = (("has been", "was"), ("have been", "were"), ("is", "was"), ("are", "were"))
_OPEN = re.compile(rf"\b({'|'.join(now for now, _ in _NOW_OR_THEN)})\b")


@dataclass(frozen=True)
class StandIns:
    """What stands for each slot of a template; the first is shown, any is taken back.

    >>> from wardround.authoring.ehrsql.templates import question_template
    >>> names = stand_ins(question_template("has-drug"))
    >>> names.spoken("[Has|Was] patient {patient_id} [been given|given] {drug_name} {global1}?")
    'Has patient 10027 been given aspirin since 2019?'
    >>> names.restored("Aspirin since 2019, for patient 10027?")
    '{drug_name} {global1}, for patient {patient_id}?'
    """

    said: Mapping[str, Sequence[str]]
    tense: bool

    def spoken(self, wording: str) -> str:
        """The wording with its slots filled, in the tense of a time that is not over."""
        return SLOT.sub(self._said, in_tense(wording, over=False))

    def restored(self, text: str) -> str:
        """The text with its slots open, and with both tenses where the template has them."""
        slots = {word.lower(): slot for slot, words in self.said.items() for word in words}
        longest = sorted(map(re.escape, slots), key=len, reverse=True)
        word = re.compile(rf"(?<!\w)(an? )?({'|'.join(longest) or '(?!)'})(?!\w)", re.IGNORECASE)
        wording = word.sub(lambda at: _slot(at, slots), text)
        return in_both_tenses(wording) if self.tense else wording

    @property
    def shown(self) -> tuple[str, ...]:
        """What is to stand in each new wording; a patient's number by itself is soon lost."""
        return tuple(
            f"patient {words[0]}" if slot == "patient_id" else words[0]
            for slot, words in self.said.items()
        )

    def _said(self, slot: re.Match[str]) -> str:
        word = self.said[slot[2]][0]
        return with_article(word) if slot[1] else word


def stand_ins(asked: Asked) -> StandIns:
    """What stands for each slot of a template.

    Args:
        asked: An answerable or unanswerable template.
    """
    known = [SLOT.sub("", wording).lower() for wording in wordings(asked.id)]
    slots = dict.fromkeys(slot[2] for slot in SLOT.finditer(in_tense(asked.question, over=False)))
    said = {slot: _unsaid(_words(slot, asked.times), known) for slot in slots}
    return StandIns(said, tense="|" in asked.question)


def in_both_tenses(wording: str) -> str:
    """The wording with each present form beside the one for a time that is over.

    >>> in_both_tenses("Which drugs are given most?")
    'Which drugs [are|were] given most?'
    """
    over = dict(_NOW_OR_THEN)
    return _OPEN.sub(lambda now: f"[{now[1]}|{over[now[1]]}]", wording)


def _words(slot: str, times: Mapping[str, str]) -> Sequence[str]:
    by_slot, by_time = _stored()
    return by_time.get(times.get(slot, ""), by_time.get(slot, ())) or by_slot[slot]


def _unsaid(words: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    return tuple(
        word
        for word in words
        if not any(re.search(rf"(?<!\w){re.escape(word.lower())}(?!\w)", said) for said in known)
    )


def _slot(at: re.Match[str], slots: Mapping[str, str]) -> str:
    return f"{{{'a:' if at[1] else ''}{slots[at[2].lower()]}}}"


@cache
def _stored() -> tuple[Mapping[str, Sequence[str]], Mapping[str, Sequence[str]]]:
    stored = tomllib.loads((files(__package__) / "standins.toml").read_text(encoding="utf-8"))
    return stored["slots"], stored["times"]
