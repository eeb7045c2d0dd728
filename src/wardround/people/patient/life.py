"""A patient's life and function as sentences, from the lines of a note, in both languages.

Lines that are known have other words at a lower health literacy; others are told as the note has
them.
"""

from collections.abc import Mapping
from functools import cache

from wardround.core.packaged_data import read_rows
from wardround.ehr.text.language import Language
from wardround.ehr.text.segments import sentences, texts
from wardround.people.patient.memory import Level, PatientMemory

_HABITS = ("tobacco", "alcohol", "drugs")


def life(
    memory: PatientMemory, field: str, language: Language, literacy: Level = "high"
) -> tuple[str, ...]:
    """The sentences on a part of a patient's life; habits share one, so that all are told.

    >>> note = "Lives alone. Work: cook. Tobacco: never smoker. Alcohol: none. Drugs: denies."
    >>> known = PatientMemory(subject_id=1, social_history=note)
    >>> life(known, "social_history", "en")[:2]
    ('I live alone.', 'I work as a cook.')
    >>> life(known, "social_history", "en", "low")[-1]
    'Never smoked; no drinking; no drugs.'
    >>> life(known, "social_history", "zh")[0]
    '我一个人住。'
    """
    own_words = memory.text(field, language)
    if own_words and (language == "zh" or own_words.startswith(("I ", "My "))):
        return tuple(texts(own_words, sentences(own_words, language)))
    text = memory.text(field, "en")
    lines = tuple(line.rstrip(".") for line in texts(text, sentences(text, "en")))
    return _chinese(lines, literacy) if language == "zh" else _english(lines, literacy)


def line_words(line: str) -> str:
    """The words of a known line of a note at a high literacy in English; "" if it is unknown."""
    return _rendered(line, "en", "high")


def _english(lines: tuple[str, ...], literacy: Level) -> tuple[str, ...]:
    rendered = {line: _rendered(line, "en", literacy) for line in lines}
    habits = [rendered[line] or line for line in lines if _is_habit(line)]
    others = [
        _sentence(rendered[line]) or _in_first_person(line) for line in lines if not _is_habit(line)
    ]
    listed = "; ".join([*habits[:1], *map(_within_sentence, habits[1:])])
    return (*others, *([_sentence(listed)] if listed else []))


def _within_sentence(words: str) -> str:
    return words if words.startswith("I ") else words[0].lower() + words[1:]


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}." if words else ""


def _in_first_person(line: str) -> str:
    """A line of a note in the patient's mouth, else introduced."""
    for verb in ("live", "walk", "use", "need"):
        if line.lower().startswith(f"{verb}s "):
            return f"I {verb}{line[len(verb) + 1 :].replace(', needs ', ', I need ')}."
    if line.lower().startswith("work: "):
        return f"My work is this: {line[6:]}."
    sentence = line.replace(", walks ", ", I walk ").replace(", needs ", ", I need ")
    return f"About my daily life: {sentence}."


def _chinese(lines: tuple[str, ...], literacy: Level) -> tuple[str, ...]:
    """The lines in Chinese; one with a part that is not known in it is left out."""
    rendered = {line: parts for line in lines if (parts := _rendered(line, "zh", literacy))}
    habits = [parts for line, parts in rendered.items() if _is_habit(line)]
    others = [f"{parts}。" for line, parts in rendered.items() if not _is_habit(line)]
    return (*others, *(["；".join(habits) + "。"] if habits else []))


def _rendered(line: str, language: Language, literacy: Level) -> str:
    """A line's longest known parts in the patient's words; "" if one is unknown."""
    words = _words().get((language, literacy), {})
    parts, rendered = line.lower().split(", "), []
    while parts:
        ends = range(len(parts), 0, -1)
        end = next((end for end in ends if ", ".join(parts[:end]) in words), 0)
        if not end:
            return ""
        rendered.append(words[", ".join(parts[:end])])
        parts = parts[end:]
    return ("，" if language == "zh" else ", ").join(rendered)


def _is_habit(line: str) -> bool:
    return line.lower().startswith(tuple(f"{habit}:" for habit in _HABITS))


@cache
def _words() -> Mapping[tuple[Language, Level], Mapping[str, str]]:
    """The words of each line by language and literacy.

    A high one tells English lines as notes have them, but for those with a heading.
    """
    rows = list(read_rows(__package__, "life_words.tsv"))
    columns: dict[tuple[Language, Level], int] = {
        ("zh", "high"): 1, ("en", "medium"): 2, ("en", "low"): 3, ("zh", "medium"): 4,
        ("zh", "low"): 5,
    }  # fmt: skip
    words = {key: {row[0]: row[at] for row in rows} for key, at in columns.items()}
    words["en", "high"] = {row[0]: row[2] for row in rows if ": " in row[0]}
    return words
