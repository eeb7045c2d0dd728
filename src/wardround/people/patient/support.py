"""Finds what a patient's words state beyond what is known: each clause against the facts.

The words of a clause count as supported by a known word that is the same or near in meaning, and as
ordinary where they belong to moods, ignorance or the script's sentences. Numbers, times, relatives,
diagnoses, drugs and tests are supported only by the same one.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import product
from typing import Literal, TypeAlias, get_args

from wardround.core.packaged_data import read_toml
from wardround.ehr.terms.chinese import TermKind, plain
from wardround.ehr.text.language import Language
from wardround.ehr.text.mentions import mentions
from wardround.ehr.text.segments import blanked, phrases, sentences, texts
from wardround.people.patient.letter_classifier import fitted, sample
from wardround.people.patient.life import life
from wardround.people.patient.memory import Level, Medication, PatientMemory, Symptom
from wardround.people.similarity import best_similarity
from wardround.people.text_classifier import TextClassifier

_SIGNS = " .!?。！？\"'"
_LATIN = re.compile(r"[a-z]+(?:['\u2019][a-z]+)?")
_HAN = re.compile(r"[\u4e00-\u9fff]+")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_MOODS = frozenset({"feeling", "unknown"})
_KINDS: tuple[TermKind, ...] = ("diagnosis", "drug", "test")
_NEAR = 0.25  # similarity of a word to a known one, learned on clauses of the development set
_SAME = 0.5  # similarity of two forms of a word
_LETTERS = 2  # unknown Chinese letters that make a clause one of other content
_LIKELY, _PLAIN = 0.35, 0.6  # least score of an act, and of one in a clause of known content
_ENDING = re.compile("['\u2019](?:s|d|ve|ll|re|m)$")
_SHORTEST = 3  # letters of an English word of content

SpeechAct: TypeAlias = Literal["fact", "feeling", "unknown", "hint", "machine"]
SPEECH_ACTS: tuple[SpeechAct, ...] = get_args(SpeechAct)
_CHOICE = re.compile(r"\[([^\]]*)\]")
_SLOT = re.compile(r"\{\w+\}")
_ACTS_OF_SCRIPT: dict[str, SpeechAct] = {
    "repeated": "feeling", "feeling": "feeling", "more": "feeling",
    "unknown": "unknown", "unknown_drug": "unknown", "which_drug": "unknown",
}  # fmt: skip
_EXAMPLES = 14  # expansions of a template that the classifier learns from


@dataclass(frozen=True)
class Facts:
    """Texts that a patient may rest on.

    Attributes:
        text: the texts, joined.
        language: their language.
    """

    text: str
    language: Language

    @cached_property
    def words(self) -> frozenset[str]:
        """Their English words."""
        return frozenset(_LATIN.findall(plain(self.text)))

    @cached_property
    def exact(self) -> frozenset[str]:
        """Their numbers, times and relatives."""
        return frozenset(_exact(self.text, self.language))

    @cached_property
    def terms(self) -> frozenset[str]:
        """The English names of their diagnoses, drugs and tests."""
        return frozenset(name for name, _ in _terms(self.text))

    @cached_property
    def pairs(self) -> frozenset[str]:
        """Their pairs of Chinese letters."""
        return _pairs(self.text)

    def has_term(self, name: str, written: str) -> bool:
        """True if they name a term, or have the words that it is written in, in any form."""
        if name in self.terms:
            return True
        words = _LATIN.findall(written)
        return (
            all(self.nearness(word) >= _SAME for word in words) if words else written in self.text
        )

    def nearness(self, word: str) -> float:
        """The similarity of an English word to the nearest of theirs."""
        return best_similarity(word, self.words)


def unsupported(text: str, facts: Facts, question: str = "") -> Iterator[str]:
    """The clauses of a text that state something that is not among the facts.

    A clause that denies knowledge may repeat the words of the question.

    >>> known = Facts("It started three days ago. I live alone.", "en")
    >>> list(unsupported("It began 3 days ago, and I live with my wife. I am worried.", known))
    ['I live with my wife']
    >>> list(unsupported("三天前开始的，我还有哮喘。我很担心。", Facts("三天前开始", "zh")))
    ['我还有哮喘']
    """
    asked = Facts(f"{facts.text} | {question}", facts.language)
    for sentence in texts(text, sentences(text, facts.language)):
        whole = speech_act(sentence, facts.language)
        for clause in clauses(sentence, facts.language):
            acts = {whole, speech_act(clause, facts.language)}
            rests_on = asked if "unknown" in acts else facts
            if _states_more(clause, rests_on, is_mood=bool(acts & _MOODS)):
                yield clause


def clauses(text: str, language: Language) -> list[str]:
    """The clauses of a text without their signs.

    >>> clauses("It hurts, and I am worried.", "en"), clauses("很痛，我害怕。", "zh")
    (['It hurts', 'I am worried'], ['很痛', '我害怕'])
    """
    parts = (part.strip(_SIGNS) for part in texts(text, phrases(text, language)))
    return [part for part in parts if part]


def is_supported(clause: str, facts: Facts) -> bool:
    """True if a clause has content, all of it among the facts."""
    content = {*_content(clause, facts.language), *_exact(clause, facts.language)}
    if facts.language == "zh":
        runs = _HAN.findall(clause)
        content &= {run[index] for run in runs for index in _places(run, facts.pairs)}
    return bool(content) and not _states_more(clause, facts, is_mood=False)


def hints(text: str, facts: Facts) -> bool:
    """True if a text points at something that it does not tell."""
    return _acts_as("hint", text, facts)


def speaks_as_machine(text: str, facts: Facts) -> bool:
    """True if a text speaks as a program that plays a patient."""
    return _acts_as("machine", text, facts)


def _acts_as(act: SpeechAct, text: str, facts: Facts) -> bool:
    """True if a clause or sentence that is no fact itself does an act.

    One of known content must do it plainly.
    """
    whole = texts(text, sentences(text, facts.language))
    for part in (*clauses(text, facts.language), *whole):
        wording = " ".join(_without_terms(part).split())
        least = _PLAIN if is_supported(part, facts) else _LIKELY
        if plain(part) in plain(facts.text) or speech_act(wording, facts.language) != act:
            continue
        if act_scores(wording, facts.language)[act] >= least:
            return True
    return False


def _states_more(clause: str, facts: Facts, *, is_mood: bool) -> bool:
    """True if a clause has content beside the facts; a mood's time is none."""
    exact = set(_exact(clause, facts.language)) - facts.exact
    exact |= {name for name, words in _terms(clause) if not facts.has_term(name, words)}
    if is_mood:
        exact -= _group_names("calendar", facts.language)
    if exact:
        return True
    if facts.language == "zh":
        return len(set(_content(clause, "zh")) - _covered(clause, facts)) >= _LETTERS
    return any(facts.nearness(word) < _NEAR for word in _content(clause, "en"))


