"""Writes orders and warnings as resources of the server, under its ids and versions."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from wardround.benchmarks.assist.tools.arguments import ArgumentError, is_chinese
from wardround.benchmarks.assist.tools.chart import ChartError, PatientChart
from wardround.ehr.fhir.interaction import Request, Resource
from wardround.ehr.terms.chinese import TermKind, english, plain

_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)\s*([^\d\s].*)", re.ASCII)
_UCUM = "http://unitsofmeasure.org"
REQUESTER = {"display": "The assistant of this session"}


def write(chart: PatientChart, tool: str, stays: str, arguments: Mapping[str, Any]) -> Resource:
    """Creates the resource of a call on the server and returns it as the server has it.

    Args:
        chart: the patient's chart.
        tool: a tool that writes.
        stays: the ids of the session's stay, "" without one.
        arguments: the call's arguments, as read.

    Raises:
        ArgumentError: a term in Chinese is unknown.
        ChartError: the server refuses.
    """
    kind = tool.partition(".")[0]
    built = {**_about(chart, kind, stays), **_BUILDERS[kind](chart, arguments)}
    request = Request("POST", kind, {"prefer": "return=representation"}, built)
    response = chart.server.handle(request)
    body = response.body or {}
    if response.status != 201:
        issues = [each.get("diagnostics", "") for each in body.get("issue", ())]
        raise ChartError(
            " ".join(filter(None, issues)) or f"The record answered {response.status}."
        )
    return body


def amount(dose: str) -> tuple[float, str] | None:
    """The number and the English unit of a dose; None if it is not a number with a unit.

    >>> amount("40mg"), amount("1,000 mg"), amount("40毫克"), amount("as much as needed")
    ((40.0, 'mg'), (1000.0, 'mg'), (40.0, 'mg'), None)
    """
    read = _AMOUNT.fullmatch(plain(dose).strip().replace(",", ""))
    if not read:
        return None
    unit = read[2].strip()
    return float(read[1]), english(unit, "unit") or unit


def _about(chart: PatientChart, kind: str, stays: str) -> Resource:
    """The type, the patient and the stay of a new resource."""
    encounter = {"encounter": {"reference": f"Encounter/{stays.split(',')[0]}"}} if stays else {}
    return {
        "resourceType": kind,
        "status": "active",
        "subject": {"reference": f"Patient/{chart.id}"},
        **encounter,
    }


def _medication_request(chart: PatientChart, arguments: Mapping[str, Any]) -> Resource:
    days = arguments.get("duration_days")
    duration = {"value": days, "unit": "d", "system": _UCUM, "code": "d"}
    reason = (
        {"reasonCode": [{"text": arguments["indication"]}]} if "indication" in arguments else {}
    )
    return {
        **_order(chart),
        "medicationCodeableConcept": {"text": _term(arguments, "medication", "drug")},
        "dosageInstruction": [_instruction(arguments)],
        **reason,
        **({"dispenseRequest": {"expectedSupplyDuration": duration}} if days else {}),
    }


def _instruction(arguments: Mapping[str, Any]) -> Resource:
    """The dosage in words and in parts."""
    route = _term(arguments, "route", "route")
    frequency = _term(arguments, "frequency", "frequency")
    dose, read = arguments["dose"], amount(arguments["dose"])
    if is_chinese(dose) and not read:
        raise ArgumentError(f"dose is a number with its unit such as 40 mg, not {dose!r}.")
    number, unit = read or (0.0, "")
    quantity = {"value": int(number) if number.is_integer() else number, "unit": unit}
    words = f"{quantity['value']} {unit}" if is_chinese(dose) else dose
    days = arguments.get("duration_days")
    repeat = {"repeat": {"boundsDuration": {"value": days, "unit": "d", "system": _UCUM,
              "code": "d"}}} if days else {}  # fmt: skip
    return {
        "text": f"{words} {route} {frequency}",
        "route": {"text": route},
        "timing": {"code": {"text": frequency}, **repeat},
        **({"doseAndRate": [{"doseQuantity": quantity}]} if read else {}),
    }


def _service_request(chart: PatientChart, arguments: Mapping[str, Any]) -> Resource:
    note = {"note": [{"text": arguments["note"]}]} if "note" in arguments else {}
    date = arguments.get("target_date")
    return {
        **_order(chart),
        "priority": arguments["priority"],
        "code": {"text": arguments["service_type"]},
        **note,
        **({"occurrenceDateTime": _fhir_instant(date, chart)} if date else {}),
    }


def _flag(chart: PatientChart, arguments: Mapping[str, Any]) -> Resource:
    return {
        "category": [{"text": arguments["category"]}],
        "code": {"text": arguments["code"], "coding": [{"display": arguments["detail"]}]},
        "period": {"start": _now(chart)},
        "author": REQUESTER,
    }


def _order(chart: PatientChart) -> Resource:
    return {"intent": "order", "authoredOn": _now(chart), "requester": REQUESTER}


def _now(chart: PatientChart) -> str:
    return chart.clock.isoformat(timespec="seconds")


def _fhir_instant(text: str, chart: PatientChart) -> str:
    """A date as it is; a time with seconds and an offset, which FHIR demands."""
    if len(text) <= len("2150-03-04"):
        return text
    read = datetime.fromisoformat(text)
    local = read if read.tzinfo else read.replace(tzinfo=chart.clock.tzinfo)
    return local.isoformat(timespec="seconds")


def _term(arguments: Mapping[str, Any], name: str, kind: TermKind) -> str:
    """An argument in English; the record has no other language.

    Raises:
        ArgumentError: it is Chinese, and no term that is known.
    """
    given: str = arguments[name]
    if not is_chinese(given):
        return given
    if english_name := english(given, kind):
        return english_name
    raise ArgumentError(f"{name} {given!r} is not known; give its English name.")


_BUILDERS: Mapping[str, Callable[[PatientChart, Mapping[str, Any]], Resource]] = {
    "MedicationRequest": _medication_request,
    "ServiceRequest": _service_request,
    "Flag": _flag,
}
