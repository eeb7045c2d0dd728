"""The strict grading: the resources that were written, by their meaning, and the answers.

Elements may stand in any form that means the same in R4: a route as text, coding or bare string,
a note as list or object, a rate as quantity or ratio.
"""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from wardround.benchmarks.medagentbench.environment import WRITE
from wardround.benchmarks.medagentbench.protocol import as_json
from wardround.benchmarks.medagentbench.references import Field, Reference, Write
from wardround.benchmarks.medagentbench.transcript_grader import final_result, notes, value_at
from wardround.core.trajectory import Trajectory

_NEAR = 0.1
_UNITS = {
    "g": "g", "gm": "g", "gram": "g", "grams": "g",
    "h": "h", "hr": "h", "hrs": "h", "hour": "h", "hours": "h",
    "meq": "meq",
}  # fmt: skip
_ROUTES = {
    "iv": "iv", "intravenous": "iv", "intravenously": "iv", "47625008": "iv",
    "oral": "oral", "po": "oral", "by mouth": "oral", "orally": "oral", "26643006": "oral",
}  # fmt: skip


def strict_failure(trajectory: Trajectory, expected: Reference) -> str:
    """Why a trial fails by what it left behind; "" if it passes."""
    result = final_result(trajectory)
    if result is None:
        return "the agent did not finish"
    written = [note["resource"] for note in notes(trajectory, WRITE) if note["status"] == 201]
    if len(written) != len(expected.writes):
        return f"{len(written)} resources were written instead of {len(expected.writes)}"
    for write in expected.writes:
        if reason := _nearest_failure(written, write):
            return reason
    return _answer_failure(as_json(result), expected)


def _nearest_failure(written: list[Any], write: Write) -> str:
    """Why none of the written resources is the expected one."""
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
    place = tuple(step for step in field.path if isinstance(step, str))
    match place:
        case (*_, "coding", "system"):
            return True  # the code is looked up in its own vocabulary alone
        case (head, *_, "code") if "coding" in place:
            return field.value in _codes(value_at(resource, (head,)))
        case (*_, "route"):
            return field.value.lower() in _routes(value_at(resource, field.path))
        case (*_, "rateQuantity", "value"):
            return bool(_rate(resource, field) == field.value)
        case (*_, "rateQuantity", "unit"):
            return True  # part of the rate
        case (*_, "unit"):
            return _unit(value_at(resource, field.path)) == _unit(field.value)
        case ("authoredOn",) | ("effectiveDateTime",):
            return _same_instant(value_at(resource, field.path), field.value)
        case ("note", "text"):
            texts = _texts(value_at(resource, ("note",)))
            return any(_plain(field.value) in _plain(text) for text in texts)
        case ("code", "text"):
            found = value_at(resource, ("code",))
            return field.value in {*_codes(found), value_at(found, ("text",))}
    value = value_at(resource, field.path)
    if isinstance(field.value, int | float):
        return isinstance(value, int | float) and abs(value - field.value) <= _NEAR
    return isinstance(value, str) and _string_fits(value, field)


def _string_fits(value: str, field: Field) -> bool:
    fits: dict[str, Callable[[], bool]] = {
        "starts": lambda: value.startswith(field.value),
        "contains": lambda: field.value in value,
    }
    return fits.get(field.test, lambda: _plain(value) == _plain(field.value))()


def _codes(concept: Any) -> set[Any]:
    """The codes of a concept, or of each of a list of concepts."""
    concepts = concept if isinstance(concept, list) else [concept]
    codings = (c for each in concepts if isinstance(each, dict) for c in each.get("coding", ()))
    return {coding.get("code") for coding in codings if isinstance(coding, dict)}


def _routes(route: Any) -> set[str]:
    words = [route] if isinstance(route, str) else [*_concept_words(route)]
    return {_ROUTES.get(word.strip().lower(), "") for word in words}


def _concept_words(concept: Any) -> Iterator[str]:
    if isinstance(concept, dict):
        for part in (concept, *concept.get("coding", ())):
            words = (part.get(name) for name in ("text", "code", "display"))
            yield from (word for word in words if isinstance(word, str))


def _rate(resource: Any, field: Field) -> Any:
    """The hours of a rate: those of a quantity, or the denominator of a ratio."""
    parent = value_at(resource, field.path[:-2])
    quantity = value_at(parent, ("rateQuantity",))
    ratio = value_at(parent, ("rateRatio", "denominator"))
    for amount in (quantity, ratio):
        if isinstance(amount, dict) and _unit(amount.get("unit")) == "h":
            return amount.get("value")
    return None


def _unit(text: Any) -> str:
    return _UNITS.get(str(text).strip().lower(), str(text))


def _texts(note: Any) -> list[str]:
    notes = note if isinstance(note, list) else [note]
    return [each["text"] for each in notes if isinstance(each, dict) and "text" in each]


def _plain(text: str) -> str:
    return " ".join(text.split()).lower()


def _same_instant(value: Any, expected: str) -> bool:
    try:
        return datetime.fromisoformat(value) == datetime.fromisoformat(expected)
    except (TypeError, ValueError):
        return False


def _answer_failure(answers: Any, expected: Reference) -> str:
    if expected.answer is None or (answers == [] and not expected.asks_for_answer):
        return ""
    if not isinstance(answers, list) or len(answers) != len(expected.answer):
        return "its answers are not the expected ones"
    pairs = zip(answers, expected.answer, strict=True)
    same = all(_same(given, gold, expected.tolerance) for given, gold in pairs)
    return "" if same else "its answers are not the expected ones"


def _same(given: Any, gold: Any, tolerance: float) -> bool:
    if isinstance(gold, int | float):
        try:
            return abs(float(given) - gold) <= max(tolerance, 1e-6)
        except (TypeError, ValueError):
            return False
    return _same_instant(given, gold) or _plain(str(given)) == _plain(str(gold))
