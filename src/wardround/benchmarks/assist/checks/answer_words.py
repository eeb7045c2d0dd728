"""Words of an answer beside those that are known, and beside the words of an item."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from wardround.benchmarks.assist.checks.clauses import known_words, named_places
from wardround.benchmarks.assist.checks.sentences import sentences
from wardround.benchmarks.assist.sessions import Language
from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.terms.chinese import plain
from wardround.ehr.text.segments import blanked
from wardround.ehr.values.embedders import ordinary_words
from wardround.people.similarity import text_vector

_LATIN = re.compile(r"[^\W\d_\u3400-\u9fff]+(?:'[a-z]+)?")
_HAN = re.compile(r"[\u3400-\u9fff]+")
_ENDINGS = ("'s", "s", "es", "ed", "d", "ing", "ly", "er", "est", "ness", "al", "able")
_SHORT = 3  # letters of an abbreviation
_NEAR = 0.2  # cosine; unrelated sentences of the shipped answers reach 0.18
_SHARED = 0.45  # share of an item's Chinese letters
_LONG_LATIN = re.compile(r"[A-Za-z]{4,}")


def unknown_words(text: str, language: Language) -> Iterator[str]:
    """The words of a text that no vocabulary has.

    >>> list(unknown_words("Put him on naproxen, or on Zorblax.", "en"))
    ['zorblax']
    >>> list(unknown_words("改用利佐替尼胺。", "zh"))
    ['利佐替尼胺']
    """
    shown = blanked(plain(text).replace("\u2019", "'"), named_places(text))
    for match in _LATIN.finditer(shown):
        written = text[match.start() : match.end()]
        if not _is_known(match[0], written):
            yield match[0]
    for match in _HAN.finditer(shown):
        yield from _drug_like(match[0])


def _is_known(word: str, written: str) -> bool:
    """True for an ordinary English word or a form of one; capitals abbreviate."""
    if not word.replace("'", "").isascii():
        return False
    if word in known_words() or word in _clinical_words():
        return True
    if len(word) == 1 and word not in "aix":
        return False
    if len(word) <= _SHORT and not written.islower() and not written.istitle():
        return False
    return _is_ordinary(word)


def _is_ordinary(word: str) -> bool:
    words = ordinary_words()
    if len(word) < 2 or word in words or word in known_words():
        return True
    for ending in _ENDINGS:
        base = word.removesuffix(ending)
        if base != word and len(base) >= 3:
            forms = (base, base + "e", base[:-1] if base[-1] == base[-2] else base)
            if any(
                form in words or form in known_words() or form in _clinical_words()
                for form in forms
            ):
                return True
    return False


@cache
def _clinical_words() -> frozenset[str]:
    """The words of lay names, side effects and questions to patients."""
    rows = (
        *(("wardround.ehr.terms", "lay_terms.tsv"), ("wardround.ehr.terms", "side_effects.tsv")),
        ("wardround.people.patient", "questions.tsv"),
    )
    cells = (cell for package, name in rows for row in read_rows(package, name) for cell in row)
    return frozenset(word for cell in cells for word in _LATIN.findall(cell.lower()))


def _drug_like(run: str) -> Iterator[str]:
    """Runs of letters that stand in names of drugs and in no ordinary words."""
    letters, ordinary = _drug_letters()
    for word in known_words():
        if not word.isascii():
            run = run.replace(word, " ")
    spelled = "".join(each if each in letters else " " for each in run)
    for match in re.finditer(r"\S{2,}", spelled):
        if any(each not in ordinary for each in match[0]):
            yield match[0]


@cache
def _drug_letters() -> tuple[frozenset[str], frozenset[str]]:
    """The letters of Chinese names of drugs, and those of ordinary questions and words."""
    rows = read_rows("wardround.ehr.terms", "chinese.tsv")
    names = [name for kind, _, han, *_ in rows if kind == "drug" for name in split_cell(han)]
    questions = [text for _, text in read_rows("wardround.people.patient", "questions.tsv")]
    ordinary = frozenset("".join(questions)) | frozenset("".join(known_words()))
    return frozenset("".join(names)), ordinary


def is_near(words: Sequence[str], answer: str, language: Language) -> bool:
    """True if a sentence of an answer comes near some words.

    >>> is_near(("drink", "heavily"), "He uses alcohol in excess. Sodium 142.", "en")
    True
    >>> is_near(("drink", "heavily"), "Sodium 142 mEq/L.", "en")
    False
    >>> is_near(("使用辅助步行器",), "患者走路用助行器。", "zh")
    True
    """
    if not words:
        return True
    if language == "zh":
        return any(_shares(words, sentence) for sentence in sentences(answer))
    meant = text_vector(" ".join(words))
    return any(float(meant @ text_vector(each)) >= _NEAR for each in sentences(answer))


def _shares(words: Sequence[str], sentence: str) -> bool:
    """True if a sentence has many of the letters, or says something in English."""
    letters = set("".join(words))
    return len(letters & set(sentence)) >= _SHARED * len(letters) or bool(
        _LONG_LATIN.search(sentence)
    )
