"""Speech acts of a patient's clauses: telling, feeling, not knowing, hinting, talk as a machine."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import product
from typing import Literal, TypeAlias, get_args

from wardround.core.packaged_data import read_toml
from wardround.ehr.text.language import Language
from wardround.people.patient.letter_classifier import fitted, sample
from wardround.people.text_classifier import TextClassifier

SpeechAct: TypeAlias = Literal["fact", "feeling", "unknown", "hint", "machine"]
SPEECH_ACTS: tuple[SpeechAct, ...] = get_args(SpeechAct)
_CHOICE = re.compile(r"\[([^\]]*)\]")
_SLOT = re.compile(r"\{\w+\}")
_ACTS_OF_SCRIPT: dict[str, SpeechAct] = {
    "repeated": "feeling", "feeling": "feeling", "more": "feeling",
    "unknown": "unknown", "unknown_drug": "unknown", "which_drug": "unknown",
}  # fmt: skip
_EXAMPLES = 14  # expansions of a template that the classifier learns from


def speech_act(clause: str, language: Language) -> SpeechAct:
    """The likeliest act of a clause.

    >>> speech_act("as a large language model", "en"), speech_act("我只是一个程序", "zh")
    ('machine', 'machine')
    >>> speech_act("there is a thing I would rather leave out", "en")
    'hint'
    """
    scores = act_scores(clause, language)
    return max(SPEECH_ACTS, key=lambda act: scores[act])


@lru_cache(maxsize=4096)
def act_scores(clause: str, language: Language) -> dict[SpeechAct, float]:
    """The score of each act, about 1 for the right one."""
    return _classifier(language).scores(sample(clause))


@cache
def _classifier(language: Language) -> TextClassifier[SpeechAct]:
    examples = list(labelled_clauses(language))
    return fitted([text for _, text in examples], [act for act, _ in examples], SPEECH_ACTS)


def labelled_clauses(language: Language) -> Iterator[tuple[SpeechAct, str]]:
    """The clauses that the classifier learns from, with their acts."""
    yield from _script(language)
    templates = read_toml(__package__, "speech_acts.toml")[language]
    for act in SPEECH_ACTS:
        for template in templates[act]:
            yield from ((act, text) for text in expansions(template, _EXAMPLES))


def _script(language: Language) -> Iterator[tuple[SpeechAct, str]]:
    """The script's sentences without what they tell, with their acts."""
    for name, wording in read_toml(__package__, "wordings.toml")[language].items():
        for text in [wording] if isinstance(wording, str) else wording.values():
            yield _ACTS_OF_SCRIPT.get(name, "fact"), " ".join(_SLOT.sub(" ", text).split())


def expansions(template: str, most: int) -> list[str]:
    """Texts of a template, spread evenly over its alternatives.

    >>> expansions("I [am|feel] [ill|well|]", 3)
    ['I am', 'I am well', 'I feel well']
    """
    parts = [part.split("|") for part in _CHOICE.split(template)]
    texts = sorted({" ".join("".join(each).split()) for each in product(*parts)})
    indexes = dict.fromkeys(round(n * (len(texts) - 1) / max(most - 1, 1)) for n in range(most))
    return [texts[index] for index in indexes]
