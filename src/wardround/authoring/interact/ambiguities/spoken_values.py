"""Spoken forms of the values and names in SQL, and their occurrence in requests."""

import re
from collections.abc import Iterator
from datetime import date, timedelta

from wardround.ehr.text.dates import MONTH_NAMES
from wardround.ehr.text.numerals import LARGEST, in_words
from wardround.people.clarifying.secret import Ambiguity

_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[ T]00:00(?::00)?)?\Z")
_PART = re.compile(r"'((?:[^']|'')*)'|([A-Za-z_]\w*)|(?<![\w.])(\d+(?:\.\d+)?)(?!\w|\.\d)")
# Smaller numbers are ambiguous in requests.
_LEAST_TELLING = 2


def name_in_words(name: str) -> str:
    """Turns a column's name into words.

    >>> name_in_words("a.admission_type")
    'admission type'
    """
    return name.rpartition(".")[2].strip('"').replace("_", " ").lower()


def forms(value: str) -> tuple[str, ...]:
    """Returns the spoken forms of a value, the longest first.

    >>> forms("2100-04-01")[:3], forms("12")
    (('on 1 April 2100', 'April 1, 2100', '1 April 2100'), ('twelve', '12'))
    """
    return tuple(sorted(dict.fromkeys(_forms(value)), key=len, reverse=True))


def as_day(value: str) -> date | None:
    """Parses a day; None for other texts."""
    match = _DAY.match(value)
    try:
        return date(*map(int, match.groups())) if match else None
    except ValueError:
        return None


def other_numbers(text: str, value: str) -> tuple[str, ...]:
    """Replaces a number or day in a piece of SQL by others, near ones first.

    >>> other_numbers("age >= 65", "65")
    ('age >= 81', 'age >= 52', 'age >= 130')
    """
    if day := as_day(value):
        moved = [str(day + timedelta(days)) for days in (91, -91, 182, -365)]
        return tuple(_replaced(text, value, value.replace(str(day), each)) for each in moved)
    if not re.fullmatch(r"\d+(?:\.\d+)?", value):
        return ()
    number = float(value)
    whole = "." not in value
    candidates = [number * 1.25, number * 0.8, number * 2]
    if whole:
        candidates = [max(number + 1, candidates[0]), min(number - 1, candidates[1]), candidates[2]]
    texts = [f"{round(each) if whole else round(each, 3):g}" for each in candidates if each > 0]
    return tuple(_replaced(text, value, each) for each in dict.fromkeys(texts) if each != value)


def given_away(ambiguity: Ambiguity, request: str) -> tuple[str, ...]:
    """Returns the hidden parts of an ambiguity's fragment if a request reveals all; else ().

    A request that also names part of another reading does not reveal the intended one.

    >>> old = Ambiguity("old", "semantic", ("age >= 65",), otherwise=("age >= 80",))
    >>> given_away(old, "Those of 65 or more."), given_away(old, "The old ones, not those of 6.")
    (('65',), ())
    """
    intended = dict.fromkeys(parts(ambiguity.fragments[0]) if ambiguity.fragments else ())
    alternative = dict.fromkeys(part for reading in ambiguity.otherwise for part in parts(reading))
    hidden = tuple(part for part in intended if part not in alternative)
    open_choice = any(says(request, part) for part in alternative if part not in intended)
    return hidden if not open_choice and all(says(request, part) for part in hidden) else ()


def parts(sql: str) -> tuple[str, ...]:
    """Splits a piece of SQL into words, texts and numbers.

    >>> parts("a IN ('it''s', '7') AND b > 3.5")
    ('a', 'IN', "it's", '7', 'AND', 'b', '3.5')
    """
    return tuple(
        word or number if text is None else text.replace("''", "'")
        for text, word, number in (match.groups() for match in _PART.finditer(sql))
    )


def says(request: str, part: str) -> bool:
    """True if a request contains a word, text or number, or a whole number in words.

    >>> says("Patients of sixty-five.", "65"), says("Bed 165.", "65"), says("One by one", "1")
    (True, False, False)
    """
    if not part.strip() or (part.isdigit() and int(part) < _LEAST_TELLING):
        return False
    spoken = [part.replace("_", " ")]
    if part.isdigit() and int(part) <= LARGEST:
        spoken.append(in_words(int(part)))
    text = request.lower().replace("-", " ").replace("_", " ")
    return any(
        re.search(rf"(?<![\w.]){re.escape(form.lower().replace('-', ' '))}(?!\w|\.\d)", text)
        for form in spoken
    )


def _replaced(text: str, value: str, replacement: str) -> str:
    return re.sub(rf"(?<![\w.]){re.escape(value)}(?!\w|\.\d)", lambda _: replacement, text)


def _forms(value: str) -> Iterator[str]:
    yield value
    if day := as_day(value):
        month = MONTH_NAMES[day.month - 1]
        yield f"{day.day} {month} {day.year}"
        yield f"on {day.day} {month} {day.year}"
        yield f"{month} {day.day}, {day.year}"
        if day.day == 1:
            yield f"{month} {day.year}"
        if (day.month, day.day) == (1, 1):
            yield str(day.year)
    elif value.isdigit() and int(value) <= LARGEST:
        yield in_words(int(value))
        if len(value) > 3:
            yield f"{int(value):,}"
