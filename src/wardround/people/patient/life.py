"""A patient's life and function as sentences, from the lines of a note, in both languages."""

from collections.abc import Mapping
from functools import cache

from wardround.core.packaged_data import read_rows
from wardround.ehr.text.language import Language
from wardround.ehr.text.segments import sentences, texts
from wardround.people.patient.memory import PatientMemory

_HABITS = ("tobacco", "alcohol", "drugs")


def life(memory: PatientMemory, field: str, language: Language) -> tuple[str, ...]:
    """The sentences on a part of a patient's life; habits share one, so that all are told.

    >>> note = "Lives alone. Work: cook. Tobacco: never smoker. Alcohol: none. Drugs: denies."
    >>> known = PatientMemory(subject_id=1, social_history=note)
    >>> life(known, "social_history", "en")
    ('I live alone.', 'My work: cook.', 'Tobacco: never smoker; alcohol: none; drugs: denies.')
    >>> life(known, "social_history", "zh")[0]
    '我一个人住。'
    """
    told = memory.text(field, language)
    if told and (language == "zh" or told.startswith(("I ", "My "))):
        return tuple(texts(told, sentences(told, language)))
    text = memory.text(field, "en")
    lines = tuple(line.rstrip(".") for line in texts(text, sentences(text, "en")))
    return _chinese(lines) if language == "zh" else tuple(_english(lines))


def _english(lines: tuple[str, ...]) -> list[str]:
    habits = [line for line in lines if _is_habit(line)]
    told = [_first_person(line) for line in lines if line not in habits]
    if habits:
        first, *others = habits
        told.append("; ".join([first, *(line[0].lower() + line[1:] for line in others)]) + ".")
    return told


def _first_person(line: str) -> str:
    """A line of a note in the patient's mouth, else introduced."""
    for verb in ("live", "walk", "use", "need"):
        if line.lower().startswith(f"{verb}s "):
            return f"I {verb}{line[len(verb) + 1 :].replace(', needs ', ', I need ')}."
    if line.lower().startswith("work: "):
        return f"My work: {line[6:]}."
    own = line.replace(", walks ", ", I walk ").replace(", needs ", ", I need ")
    return f"About my daily life: {own}."


def _chinese(lines: tuple[str, ...]) -> tuple[str, ...]:
    """The lines in Chinese; one with a part that is not known in it is left out."""
    told = {line: parts for line in lines if (parts := _rendered(line))}
    habits = [parts for line, parts in told.items() if _is_habit(line)]
    said = [f"{parts}。" for line, parts in told.items() if not _is_habit(line)]
    return (*said, *(["；".join(habits) + "。"] if habits else []))


def _rendered(line: str) -> str:
    """A line's longest known parts in Chinese; "" if one is unknown."""
    parts, found = line.lower().split(", "), []
    while parts:
        ends = range(len(parts), 0, -1)
        end = next((end for end in ends if ", ".join(parts[:end]) in _words()), 0)
        if not end:
            return ""
        found.append(_words()[", ".join(parts[:end])])
        parts = parts[end:]
    return "，".join(found)


def _is_habit(line: str) -> bool:
    return line.lower().startswith(tuple(f"{habit}:" for habit in _HABITS))


@cache
def _words() -> Mapping[str, str]:
    return {row[0]: row[1] for row in read_rows(__package__, "life_words.tsv")}
