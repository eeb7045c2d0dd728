"""Sources of the values in a gold answer, checked on the JSON of the calls and not on their text.

A value that a rubric grades comes from a resource that a gold call of this turn or an earlier one
returned, from a function of such values, from the patient's words, from the physician's question,
or from a cited clinical rule. A value with none of these sources drops its turn.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from typing import Any, Literal, TypeAlias

from wardround.ehr.terms.clinical_rules import clinical_rule

Value: TypeAlias = float | int | str
Function: TypeAlias = Literal["direction", "days", "flag", "day", "year", "dose", "age"]
_DAY, _YEAR = len("2180-01-01"), len("2180")
# Changes of less than this share of the first value are no rise and no fall.
_STEADY = 0.05


@dataclass(frozen=True, slots=True)
class Recorded:
    """A value in a result.

    Attributes:
        turn: the turn of the call.
        call: the number of the call in the turn.
        resource: the type and id of the resource, as in "Observation/1".
        path: where the value is in the result, as in "entry.0.resource.valueQuantity.value".
        value: the value.
    """

    turn: int
    call: int
    resource: str
    path: str
    value: Value


@dataclass(frozen=True, slots=True)
class Quoted:
    """Words of a text in a result, such as a note, at the path of that text."""

    turn: int
    call: int
    resource: str
    path: str
    quote: str
    value: Value


@dataclass(frozen=True, slots=True)
class Computed:
    """A function of values in results."""

    function: Function
    of: tuple[Recorded, ...]
    value: Value


@dataclass(frozen=True, slots=True)
class Told:
    """A sentence of the patient."""

    turn: int
    call: int
    quote: str
    value: Value


@dataclass(frozen=True, slots=True)
class Asked:
    """A word of the physician's implicit question."""

    turn: int
    quote: str
    value: Value


@dataclass(frozen=True, slots=True)
class Cited:
    """A field of a clinical rule."""

    rule: str
    field: str
    value: Value


Source: TypeAlias = Recorded | Quoted | Computed | Told | Asked | Cited
# The turn and call of a source that is not in a session yet.
UNPLACED = -1


@dataclass(frozen=True, slots=True)
class Transcript:
    """What was asked and returned in a session.

    Attributes:
        results: the whole results by turn and number of the call.
        spoken: the patient's words by turn and number of the call.
        questions: the implicit questions.
    """

    results: Mapping[tuple[int, int], Any]
    spoken: Mapping[tuple[int, int], str]
    questions: Sequence[str]


def is_grounded(source: Source, transcript: Transcript) -> bool:
    """True if a source gives its value.

    >>> result = {"entry": [{"resource": {"resourceType": "Patient", "id": "7", "gender": "male"}}]}
    >>> transcript = Transcript({(0, 0): result}, {}, [])
    >>> is_grounded(Recorded(0, 0, "Patient/7", "entry.0.resource.gender", "male"), transcript)
    True
    >>> is_grounded(Recorded(0, 0, "Patient/8", "entry.0.resource.gender", "male"), transcript)
    False
    """
    match source:
        case Recorded(turn, call, resource, path, value):
            result = transcript.results.get((turn, call))
            return _resource(result, path) == resource and at(result, path) == value
        case Quoted(turn, call, resource, path, quote):
            result = transcript.results.get((turn, call))
            text = at(result, path)
            return _resource(result, path) == resource and bool(quote) and quote in str(text)
        case Computed(function, of, value):
            return all(is_grounded(each, transcript) for each in of) and (
                computed(function, [each.value for each in of]) == value
            )
        case Told(turn, call, quote):
            return bool(quote) and quote in transcript.spoken.get((turn, call), "")
        case Asked(turn, quote):
            return (
                bool(quote)
                and turn < len(transcript.questions)
                and (quote.casefold() in transcript.questions[turn].casefold())
            )
        case Cited(rule, field, value):
            return bool(getattr(clinical_rule(rule), field) == value)


def at(result: Any, path: str) -> Any:
    """The value at a path of JSON; None if there is none.

    >>> at({"entry": [{"resource": {"id": "7"}}]}, "entry.0.resource.id")
    '7'
    """
    for step in path.split("."):
        if isinstance(result, Mapping):
            result = result.get(step)
        elif isinstance(result, list) and step.isdigit() and int(step) < len(result):
            result = result[int(step)]
        else:
            return None
    return result


def computed(function: Function, values: Sequence[Value]) -> Value:
    """The value of a function.

    >>> computed("direction", [5.6, 4.5]), computed("days", ["2148-03-30T07:10", "2148-04-02"])
    ('fall', 3)
    >>> computed("flag", [5.8, 3.3, 5.1]), computed("day", ["2148-04-02T06:21:00-04:00"])
    ('high', '2148-04-02')
    """
    match function:
        case "day":
            return str(values[0])[:_DAY]
        case "year":
            return int(str(values[0])[:_YEAR])
        case "dose":
            return f"{values[0]:g} {values[1]}"
        case "days":
            return (_date(values[-1]) - _date(values[0])).days
        case "age":
            born, now = _date(values[0]), _date(values[-1])
            return now.year - born.year - ((now.month, now.day) < (born.month, born.day))
        case "flag":
            value, low, high = map(float, values)
            return "low" if value < low else "high" if value > high else "normal"
        case "direction":
            first, last = float(values[0]), float(values[-1])
            if abs(last - first) <= abs(first) * _STEADY:
                return "steady"
            return "rise" if last > first else "fall"


def placed(source: Source, turn: int, call: int) -> Source:
    """A source of an unplaced call, with the turn and number that the call has got."""
    match source:
        case Recorded() | Quoted() | Told():
            return replace(source, turn=turn, call=call)
        case Computed(of=of):
            return replace(source, of=tuple(replace(e, turn=turn, call=call) for e in of))
        case Asked():
            return replace(source, turn=turn)
        case Cited():
            return source


def _date(value: Value) -> date:
    return date.fromisoformat(str(value)[:_DAY])


def to_json(source: Source) -> dict[str, Any]:
    """A source as it is stored beside a rubric item."""
    return {"kind": type(source).__name__.lower(), **asdict(source)}


def _resource(result: Any, path: str) -> str:
    """The type and id of the resource that a path leads into."""
    steps = path.split(".")
    whole = at(result, ".".join(steps[:3])) if steps[0] == "entry" else result
    if not isinstance(whole, Mapping):
        return ""
    return "/".join(str(whole[name]) for name in ("resourceType", "id") if name in whole)
