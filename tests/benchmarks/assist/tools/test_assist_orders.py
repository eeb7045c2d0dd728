"""Tools that write, ask the patient, and are called wrongly; equality of calls."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.assist.tools.small_chart import ANN, BOB, CLOCK, NOW, Ward, resources_of
from tests.cases import for_each
from wardround.benchmarks.assist.sessions import WRITES
from wardround.benchmarks.assist.tools.catalogue import catalogue
from wardround.benchmarks.assist.tools.desk import CarriedOut, session_tools
from wardround.benchmarks.assist.tools.recorded import differing_arguments, same_call
from wardround.core.actions import Call
from wardround.core.tools import Toolbox
from wardround.ehr.fhir.interaction import Request
from wardround.ehr.fhir.record import Record
from wardround.ehr.fhir.store.builder import build_record
from wardround.ehr.fhir.validation import defects

ORDER = {"medication": "Furosemide", "dose": "40 mg", "route": "oral", "frequency": "BID",
         "indication": "heart failure", "duration_days": 7}  # fmt: skip
SERVICE = {"service_type": "chest x-ray", "priority": "urgent", "target_date": "2150-07-06",
           "note": "portable"}  # fmt: skip
WARNING = {"category": "safety", "code": "hyperkalemia", "detail": "potassium 5.9"}


def test_the_tools_are_the_18_published() -> None:
    names = list(catalogue())
    assert len(names) == 18
    assert sum(name.startswith("patient.") for name in names) == 5
    assert set(WRITES) <= set(names)
    assert all("additionalProperties" not in each.spec.parameters for each in catalogue().values())


@pytest.mark.parametrize("shapes", ["strict", "paper"])
def test_written_orders_are_stored_and_searched(
    shapes: str, request: pytest.FixtureRequest
) -> None:
    ward: Ward = request.getfixturevalue(shapes)
    written = ward.call("MedicationRequest.create", **ORDER)
    assert not defects(written)
    assert written["meta"]["versionId"] == "1"
    assert written["authoredOn"] == "2150-07-05T12:00:00-04:00"
    assert written["dispenseRequest"]["expectedSupplyDuration"]["value"] == 7
    assert written["dosageInstruction"][0]["doseAndRate"][0]["doseQuantity"]["value"] == 40
    found = resources_of(ward.call("MedicationRequest.search", medication="furosemide"))
    assert found[0]["id"] == written["id"]
    assert found[0]["dosageInstruction"][0]["text"] == "40 mg oral BID"
    stay = ward.call("MedicationRequest.search", hadm_id=NOW, status="active")
    assert written["id"] in [each["id"] for each in resources_of(stay)]


def test_writes_are_the_session_s_own(small_chart: Record, strict: Ward) -> None:
    strict.call("MedicationRequest.create", **ORDER)
    other = Ward(small_chart)
    assert len(resources_of(other.call("MedicationRequest.search", medication="furosemide"))) == 2
    other.server.close()


def test_orders_over_a_server_that_is_read_only_are_searched(
    small_chart: Record, tmp_path: Path
) -> None:
    build_record(tmp_path / "empty.fhir", [])
    overlay = Record.open(tmp_path / "empty.fhir").workspace(
        CLOCK, gated=False, validation="record"
    )
    ward = Ward(small_chart, over=overlay)
    written = ward.call("MedicationRequest.create", **ORDER)
    found = resources_of(ward.call("MedicationRequest.search", hadm_id=NOW))
    assert [each["dosageInstruction"][0]["text"] for each in found] == [
        "40 mg oral BID", "5 mg PO DAILY", "40 mg IV BID",
    ]  # fmt: skip
    assert found[0]["id"] == written["id"]
    ward.server.close()


def test_services_and_warnings_are_stored(strict: Ward) -> None:
    service = strict.call("ServiceRequest.create", **SERVICE)
    warning = strict.call("Flag.create", **WARNING)
    assert not defects(service)
    assert not defects(warning)
    assert (service["priority"], service["occurrenceDateTime"]) == ("urgent", "2150-07-06")
    assert warning["code"]["coding"][0]["display"] == "potassium 5.9"
    for each in (service, warning):
        place = f"{each['resourceType']}/{each['id']}"
        assert strict.server.handle(Request("GET", place)).status == 200


def test_orders_in_chinese_are_stored_in_english(strict: Ward) -> None:
    given = {"medication": "速尿", "dose": "40毫克", "route": "口服", "frequency": "每日两次"}
    written = strict.call("MedicationRequest.create", **given)
    assert written["medicationCodeableConcept"]["text"] == "furosemide"
    assert written["dosageInstruction"][0]["text"] == "40 mg oral twice daily"
    unknown = strict.call("MedicationRequest.create", **{**given, "medication": "企鹅素"})
    assert "English name" in unknown["error"]
    assert strict.call("ServiceRequest.create", service_type="胸片", priority="紧急")["code"] == {
        "text": "chest x-ray"
    }


@pytest.mark.parametrize(
    ("tool", "arguments", "sentence"),
    [
        ("Patient.read", {"subject_id": None}, "needs the argument subject_id"),
        ("Patient.read", {"subject_id": "Ann"}, "a whole number"),
        ("Patient.read", {"subject_id": True}, "a whole number"),
        ("Patient.read", {"subject_id": BOB}, "not the patient of this session"),
        ("Observation.search", {"category": "smells"}, "one of laboratory, vital-signs"),
        ("Observation.search", {"date_from": "last week"}, "a date such as"),
        ("Observation.search", {"date_from": "2150-02-31"}, "a date such as"),
        ("Observation.search", {"code": ["Sodium"]}, "code is a text"),
        ("Observation.search", {"_count": "many"}, "a whole number"),
        ("MedicationRequest.create", {**ORDER, "dose": " "}, "needs the argument dose"),
        ("MedicationRequest.create", {**ORDER, "subject_id": BOB}, "not the patient"),
        ("ServiceRequest.create", {**SERVICE, "priority": "stat"}, "routine, urgent, asap"),
        ("Flag.create", {}, "needs the argument category"),
        ("prepare_to_answer", {"answer_type": "song"}, "one of tool, chat"),
        ("Procedure.search", {}, "There is no tool named 'Procedure.search'"),
        ("", {}, "There is no tool named ''"),
    ],
)
def test_wrong_calls_are_told_and_change_nothing(
    strict: Ward, tool: str, arguments: dict[str, Any], sentence: str
) -> None:
    assert sentence in strict.call(tool, **arguments)["error"]
    assert len(resources_of(strict.call("MedicationRequest.search"))) == 3


def test_other_spellings_and_placeholders_are_read_and_told(strict: Ward, paper: Ward) -> None:
    given = {"test_name": "Potassium", "limit": "1", "hadm_id": 0, "date_from": "", "colour": "red"}
    result = strict.call("Observation.search", **given)
    assert len(resources_of(result)) == 1
    assert result["_notes"] == [
        "test_name was read as code.",
        "limit was read as _count.",
        "The argument colour is unknown and was left out.",
    ]
    assert "_notes" not in paper.call("Observation.search", **given)
    assert "_left_out" not in paper.call("Observation.search", **given)


@pytest.mark.parametrize("text", ["a,b|c$", "\ud800", "%&_count=5", "(", "\x00", "x" * 5_000])
def test_any_text_can_be_searched_for(strict: Ward, text: str) -> None:
    for tool, name in (("Observation.search", "code"), ("MedicationRequest.search", "medication")):
        assert resources_of(strict.call(tool, **{name: text})) == []


def test_an_unknown_patient_is_not_found_in_paper_shapes(paper: Ward) -> None:
    result = paper.call("Patient.read", subject_id=999)
    assert "no patient with the subject_id 999" in result["issue"][0]["diagnostics"]


def test_the_patient_is_asked_with_the_session_s_ids(strict: Ward) -> None:
    asked = {"subject_id": BOB, "session_id": "another", "drug": "华法林"}
    answer = strict.call("patient.get_medication_adherence", **asked)["patient_response"]
    assert str({"subject_id": ANN, "session_id": "session_1", "drug": "warfarin"}) in answer


def test_calls_that_are_carried_out_are_reported(small_chart: Record) -> None:
    reported: list[CarriedOut] = []
    ward = Ward(small_chart, carried_out=reported.append)
    ward.call("Flag.create", **WARNING)
    ward.call("Flag.create")
    assert [each.tool for each in reported] == ["Flag.create"]
    ward.server.close()


def test_agents_call_the_tools_by_either_name(strict: Ward) -> None:
    tools = Toolbox(session_tools(strict.desk))
    run = tools.run(Call("prepare_to_answer", {"answer_type": "chat"}))
    assert asyncio.run(run) == '{"status":"ready","answer_type":"chat"}'
    assert strict.call("Patient__read")["total"] == 1


@dataclass(frozen=True)
class SomeCall:
    tool: str = "MedicationRequest.create"
    arguments: dict[str, Any] = field(default_factory=lambda: {"subject_id": ANN, **ORDER})


def test_calls_that_mean_the_same_are_the_same() -> None:
    other = {"drug": "呋塞米", "dose": "0.04 g", "route": "PO", "frequency": "每日两次",
             "indication": "Heart failure", "duration_days": "7", "subject_id": 5}  # fmt: skip
    assert same_call(SomeCall(), SomeCall(arguments=other))
    assert not same_call(SomeCall(), SomeCall("Flag.create"))


@for_each([("medication", "bumetanide"), ("dose", "20 mg"), ("dose", "40 mcg"), ("route", "IV"),
     ("frequency", "daily"), ("duration_days", 5), ("indication", "cough")])  # fmt: skip
def test_an_argument_that_means_something_else_differs(name: str, value: Any) -> None:
    assert differing_arguments("MedicationRequest.create", ORDER, {**ORDER, name: value}) == [name]


def test_an_argument_of_only_one_call_differs() -> None:
    search = {"category": "laboratory", "code": "WBC"}
    assert differing_arguments("Observation.search", search, {"code": "白细胞"}) == ["category"]
    assert differing_arguments("Observation.search", search, {"category": "x"}) == ["arguments"]
    assert differing_arguments("nothing", {}, {"a": 1}) == ["tool"]
