"""The typed slots of an instruction: patient, subject, operation, window, and absent answer."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias

from wardround.ehr.text.cues import negations
from wardround.ehr.text.numerals import from_words
from wardround.ehr.text.segments import statements, texts

Operation: TypeAlias = str  # a key of OPERATIONS, or "value"
Subject: TypeAlias = str  # a key of SUBJECTS, or "Observation"

# The words of each slot, in the order in which they are tried.
SUBJECTS: dict[Subject, str] = {
    "identifier": r"(which|the|their|an?|give me) (mrn|record number|medical record number)",
    "age": r"age|how old",
    "birthDate": r"(when|date) .*(born|birth)|birth ?da(y|te)",
    "telecom": r"(tele)?phone( number)?",
    "gender": r"gender|sex|male|female",
    "Procedure": r"procedures?|operations?|surger(y|ies)",
    "MedicationRequest": r"medications?|medicines?|drugs?|prescri\w+|orders? of drugs",
    "Condition": r"diagnos\w+|problems?|conditions?|icd codes?",
    "intensive care": r"intensive care|icu",
    "Encounter": r"admissions?|admitted|hospitali[sz]\w+|encounters?|hospital stays?",
}
OPERATIONS: dict[Operation, str] = {
    "count": r"how (many|often)|number of (?!the|an?\b)|count|how many times",
    "mean": r"mean|average",
    "highest": r"highest|maximum|max|peak|largest",
    "lowest": r"lowest|minimum|min|smallest",
    "first": r"first|earliest|initial",
    "time": r"when|(at )?what (time|date)",
    "any": r"^\W*(question:\s*)?(is|are|was|were|do|does|did|has|have) .*",
    "last": r"latest|last|most recent|newest|final|current|recent",
    "list": r"list|which|what",
}
_HOURS = {"hour": 1, "day": 24, "week": 168, "month": 720, "year": 8760}
_UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
_RECORD_NUMBER = re.compile(r"(?<!code )(?<!code of )\b[A-Z]{0,3}\d{6,}\b")
_DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b(?!T)")
_TIME = re.compile(r"\b\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)?")
_WINDOW = re.compile(
    r"\b(?:last|past|preceding|previous|prior)\s+(\d+|[a-z]+)?\s*\b(hour|day|week|month|year)s?\b",
    re.IGNORECASE,
)
_OLDER = re.compile(r"\bolder than\s+(\d+|[a-z]+)\s+(hour|day|week|month|year)s?\b", re.IGNORECASE)
_CODED = re.compile(r'\bcoded?\b[^".]*"([^"\s]+)"', re.IGNORECASE)
_ICD = re.compile(r"\bcode ([A-Z]?\d[\w.]+)")


@dataclass(frozen=True, slots=True)
class Question:
    """An instruction, read.

    Attributes:
        text: the sentences that ask, without the window.
        whole: everything that was written.
        patient: a record number or id; empty if the patient is named.
        born: the birth date of a named patient.
        operations: operations in the text; the first decides.
        code: the code of a measurement or diagnosis, if it is written.
        window: the time before now that counts.
        absent: the answer where there is nothing.
    """

    text: str
    whole: str
    patient: str
    born: str
    subject: Subject
    operations: tuple[Operation, ...]
    code: str
    now: datetime | None
    window: timedelta | None
    absent: tuple[str | int, ...]


def read_question(whole: str) -> Question | None:
    """Reads an instruction; None if it names no patient or asks nothing that is understood.

    >>> question = read_question("What is the latest sodium of the patient S1234567?")
    >>> question.patient, question.subject, question.operations[0]
    ('S1234567', 'Observation', 'last')
    """
    asked = " ".join(filter(_asks, _statements(whole)))
    uuid, born = _UUID.search(whole), _DATE.search(asked)
    text = _WINDOW.sub(" ", asked)
    operations = tuple(name for name, words in OPERATIONS.items() if _has(words, text))
    patient = uuid[0] if uuid else record_number(asked)
    subject = _subject(text, patient)
    if not (patient or born) or (subject == "Observation" and not operations):
        return None
    now, code = _TIME.search(whole), _CODED.search(whole) or _ICD.search(asked)
    return Question(
        text,
        whole,
        patient,
        born[0] if born else "",
        subject,
        operations or ("value",),
        code[1] if code else "",
        datetime.fromisoformat(now[0]) if now else None,
        _window(asked),
        _absent(whole),
    )


def record_number(text: str) -> str:
    """The first number of a patient in a text; empty if it has none.

    >>> record_number("The code 123456789 is for S1234567.")
    'S1234567'
    """
    match = _RECORD_NUMBER.search(text)
    return match[0] if match else ""


def _subject(text: str, patient: str) -> Subject:
    """The first subject that a text names; a record number that is given is not asked for."""
    named = (name for name, words in SUBJECTS.items() if _has(words, text))
    return next((name for name in named if name != "identifier" or not patient), "Observation")


def _asks(sentence: str) -> bool:
    return "?" in sentence or any(p.search(sentence) for p in (_RECORD_NUMBER, _DATE))


def _statements(text: str) -> list[str]:
    return texts(text, statements(text, "en"))


def _has(words: str, text: str) -> bool:
    pattern = words if words.startswith("^") else rf"\b(?:{words})\b"
    return re.search(pattern, text, re.IGNORECASE) is not None


def _window(text: str) -> timedelta | None:
    match = _WINDOW.search(text)
    return None if match is None else _length(match)


def _length(match: re.Match[str]) -> timedelta | None:
    written = (match[1] or "").lower()
    if written in ("", "a"):
        number: int | None = 1
    else:
        number = int(written) if written.isdigit() else from_words(written)
    return None if number is None else timedelta(hours=number * _HOURS[match[2].lower()])


def limit_of_age(text: str) -> timedelta | None:
    """The age of a result beyond which a text calls it too old."""
    match = _OLDER.search(text)
    return None if match is None else _length(match)


def _absent(text: str) -> tuple[str | int, ...]:
    """The answer that the text prescribes where there is nothing."""
    if re.search(r"(?<![\w-])-1\b", text):
        return (-1,)
    for sentence in _statements(text):
        if negations(sentence, "en") and (quoted := re.findall(r'"([^"]+)"', sentence)):
            return (str(quoted[-1]),)
    return ()
