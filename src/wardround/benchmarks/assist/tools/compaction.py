"""Results of tools in short, as agents read them: a line for each entry, texts cut off."""

from collections.abc import Mapping
from typing import Any

from wardround.benchmarks.assist.tools.arguments import Shapes
from wardround.benchmarks.assist.tools.documents import document_lines
from wardround.benchmarks.assist.tools.medications import medication_line
from wardround.benchmarks.assist.tools.observations import observation_line
from wardround.benchmarks.assist.tools.results import LEFT_OUT, NOTES, STAY, label
from wardround.benchmarks.kit.agent_texts import as_json
from wardround.ehr.fhir.interaction import Resource

# The most entries and letters of a result, and letters of a text (PhysAssistBench's code); strict
# shows all that a tool returns.
_ENTRIES = {"paper": 15, "strict": 1_000}
_LETTERS = {"paper": 4_000, "strict": 24_000}
_DAY = len("2180-01-01")
_TEXT = {"paper": 800, "strict": 4_000}


def compact(result: Any, shapes: Shapes) -> str:
    """A result as an agent reads it.

    >>> compact({"error": "Patient.read: subject_id is missing."}, "strict")
    '{"error":"Patient.read: subject_id is missing."}'
    """
    if isinstance(result, str):
        return result
    if not isinstance(result, Mapping) or result.get("resourceType") not in _SHORTENED:
        return as_json(result)
    if result["resourceType"] == "OperationOutcome":
        lines = [each["diagnostics"] for each in result["issue"]]
    else:
        lines = _entry_lines(result, shapes)
    text = "\n".join([*lines, *(f"Note: {note}" for note in result.get(NOTES, ()))])
    most = _LETTERS[shapes]
    if len(text) <= most:
        return text
    return f"{text[:most]}\n(the result goes on for {len(text) - most} letters)"


_SHORTENED = ("Bundle", "OperationOutcome")


def _entry_lines(result: Mapping[str, Any], shapes: Shapes) -> list[str]:
    entries = [entry["resource"] for entry in result.get("entry", ())]
    shown = entries[: _ENTRIES[shapes]]
    more = len(entries) - len(shown) + result.get(LEFT_OUT, 0)
    kind = result.get("_fhir_resource_type", "entry")
    lines = [f"{kind}: {len(entries)}", *(_line(each, shapes) for each in shown)]
    return [*lines, f"({more} more are not shown)"] if more else lines


def _line(resource: Resource, shapes: Shapes) -> str:
    match resource["resourceType"]:
        case "Observation":
            return observation_line(resource, shapes)
        case "MedicationRequest" | "MedicationAdministration":
            return medication_line(resource)
        case "DiagnosticReport" | "DocumentReference" | "CarePlan":
            return document_lines(resource, _TEXT[shapes])
        case "Condition":
            return _diagnosis_line(resource)
        case "Encounter":
            return _stay_line(resource)
        case _:
            return as_json(resource)


def _diagnosis_line(condition: Resource) -> str:
    codes = [each.get("code", "") for each in condition.get("code", {}).get("coding", ())]
    rank = condition.get("_seq_num")
    status = label(condition.get("clinicalStatus"))
    number = f"{rank}. " if rank else ""
    stay = f", stay from {condition[STAY][:_DAY]}" if condition.get(STAY) else ""
    text = f"{label(condition.get('code'))} ({', '.join(filter(None, codes))}), {status}"
    return f"{number}{text}{stay}"


def _stay_line(encounter: Resource) -> str:
    """A stay's number, beginning and end, and what is known of it."""
    numbers = [each.get("value", "") for each in encounter.get("identifier", ())]
    period = encounter.get("period", {})
    known = {
        name: value for name, value in encounter.get("_mimic", {}).items() if value is not None
    }
    span = f"{period.get('start', '')} to {period.get('end', '')}"
    return f"hadm_id {', '.join(numbers)}: {span}, {encounter['status']}, {as_json(known)}"
