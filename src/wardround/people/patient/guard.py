"""The guard over a patient's words: their language, their length, and what they must withhold."""

import re
from collections.abc import Iterable, Iterator

from wardround.ehr.terms.chinese import mentions, plain
from wardround.people.patient.memory import Language, Medication

LEAST_SENTENCES, MOST_SENTENCES = 2, 5
_END = re.compile(r"(?<=[!?。！？])\s*|(?<=[a-z)\"][.])\s+|(?<=\d[.])\s+(?=[A-Z])")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_LATIN = re.compile(r"[a-z]+", re.I)
_SHARED: dict[Language, int] = {
    "en": 5,
    "zh": 6,
}  # words or characters in a row that give an explanation away


def faults(text: str, language: Language, withheld: Iterable[Medication]) -> tuple[str, ...]:
    """The rules that an answer breaks, as sentences to its speaker; empty if it keeps them.

    >>> faults("I feel ill. It began today.", "en", ())
    ()
    >>> faults("我不舒服。", "en", ())
    ('Answer in English.', 'Say 2 to 5 sentences.')
    """
    return tuple(_faults(text, language, tuple(withheld)))


def _faults(text: str, language: Language, withheld: tuple[Medication, ...]) -> Iterator[str]:
    if not is_in(text, language):
        yield "Answer in English." if language == "en" else "请用中文回答。"
    if not LEAST_SENTENCES <= len(sentences(text)) <= MOST_SENTENCES:
        yield "Say 2 to 5 sentences." if language == "en" else "请说 2 到 5 句话。"
    if any(is_told(drug, text) for drug in withheld):
        yield (
            "Do not speak of a drug that nobody asked about."
            if language == "en"
            else "不要提没有人问到的药。"
        )


def is_in(text: str, language: Language) -> bool:
    """True if a text is in a language; single foreign names do not count."""
    han, latin = len(_HAN.findall(text)), len(_LATIN.findall(text))
    return han > latin if language == "zh" else latin > han


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text in either language.

    >>> sentences("It is 2.5 mg. Yes!"), sentences("好。不疼。")
    (('It is 2.5 mg.', 'Yes!'), ('好。', '不疼。'))
    """
    return tuple(part.strip() for part in _END.split(text) if part.strip())


def is_told(drug: Medication, text: str) -> bool:
    """True if a text names a drug, or repeats a part of the patient's explanation of it."""
    if any(drug.is_named_by(mention.english) for mention in mentions(text, "drug")):
        return True
    names = {plain(drug.drug), *(plain(drug.named(language)) for language in _SHARED)}
    if any(name and name in plain(text) for name in names):
        return True
    explained = ((drug.text("patient_explanation", each), each) for each in _SHARED)
    return any(_runs(words, each) & _runs(text, each) for words, each in explained if words)


def _runs(text: str, language: Language) -> set[tuple[str, ...]]:
    letters = _HAN if language == "zh" else _LATIN
    words, length = letters.findall(plain(text)), _SHARED[language]
    return {tuple(words[at : at + length]) for at in range(len(words) - length + 1)}