def _terms(text: str) -> Iterator[tuple[str, str]]:
    """The diagnoses, drugs and tests of a text by English name, and as they are written."""
    for mention in mentions(text, *_KINDS):
        yield mention.name, plain(mention.span.of(text))


def _exact(text: str, language: Language) -> Iterator[str]:
    """The numbers, times and relatives of a text."""
    shown = plain(text)
    yield from _NUMBER.findall(shown)
    numerals, closed = _numerals(language), _closed(language)
    if language == "en":
        words = _LATIN.findall(shown)
        yield from (numerals[word] for word in words if word in numerals)
        yield from (closed[form] for word in words for form in _forms(word) if form in closed)
        return
    yield from (numerals[letter] for letter in shown if letter in numerals)
    yield from (closed[match[0]] for match in _closed_pattern().finditer(shown))


def _forms(word: str) -> set[str]:
    """An English word without its ending."""
    return {word, word.removesuffix("s"), _ENDING.sub("", word)}


@cache
def _closed(language: Language) -> dict[str, str]:
    """The times and relatives, each with the name of its group."""
    groups = read_toml(__package__, "closed_classes.toml")[language]
    return {
        word: line.split()[0]
        for kind in ("calendar", "relatives")
        for line in groups[kind]
        for word in line.split()
    }


