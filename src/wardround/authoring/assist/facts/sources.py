"""Sources of the values in a gold answer, checked on the JSON of the calls and not on their text.

A value that a rubric grades comes from a resource that a gold call of this turn or an earlier one
returned, from a function of such values, from the patient's words, from the physician's question,
or from a cited clinical rule. A value with none of these sources drops its turn.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal, TypeAlias

from wardround.authoring.assist.facts.functions import Function, Value, computed
from wardround.ehr.terms.clinical_rules import clinical_rule


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
class Briefed:
    """A fact that the session begins with: its date, or the patient's age or sex."""

    field: Literal["date", "age", "sex"]
    value: Value


@dataclass(frozen=True, slots=True)
class Computed:
    """A function of values."""

    function: Function
    of: tuple[Recorded | Quoted | Told | Asked | Briefed, ...]
    value: Value


@dataclass(frozen=True, slots=True)
class Cited:
    """A field of a clinical rule."""

    rule: str
    field: str
    value: Value


Source: TypeAlias = Recorded | Quoted | Computed | Told | Asked | Briefed | Cited
# The turn and call of a source that is not in a session yet.
UNPLACED = -1


@dataclass(frozen=True, slots=True)
class Transcript:
    """The questions and results of a session.

    Attributes:
        results: the whole results by turn and number of the call.
        spoken: the patient's words by turn and number of the call.
        questions: the implicit questions.
        facts: the facts that the session begins with.
    """

    results: Mapping[tuple[int, int], Any]
    spoken: Mapping[tuple[int, int], str]
    questions: Sequence[str]
    facts: Mapping[str, Value] = field(default_factory=dict)


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
        case Briefed(name, value):
            return transcript.facts.get(name) == value
        case Cited(rule, name, value):
            cited = getattr(clinical_rule(rule), name)
            return value in cited if isinstance(cited, tuple) else bool(cited == value)


_OBJECT = (dict, Mapping)  # most are plain, which is seen at once


def at(result: Any, path: str) -> Any:
    """The value at a path of JSON; None if there is none.

    >>> at({"entry": [{"resource": {"id": "7"}}]}, "entry.0.resource.id")
    '7'
    """
    for step, index in _steps(path):
        if isinstance(result, list):
            result = result[index] if index is not None and index < len(result) else None
        elif isinstance(result, _OBJECT):
            result = result.get(step)
        else:
            return None
    return result


def entries_of(result: Any) -> Sequence[Any]:
    """The resources of a result; none if it has found nothing."""
    return [each["resource"] for each in result["entry"]] if result else []


@lru_cache(10_000)
def _steps(path: str) -> tuple[tuple[str, int | None], ...]:
    """The steps of a path, each with the place in a list that it can mean."""
    return tuple((step, int(step) if step.isdigit() else None) for step in path.split("."))


def placed(source: Source, turn: int, call: int) -> Source:
    """A source of an unplaced call, with the turn and number that the call has got."""
    match source:
        case Recorded() | Quoted() | Told():
            return replace(source, turn=turn, call=call)
        case Computed(of=of):
            return replace(source, of=tuple(placed(each, turn, call) for each in of))  # type: ignore[misc]
        case Asked() | Briefed() | Cited():
            return source


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
