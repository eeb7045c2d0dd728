"""Searches reports, notes and the plans of discharge summaries."""

import re
from base64 import b64decode
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from wardround.benchmarks.assist.tools.chart import PatientChart
from wardround.benchmarks.assist.tools.results import bundle, label, labels, nothing_found
from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.terms.chinese import english

# The most of each kind in a result, and of the letters of a text.
_REPORTS, _RADIOLOGY, _REPORT_TEXT = 10, 5, 3_000
_NOTES, _NOTE_TEXT = 5, 4_000
_PLANNED_NOTES, _PLAN_TEXT = 3, 1_000
_SUMMARY = "18842-5"
_NOTE_TYPES = {"discharge-summary": _SUMMARY, "radiology": "18748-4"}
# Words in the names of examinations, by kind.
_EXAMINATIONS = {
    "x-ray": r"x-?ray|\bxr\b|radiograph|chest \(|\bap\b|\bpa\b",
    "chest x-ray": r"chest (?!ct|ultrasound)|\bcxr\b",
    "computed tomography": r"\bcta?\b|tomograph",
    "magnetic resonance imaging": r"\bmr[ai]?\b|magnetic",
    "ultrasound": r"\bus\b|ultrasound|doppler|duplex",
    "echocardiogram": r"\becho|\btte\b|\btee\b",
}


def search_reports(chart: PatientChart, stays: str, arguments: Mapping[str, Any]) -> Resource:
    """Reports, newest first: five of radiology, ten in all; cultures one a specimen and time."""
    wanted = arguments.get("report_type", "")
    kind = english(wanted, "category") or wanted.casefold()
    radiology = [] if kind == "microbiology" else _radiology(chart, stays, kind)
    cultures = _cultures(chart, stays) if kind in ("", "microbiology") else []
    reports = [*radiology[:_RADIOLOGY], *cultures]
    if not reports:
        return nothing_found("The patient has no such report.")
    newest = sorted(reports, key=lambda each: str(each.get("effectiveDateTime")), reverse=True)
    count = len(radiology) + len(cultures)
    shown = newest[:_REPORTS]
    return bundle("DiagnosticReport", shown, count - len(shown))


def search_notes(chart: PatientChart, stays: str, arguments: Mapping[str, Any]) -> Resource:
    """Notes, the five newest of each type; with a keyword they are shown from about there on."""
    types = {"type": _NOTE_TYPES[arguments["type_code"]]} if "type_code" in arguments else {}
    keyword = arguments.get("keyword", "").casefold()
    notes = [
        each
        for each in _documents(chart, stays, types)
        if keyword in attached_text(each["content"][0]).casefold()
    ]
    if not notes:
        return nothing_found("The patient has no such note.")
    newest = [each for number, each in _numbered(notes) if number < _NOTES]
    shown = [_shown_note(each, keyword if chart.strict else "") for each in newest]
    return bundle("DocumentReference", shown, len(notes) - len(shown))


def search_plans(chart: PatientChart, stays: str, arguments: Mapping[str, Any]) -> Resource:
    """The plans of the three newest discharge summaries; an empty Bundle if there are none."""
    category = arguments.get("category")
    criteria = ({"encounter": stays} if stays else {}) | (
        {"category": category} if category else {}
    )
    matches = chart.search("CarePlan", criteria).matches
    plans = sorted(matches, key=lambda each: str(each.get("created")), reverse=True)
    notes = list(dict.fromkeys(map(_note, plans)))[:_PLANNED_NOTES]
    newest = [each for each in plans if _note(each) in notes]
    shown = _cut_plan if chart.strict else _published_plan
    return bundle("CarePlan", map(shown, newest))


def attached_text(content: Mapping[str, Any]) -> str:
    """The text of an attachment with base64 data."""
    attachment = content.get("attachment", content)
    return b64decode(attachment.get("data", "")).decode(errors="replace")


def document_lines(resource: Resource, most: int) -> str:
    """A report, note or plan as a heading and its text, cut off at a number of letters."""
    name = label(resource.get("code")) or label(resource.get("type")) or resource.get("title", "")
    time = next((resource[key] for key in _TIMES if key in resource), "")
    text = shown_text(resource)
    cut = f"\n(the text goes on for {len(text) - most} letters)" if len(text) > most else ""
    return f"{name} @ {time}\n{text[:most]}{cut}"


