"""Results of tools as an agent reads them, parsed line by line."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import orjson

# The dosage of a dose that was withheld.
NOT_GIVEN = "not given"
_HEADER = re.compile(r"([A-Z][A-Za-z]+): (\d+)")
_MEASUREMENT = re.compile(
    r"(?P<name>.+?): (?P<value>.+?)(?P<flag> \([A-Z][^()]*\))?"
    r"(?: \[(?P<low>-?[^\]-]*)-(?P<high>-?[^\]-]*)\])? @ (?P<time>\S*)"
)
_NUMBER = re.compile(r"[<>]?=?\s*(\d+(?:\.\d+)?)\s*(.*)")
_MEDICATION = re.compile(
    r"(?P<name>.+?): (?P<dosage>.*) \((?P<status>[^()]*)\) @ (?P<start>\S*)(?: to (?P<end>\S+))?"
)
_DIAGNOSIS = re.compile(r"(?:(?P<rank>\d+)\. )?(?P<title>.+) \((?P<code>[^()]*)\), (?P<status>\w+)")
_STAY = re.compile(r"hadm_id (?P<number>\S*): (?P<start>\S*) to (?P<end>\S*), \w+, (?P<facts>.*)")
_TITLE = re.compile(r"(?P<title>\S.*?) @ (?P<time>\d{4}-\d\d-\d\d\S*)")


@dataclass(frozen=True, slots=True)
class Measurement:
    """A result of a test, or a vital sign; `value` is as it stands, with its unit."""

    name: str
    value: str
    flag: str
    low: float | None
    high: float | None
    time: str

    @property
    def number(self) -> float | None:
        """The number of the value; None for a value in words."""
        match = _NUMBER.fullmatch(self.value)
        return float(match[1]) if match else None

    @property
    def unit(self) -> str:
        """The unit of the value."""
        match = _NUMBER.fullmatch(self.value)
        return match[2].strip() if match else ""


@dataclass(frozen=True, slots=True)
class Medication:
    """An order of a drug, or a dose that was given."""

    kind: str
    name: str
    dosage: str
    status: str
    start: str
    end: str


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A diagnosis of a stay."""

    rank: int
    title: str
    code: str


@dataclass(frozen=True, slots=True)
class Stay:
    """A hospital stay."""

    number: str
    start: str
    end: str
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Document:
    """A report, a note, or a section of a plan."""

    kind: str
    title: str
    time: str
    text: str


@dataclass(frozen=True, slots=True)
class Words:
    """The patient's words."""

    text: str


@dataclass(frozen=True, slots=True)
class Person:
    """The patient's own data."""

    data: Mapping[str, Any]


Entry: TypeAlias = Measurement | Medication | Diagnosis | Stay | Document | Words | Person


def read_result(text: str) -> tuple[Entry, ...]:
    r"""The entries of a tool's result; none for an error or a search that finds nothing.

    >>> read_result("Observation: 1\nINR(PT): 2.2 (Abnormal) [0.9-1.1] @ 2150-01-02")[0].value
    '2.2'
    >>> read_result('{"patient_response":"Since Monday."}')
    (Words(text='Since Monday.'),)
    """
    if text.startswith("{"):
        return tuple(_patient_words(text))
    header, _, rest = text.partition("\n")
    match = _HEADER.fullmatch(header)
    return tuple(_entries(match[1], rest)) if match else ()


def _patient_words(text: str) -> Iterator[Entry]:
    if (words := _json(text).get("patient_response")) is not None:
        yield Words(str(words))


def _json(text: str) -> dict[str, Any]:
    """A JSON object; an empty one for a text that was cut off."""
    try:
        data = orjson.loads(text)
    except orjson.JSONDecodeError:
        return {}
    return data if isinstance(data, dict) else {}


def _entries(kind: str, text: str) -> Iterator[Entry]:
    match kind:
        case "Patient":
            yield Person(_json(text.partition("\n")[0]))
        case "Observation":
            yield from _measurements(text)
        case "MedicationRequest" | "MedicationAdministration":
            for match in _matches(_MEDICATION, text):
                parts = {name: value or "" for name, value in match.groupdict().items()}
                yield Medication(kind, **parts)
        case "Condition":
            for match in _matches(_DIAGNOSIS, text):
                yield Diagnosis(int(match["rank"] or 0), match["title"], match["code"])
        case "Encounter":
            for match in _matches(_STAY, text):
                yield Stay(match["number"], match["start"], match["end"], _json(match["facts"]))
        case "DiagnosticReport" | "DocumentReference" | "CarePlan":
            yield from _documents(kind, text)


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    return (match for line in text.split("\n") if (match := pattern.fullmatch(line)))


def _measurements(text: str) -> Iterator[Measurement]:
    for match in _matches(_MEASUREMENT, text):
        flag = (match["flag"] or "").strip(" ()")
        low, high = (float(match[end]) if match[end] else None for end in ("low", "high"))
        yield Measurement(match["name"], match["value"], flag, low, high, match["time"])


def _documents(kind: str, text: str) -> Iterator[Document]:
    """Texts under their titles; each goes on to the next title."""
    title, lines = None, list[str]()
    for line in text.split("\n"):
        if match := _TITLE.fullmatch(line):
            if title:
                yield Document(kind, title["title"], title["time"], "\n".join(lines).strip())
            title, lines = match, []
        else:
            lines.append(line)
    if title:
        yield Document(kind, title["title"], title["time"], "\n".join(lines).strip())