@cache
def _closed_pattern() -> re.Pattern[str]:
    # "一周一次" names no Monday.
    names = sorted(_closed("zh"), key=len, reverse=True)
    return re.compile("|".join([r"(?<=[一两三四每几])周", *names]))


def _content(clause: str, language: Language) -> Iterator[str]:
    """The words of content of a clause, in Chinese its letters."""
    shown = _without_terms(clause)
    if language == "en":
        for word in _LATIN.findall(shown):
            if len(word) >= _SHORTEST and _ordinary_words().isdisjoint(_forms(word)):
                yield word
        return
    shown = _adverbs().sub(" ", shown)
    skipped = _words("function", "zh") | _numerals("zh").keys()
    for run in _HAN.findall(shown):
        ordinary = _places(run, _ordinary_pairs())
        yield from (
            letter
            for index, letter in enumerate(run)
            if index not in ordinary and letter not in skipped
        )


def _covered(clause: str, facts: Facts) -> set[str]:
    """The letters of a clause that stand in the facts beside the same letter."""
    runs = _HAN.findall(_without_terms(clause))
    letters = {run[index] for run in runs for index in _places(run, facts.pairs)}
    return letters | {letter for run in runs for letter in run if letter in facts.text}


def _without_terms(text: str) -> str:
    return blanked(plain(text), [mention.span for mention in mentions(text, *_KINDS)])


def _places(run: str, pairs: Iterable[str]) -> set[int]:
    return {
        index
        for start in range(len(run) - 1)
        if run[start : start + 2] in pairs
        for index in (start, start + 1)
    }


def _pairs(text: str) -> frozenset[str]:
    runs = _HAN.findall(text)
    return frozenset(run[at : at + 2] for run in runs for at in range(len(run) - 1))


@cache
def _ordinary_words() -> frozenset[str]:
    exact = _words("calendar", "en") | _words("relatives", "en") | _numerals("en").keys()
    return frozenset(_LATIN.findall(plain(_ordinary_text("en")))) | _words("function", "en") | exact


@cache
def _adverbs() -> re.Pattern[str]:
    return re.compile("|".join(_words("adverbs", "zh")))


@cache
def _ordinary_pairs() -> frozenset[str]:
    return _pairs(_ordinary_text("zh"))


def _ordinary_text(language: Language) -> str:
    """The script's sentences, and the clauses of moods and ignorance."""
    acts = read_toml(__package__, "speech_acts.toml")[language]
    script = read_toml(__package__, "wordings.toml")[language]
    return "|".join([str(script), *acts["feeling"], *acts["unknown"]])


@cache
def _words(name: str, language: Language) -> frozenset[str]:
    lines = read_toml(__package__, "closed_classes.toml")[language][name]
    return frozenset(word for line in lines for word in line.split())


@cache
def _group_names(name: str, language: Language) -> frozenset[str]:
    lines = read_toml(__package__, "closed_classes.toml")[language][name]
    return frozenset(line.split()[0] for line in lines)


@cache
def _numerals(language: Language) -> dict[str, str]:
    numerals: dict[str, str] = read_toml(__package__, "closed_classes.toml")[language]["numerals"]
    return numerals


def tellable(
    memory: PatientMemory, withheld: Iterable[Medication], language: Language
) -> Iterator[str]:
    """The texts of a memory that a patient may tell, without those about withheld drugs."""
    for diagnosis in memory.diagnoses:
        yield from (diagnosis.named(language), diagnosis.medical_term, diagnosis.patient_impact)
    hidden = tuple(withheld)
    for drug in memory.medications:
        if drug not in hidden:
            yield from (drug.named(language), drug.drug, drug.text("patient_explanation", language))
            yield from (drug.text("indication", language), drug.adherence_evidence)
    for symptom in memory.symptom_log:
        yield from (symptom.text(field, language) for field in Symptom.model_fields)
    for field in ("social_history", "functional_status"):
        yield memory.text(field, language)
        for literacy in get_args(Level):
            yield from life(memory, field, language, literacy)


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
