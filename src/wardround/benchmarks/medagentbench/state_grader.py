"""The strict grading: the resources that were written, by their meaning, and the answers.

Elements may stand in any form that means the same in R4: a route as text, coding or bare string,
a note as list or object, a rate as quantity or ratio.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeAlias

from wardround.benchmarks.medagentbench.environment import WRITE
from wardround.benchmarks.medagentbench.expected_writes import CATEGORIES, NEAR, Field, Write
from wardround.benchmarks.medagentbench.protocol import BASE, NOW, read_json
from wardround.benchmarks.medagentbench.references import Reference
from wardround.benchmarks.medagentbench.transcript_grader import final_result, notes, value_at
from wardround.core.trajectory import Trajectory

_UNITS = {
    "g": "g", "gm": "g", "gram": "g", "grams": "g",
    "h": "h", "hr": "h", "hrs": "h", "hour": "h", "hours": "h",
    "meq": "meq",
}  # fmt: skip
_ROUTES = {
    "iv": "iv", "intravenous": "iv", "intravenously": "iv", "47625008": "iv",
    "oral": "oral", "po": "oral", "by mouth": "oral", "orally": "oral", "26643006": "oral",
}  # fmt: skip
_EXACT = 1e-6


def strict_failure(trajectory: Trajectory, expected: Sequence[Reference]) -> str:
    """The reason why a trial fails by what it left behind; "" if one of the golds is met."""
    result = final_result(trajectory)
    if result is None:
        return "the agent did not finish"
    written = [note["resource"] for note in notes(trajectory, WRITE) if note["status"] == 201]
    reasons = [_failure(written, result, gold) for gold in expected]
    return "" if "" in reasons else reasons[0]


def _failure(written: list[Any], result: str, expected: Reference) -> str:
    if len(written) != len(expected.writes):
        return f"{len(written)} resources were written instead of {len(expected.writes)}"
    for write in expected.writes:
        if reason := _nearest_failure(written, write):
            return reason
    return _answer_failure(result, expected)


def _nearest_failure(written: list[Any], write: Write) -> str:
    """The reason why none of the written resources is the expected one."""
    same_type = [resource for resource in written if resource["resourceType"] == write.type]
    if not same_type:
        return f"no {write.type} was written"
    reasons = [_wrong_field(resource, write) for resource in same_type]
    return "" if "" in reasons else f"{write.type}: {reasons[0]} is not as expected"


def _wrong_field(resource: Any, write: Write) -> str:
    for field in write.fields:
        if not _means(resource, field):
            return ".".join(str(step) for step in field.path if isinstance(step, str))
    return ""


def _means(resource: Any, field: Field) -> bool:
    """True if a resource has the expected element in any form."""
    if field.test == "single":
        return True  # further categories contradict nothing
    names = [step for step in field.path if isinstance(step, str)]
    meaning = _MEANINGS.get(names[-1], _value_means)
    return meaning(resource, field)


def _coding_means(resource: Any, field: Field) -> bool:
    """True if a concept has the code in its own system, and no other code of that system."""
    if field.path[0] == "category":
        codings = _codings(value_at(resource, ("category",)))
        return any(
            coding.get("code") == field.value["code"]
            and coding.get("system") in (*CATEGORIES, None)
            for coding in codings
        )
    system, code = field.value["system"], field.value["code"]
    codings = _codings(value_at(resource, field.path[:1]))
    codes = {coding.get("code") for coding in codings if coding.get("system") in (system, None)}
    return codes == {code}


def _code_means(resource: Any, field: Field) -> bool:
    concept = value_at(resource, field.path)
    words = {coding.get("code") for coding in _codings(concept)}
    return field.value["text"] in {*words, value_at(concept, ("text",))}


def _route_means(resource: Any, field: Field) -> bool:
    return field.value.lower() in _routes(value_at(resource, field.path))


def _dose_means(resource: Any, field: Field) -> bool:
    dose = value_at(resource, field.path)
    is_unit = _unit(value_at(dose, ("unit",))) == _unit(field.value["unit"])
    return is_unit and _is_near(value_at(dose, ("value",)), field.value["value"], _EXACT)


def _rate_means(resource: Any, field: Field) -> bool:
    """True for the hours of a rate: those of a quantity, or the denominator of a ratio."""
    parent = value_at(resource, field.path[:-1])
    quantity = value_at(parent, ("rateQuantity",))
    ratio = value_at(parent, ("rateRatio", "denominator"))
    amounts = [each for each in (quantity, ratio) if isinstance(each, dict)]
    hours = [each.get("value") for each in amounts if _unit(each.get("unit")) == "h"]
    return any(_is_near(each, field.value["value"], _EXACT) for each in hours[:1])


def _now_means(resource: Any, field: Field) -> bool:
    return _same_instant(value_at(resource, field.path), NOW)


def _hour_means(resource: Any, field: Field) -> bool:
    """True for an instant of an hour such as `2023-11-14T08:`, in any notation."""
    time = _instant(value_at(resource, field.path))
    return time is not None and time.isoformat().startswith(field.value)


def _note_means(resource: Any, field: Field) -> bool:
    texts = _texts(value_at(resource, ("note",)))
    return any(_plain(field.value) in _plain(text) for text in texts)


def _subject_means(resource: Any, field: Field) -> bool:
    wanted, written = field.value["reference"], value_at(resource, ("subject", "reference"))
    return written in (wanted, BASE + wanted)


def _value_means(resource: Any, field: Field) -> bool:
    value = value_at(resource, field.path)
    if isinstance(field.value, int | float):
        return _is_near(value, field.value, NEAR)
    return isinstance(value, str) and _plain(value) == _plain(field.value)


def _unit_means(resource: Any, field: Field) -> bool:
    return _unit(value_at(resource, field.path)) == _unit(field.value)


_Meaning: TypeAlias = Callable[[Any, Field], bool]
_MEANINGS: Mapping[str, _Meaning] = {
    "coding": _coding_means,
    "code": _code_means,
    "route": _route_means,
    "doseQuantity": _dose_means,
    "rateQuantity": _rate_means,
    "authoredOn": _now_means,
    "effectiveDateTime": _now_means,
    "occurrenceDateTime": _hour_means,
    "text": _note_means,
    "subject": _subject_means,
    "unit": _unit_means,
}


def _codings(concept: Any) -> list[dict[str, Any]]:
    """The codings of a concept, or of each of a list of concepts."""
    concepts = concept if isinstance(concept, list) else [concept]
    lists = [value_at(each, ("coding",)) for each in concepts]
    return [c for each in lists if isinstance(each, list) for c in each if isinstance(c, dict)]


def _routes(route: Any) -> set[str]:
    words = [route] if isinstance(route, str) else [*_concept_words(route)]
    return {_ROUTES.get(word.strip().lower(), "") for word in words}


def _concept_words(concept: Any) -> Iterator[str]:
    if isinstance(concept, dict):
        for part in (concept, *_codings(concept)):
            words = (part.get(name) for name in ("text", "code", "display"))
            yield from (word for word in words if isinstance(word, str))


def _unit(text: Any) -> str:
    return _UNITS.get(str(text).strip().lower(), str(text))


def _texts(note: Any) -> list[str]:
    notes = note if isinstance(note, list) else [note]
    texts = [value_at(each, ("text",)) for each in notes]
    return [text for text in texts if isinstance(text, str)]


def _plain(text: str) -> str:
    return " ".join(text.split()).lower()


def _is_near(value: Any, gold: float, distance: float) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return abs(value - gold) <= distance
    except OverflowError:
        return False


def _instant(value: Any) -> datetime | None:
    try:
        time = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return None
    return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)


def _same_instant(value: Any, expected: str) -> bool:
    given, wanted = _instant(value), _instant(expected)
    return given is not None and given == wanted


def _answer_failure(result: str, expected: Reference) -> str:
    try:
        answers = read_json(result)
    except ValueError:
        return "its answers are not JSON"
    if not isinstance(answers, list):
        return "its answers are not a list"
    if expected.answer is None or (answers == [] and expected.may_be_empty):
        return ""
    same = len(answers) == len(expected.answer) and all(
        _same(given, gold, expected.tolerance)
        for given, gold in zip(answers, expected.answer, strict=True)
    )
    return "" if same else "its answers are not the expected ones"


def _same(given: Any, gold: Any, tolerance: float) -> bool:
    if isinstance(gold, int | float):
        try:
            return _is_near(float(given), gold, max(tolerance, _EXACT))
        except (TypeError, ValueError, OverflowError):
            return False
    return _same_instant(given, gold) or _plain(str(given)) == _plain(str(gold))
