"""The diagnoses of a memory that a question names, by a term or by a word of their names."""

import re
from functools import cache

from wardround.core.packaged_data import read_rows
from wardround.ehr.terms.chinese import mentions
from wardround.people.patient.memory import Diagnosis, PatientMemory

_WORD = re.compile(r"[a-z]{5,}")
_ENDING = 3  # letters by which two forms of a word may differ, as in migraine and migraines


def named_diagnoses(question: str, memory: PatientMemory) -> tuple[Diagnosis, ...]:
    """The memory's diagnoses that a question in either language names.

    A known term names a diagnosis, and so does a word of its name that labelled questions about
    other topics do not use: "migraines" names a migraine, "home" does not name home oxygen.
    """
    terms = {mention.english for mention in mentions(question, "diagnosis")}
    asked = _words(question) - _general_words()
    return tuple(
        each for each in memory.diagnoses if each.generic in terms or _shares_word(asked, each)
    )


def _shares_word(asked: set[str], diagnosis: Diagnosis) -> bool:
    name_words = _words(f"{diagnosis.named('en')} {diagnosis.generic}")
    return any(_same_word(word, other) for word in asked for other in name_words)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def _same_word(first: str, second: str) -> bool:
    short, long = sorted((first, second), key=len)
    return long.startswith(short) and len(long) - len(short) <= _ENDING


@cache
def _general_words() -> frozenset[str]:
    rows = read_rows(__package__, "questions.tsv")
    return frozenset(
        word for topic, question in rows if topic != "diagnoses" for word in _words(question)
    )