def shown_text(resource: Resource) -> str:
    """The text of a report, note or plan in a result, where data are plain."""
    parts = [each.get("attachment", each) for each in (*resource.get("presentedForm", ()),
             *resource.get("content", ()))]  # fmt: skip
    texts = [each.get("data", "") for each in parts]
    return (
        "\n".join(filter(None, texts))
        or resource.get("description")
        or "\n".join(each.get("text", "") for each in resource.get("note", ()))
        or resource.get("conclusion", "")
    )


_TIMES = ("effectiveDateTime", "date", "created")


def _radiology(chart: PatientChart, stays: str, kind: str) -> list[Resource]:
    criteria = {**({"encounter": stays} if stays else {}), "category": "RAD", "_sort": "-date"}
    reports = [_plain_report(each) for each in chart.search("DiagnosticReport", criteria).matches]
    if kind in ("", "radiology"):
        return reports
    pattern = _EXAMINATIONS.get(english(kind, "service") or kind) or re.escape(kind)
    return [each for each in reports if re.search(pattern, _title(each), re.IGNORECASE)]


def _title(report: Resource) -> str:
    titles = [each.get("title", "") for each in report.get("presentedForm", ())]
    return " / ".join([*labels(report.get("code")), *titles])


def _plain_report(report: Resource) -> Resource:
    forms = [
        {**each, "data": attached_text(each)[:_REPORT_TEXT]}
        for each in report.get("presentedForm", ())
    ]
    return {**report, "presentedForm": forms} if forms else report


def _cultures(chart: PatientChart, stays: str) -> list[Resource]:
    """Reports of cultures; reports of one specimen and time are merged."""
    criteria = {**({"encounter": stays} if stays else {}), "category": "MB", "_sort": "-date"}
    collapsed: dict[tuple[str, str], list[Resource]] = {}
    for each in chart.search("DiagnosticReport", criteria).matches:
        specimen = each.get("specimen", [{}])[0].get("reference", each["id"])
        collapsed.setdefault((specimen, each.get("effectiveDateTime", "")), []).append(each)
    return [_collapsed(reports) for reports in collapsed.values()]


def _collapsed(reports: list[Resource]) -> Resource:
    first = reports[0]
    lines = [
        f"{label(each.get('code'))}: {each.get('conclusion', 'no result')}" for each in reports
    ]
    results = [result for each in reports for result in each.get("result", ())]
    return {**first, "conclusion": "; ".join(lines), "result": results}


def _documents(chart: PatientChart, stays: str, types: Mapping[str, str]) -> Sequence[Resource]:
    criteria = {**({"encounter": stays} if stays else {}), **types, "_sort": "-date"}
    return chart.search("DocumentReference", criteria).matches


def _numbered(notes: Iterable[Resource]) -> Iterator[tuple[int, Resource]]:
    """Notes with their numbers among those of their type."""
    seen: Counter[str] = Counter()
    for each in notes:
        kind = label(each.get("type"))
        yield seen[kind], each
        seen[kind] += 1


def _shown_note(note: Resource, keyword: str) -> Resource:
    content = note["content"][0]
    text = attached_text(content)
    start = text.casefold().find(keyword) if keyword else 0
    if start + len(keyword) <= _NOTE_TEXT:
        start = 0
    window = text[max(start - _NOTE_TEXT // 4, 0) :][:_NOTE_TEXT]
    return {**note, "content": [{"attachment": {**content["attachment"], "data": window}}]}


def _note(plan: Resource) -> str:
    references = [each.get("reference", "") for each in plan.get("supportingInfo", ())]
    return str(next(iter(references), plan["id"]))


def _cut_plan(plan: Resource) -> Resource:
    return {**plan, "description": plan.get("description", "")[:_PLAN_TEXT]}


def _published_plan(plan: Resource) -> Resource:
    """A plan as published: its text is a note."""
    fields = {name: value for name, value in plan.items() if name != "description"}
    return {**fields, "note": [{"text": plan.get("description", "")[:_PLAN_TEXT]}]}
