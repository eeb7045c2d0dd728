"""Pages, order, forms and refusals of searches."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from wardround.ehr.fhir.definitions import resource_types
from wardround.ehr.fhir.interaction import Request, Resource, Response
from wardround.ehr.fhir.record import Record
from wardround.ehr.fhir.search import execution, page, snapshot
from wardround.ehr.fhir.store.builder import build_record
from wardround.ehr.fhir.workspace import Workspace

Search = Callable[..., Resource]
PATIENT: Resource = {"resourceType": "Patient", "id": "p", "gender": "female",
                     "managingOrganization": {"reference": "Organization/o"}}  # fmt: skip
ORGANIZATION: Resource = {"resourceType": "Organization", "id": "o", "name": "Ward, 3|B $ \\ C"}
CONDITION: Resource = {"resourceType": "Condition", "id": "c",
                       "subject": {"reference": "Patient/q"},
                       "code": {"coding": [{"code": "a,b", "system": "urn:x|y"}]}}  # fmt: skip


def observation(number: int) -> Resource:
    return {
        "resourceType": "Observation",
        "id": f"o{number}",
        "status": "final",
        "code": {"coding": [{"code": "K"}], "text": "Potassium"},
        "subject": {"reference": "Patient/p"},
        "effectiveDateTime": f"2150-03-{number // 2 + 1:02}",
        "valueQuantity": {"value": number},
    }


@pytest.fixture(scope="session")
def record(tmp_path_factory: pytest.TempPathFactory) -> Record:
    path: Path = tmp_path_factory.mktemp("search") / "small.fhir"
    undated = observation(5) | {"id": "undated"}
    del undated["effectiveDateTime"]
    many = [observation(number) for number in range(5)]
    build_record(path, [PATIENT, PATIENT | {"id": "q"}, ORGANIZATION, CONDITION, *many, undated])
    return Record.open(path)


@pytest.fixture
def workspace(record: Record) -> Iterator[Workspace]:
    opened = record.workspace(validation="record")
    yield opened
    opened.close()


@pytest.fixture
def search(workspace: Workspace) -> Search:
    def answer(path: str, status: int = 200, **headers: str) -> Resource:
        response = workspace.handle(Request("GET", path, headers))
        assert response.status == status, response.body
        assert response.body
        return response.body

    return answer


def ids(bundle: Resource, mode: str = "match") -> list[str]:
    entries = bundle.get("entry", ())
    return [each["resource"]["id"] for each in entries if each["search"]["mode"] == mode]


def link(bundle: Resource, relation: str) -> str:
    return next((each["url"] for each in bundle["link"] if each["relation"] == relation), "")


def put(workspace: Workspace, resource: Resource) -> Response:
    return workspace.handle(
        Request("PUT", f"{resource['resourceType']}/{resource['id']}", body=resource)
    )


def test_ties_are_sorted_by_key_and_what_has_no_value_comes_last(search: Search) -> None:
    assert ids(search("Observation?_sort=-date")) == ["o4", "o2", "o3", "o0", "o1", "undated"]
    assert ids(search("Observation?_sort=date,-value-quantity")) == [
        *("o1", "o0", "o3", "o2", "o4", "undated")
    ]  # fmt: skip


def test_writes_do_not_shift_pages(search: Search, workspace: Workspace) -> None:
    first = search("Observation?_sort=date&_count=2")
    put(workspace, observation(0) | {"effectiveDateTime": "2151"})
    put(workspace, observation(9) | {"effectiveDateTime": "2149"})
    workspace.handle(Request("DELETE", "Observation/o2"))
    second = search(link(first, "next"))
    third = search(link(second, "next"))
    assert [ids(each) for each in (first, second, third)] == [
        ["o0", "o1"], ["o2", "o3"], ["o4", "undated"]
    ]  # fmt: skip
    assert {each["total"] for each in (first, second, third)} == {6}
    assert not link(third, "next")
    assert ids(search("Observation?_sort=date&_count=2")) == ["o9", "o1"]


def test_a_written_version_is_found_in_place_of_the_one_before(
    search: Search, workspace: Workspace
) -> None:
    put(workspace, observation(3) | {"valueQuantity": {"value": 77}})
    assert ids(search("Observation?value-quantity=77")) == ["o3"]
    assert ids(search("Observation?value-quantity=3")) == []


def test_escapes_stand_for_themselves(search: Search) -> None:
    assert ids(search(r"Organization?name=Ward\,%203\|B%20\$%20\\%20C")) == ["o"]
    assert ids(search(r"Condition?code=a\,b")) == ["c"]
    assert ids(search(r"Condition?code=urn:x\|y|a\,b,none")) == ["c"]
    assert ids(search("Condition?code=a,b")) == []


def test_a_plus_that_is_not_encoded_is_one(search: Search) -> None:
    assert search("Observation?date=ge2150-03-01T00:00:00+00:00")["total"] == 5


def test_an_unknown_parameter_is_refused_or_ignored(search: Search) -> None:
    outcome = search("Patient?colour=red&gender=female", 400)
    assert "colour" in outcome["issue"][0]["diagnostics"]
    bundle = search("Patient?colour=red&gender=female", prefer="handling=lenient")
    assert link(bundle, "self") == "Patient?gender=female"
    for path in ("Patient?gender:in=x", "Patient?_include:iterate=Patient:organization"):
        search(path, 400, prefer="handling=lenient")


def test_included_resources_are_not_counted(search: Search) -> None:
    bundle = search("Observation?_id=o1,o2&_include=Observation:patient")
    assert (bundle["total"], ids(bundle), ids(bundle, "include")) == (2, ["o1", "o2"], ["p"])
    bundle = search("Patient?_id=p&_revinclude=Observation:subject:Patient")
    assert len(ids(bundle, "include")) == 6


def test_included_resources_of_a_sorted_search(search: Search) -> None:
    bundle = search("Observation?_sort=-date&_count=2&_include=Observation:patient")
    assert (ids(bundle), ids(bundle, "include")) == (["o4", "o2"], ["p"])


def test_a_chain_in_a_sorted_search(search: Search) -> None:
    bundle = search("Observation?patient.gender=female&_sort=-date&_count=3")
    assert (bundle["total"], ids(bundle)) == (6, ["o4", "o2", "o3"])


def test_a_long_code_is_searched_whole(search: Search, workspace: Workspace) -> None:
    for id, code in (("long", "x" * 300 + "1"), ("longer", "x" * 300 + "2")):
        put(workspace, CONDITION | {"id": id, "code": {"coding": [{"code": code}]}})
    assert ids(search(f"Condition?code={'x' * 300}1")) == ["long"]


def test_an_address_is_equal_or_not(search: Search, workspace: Workspace) -> None:
    plan = {"resourceType": "CarePlan", "id": "plan", "instantiatesUri": ["http://x.org/a"]}
    put(workspace, plan)
    assert ids(search("CarePlan?instantiates-uri=http://x.org/a")) == ["plan"]
    assert ids(search("CarePlan?instantiates-uri=http://x.org/A,http://x.org")) == []
    search("CarePlan?instantiates-uri:below=http://x.org", 400)


def test_included_resources_that_do_not_fit_follow(
    search: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "MOST_ENTRIES", 4)
    bundle = search("Patient?_revinclude=Observation:patient&_count=1")
    seen = [ids(bundle) + ids(bundle, "include")]
    while url := link(bundle, "next"):
        bundle = search(url)
        seen.append(ids(bundle) + ids(bundle, "include"))
    assert seen == [["p", "o0", "o1", "o2"], ["o3", "o4", "undated"], ["q"]]


def test_pages_have_limits(search: Search, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "MOST_ENTRIES", 4)
    bundle = search("Observation?_count=5000")
    assert ids(bundle) == ["o0", "o1", "o2", "o3"]
    assert ids(search(link(bundle, "next"))) == ["o4", "undated"]
    monkeypatch.setattr(page, "MOST_BYTES", 1000)
    assert len(ids(search("Observation?_count=5000"))) == 1


def test_deep_chains_and_many_values_are_searched(search: Search, workspace: Workspace) -> None:
    put(workspace, observation(7))
    for path in (
        "MedicationAdministration?request.code:text=insulin&subject.name=x",
        "MedicationDispense?prescription.code:text=insulin&patient:Patient.name=y",
        "Patient?_has:MedicationRequest:patient:code:text=insulin",
    ):
        assert search(path)["total"] == 0
    many = ",".join(f"o{number}" for number in range(500))
    assert search(f"Observation?_id={many}")["total"] == 6
    search(f"Observation?_id={many},one-more", 400)


def test_totals_alone(search: Search) -> None:
    for path in ("Observation?_summary=count", "Observation?_count=0"):
        assert (search(path)["total"], "entry" in search(path)) == (6, False)
    assert "total" not in search("Observation?_total=none")


def test_elements_mark_what_is_left_out(search: Search) -> None:
    [entry] = search("Observation?_id=o1&_elements=status")["entry"]
    assert set(entry["resource"]) == {"resourceType", "id", "meta", "status"}
    assert entry["resource"]["meta"]["tag"][0]["code"] == "SUBSETTED"


def test_a_form_is_searched_like_an_address(workspace: Workspace) -> None:
    form = {"content-type": "application/x-www-form-urlencoded"}
    request = Request("POST", "Observation/_search?_count=2", form, "code=K&_sort=-date")
    assert ids(workspace.handle(request).body or {}) == ["o4", "o2"]
    assert workspace.handle(Request("POST", "Observation/_search", {}, {"a": 1})).status == 415


def test_a_compartment_holds_what_is_about_its_patient(search: Search) -> None:
    assert search("Patient/p/Observation?value-quantity=gt2")["total"] == 3
    assert search("Patient/q/Observation")["total"] == 0
    search("Patient/nobody/Observation", 404)
    search("Patient/p/Medication", 400)


def test_everything_has_the_compartment_and_what_it_refers_to(search: Search) -> None:
    bundle = search("Patient/p/$everything?_count=3")
    assert bundle["total"] == 8
    seen = ids(bundle)
    while url := link(bundle, "next"):
        bundle = search(url)
        seen += ids(bundle)
    assert sorted(seen) == sorted(["p", "o", "undated", *(f"o{n}" for n in range(5))])
    assert ids(search("Patient/p/$everything?_type=Organization")) == ["o"]


def test_the_clock_hides_what_is_not_known(record: Record) -> None:
    opened = record.workspace(datetime(2150, 3, 2, 12, tzinfo=UTC))
    bundle = opened.handle(Request("GET", "Observation?patient=p&_revinclude=Flag:patient")).body
    assert bundle is not None
    assert set(ids(bundle)) <= {"o0", "o1"}
    opened.close()


def test_metadata_lists_what_is_supported(search: Search) -> None:
    statement = search("metadata")
    [rest] = statement["rest"]
    assert [each["type"] for each in rest["resource"]] == list(resource_types())
    names: dict[str, Any] = {
        each["type"]: [own["name"] for own in each["searchParam"]] for each in rest["resource"]
    }
    assert "code-value-quantity" in names["Observation"]
    assert "code-value-date" not in names["Observation"]
    for kind, parameters in names.items():
        for name in parameters:
            search(f"{kind}?{name}:missing=true")


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("Patient?birthdate=2150-13", 400),
        ("Patient?birthdate=xx2150", 400),
        ("Patient?birthdate:not=2150", 400),
        ("Patient?gender=", 400),
        ("Patient?gender:missing=maybe", 400),
        ("Patient?organization.partof.partof.name=x", 400),
        ("Patient?gender.x=1", 400),
        ("Patient?_has:Observation:patient:_has:x=1", 400),
        ("Patient?_has:Observation:specimen:code=1", 400),
        ("Patient?_count=-1", 400),
        ("Patient?_count=1&_count=2", 400),
        ("Patient?_sort=colour", 400),
        ("Patient?_summary=text", 400),
        ("Patient?_include=Patient:*", 400),
        ("Patient?_include:iterate=Patient:organization", 400),
        ("Patient?_content=x", 400),
        ("Observation?code:below=K", 200),
        ("Observation?code:below=http://loinc.org|K", 400),
        ("Observation?value-quantity=five", 400),
        ("Observation?code-value-quantity=K", 400),
        ("Observation?code-value-date=K$2150", 400),
        ("Observation?patient=a%20b", 400),
        ("Patient?_format=xml", 406),
        ("Patient?_format=json", 200),
        ("Colour?a=1", 404),
        ("Patient/$match", 501),
        ("Patient/p/$match", 501),
        ("Patient?_page=1-0", 410),
        ("Patient?_page=x", 400),
        ("Patient?name=%ff", 400),
    ],
)
def test_what_is_not_supported_is_refused(search: Search, path: str, status: int) -> None:
    body = search(path, status)
    if status != 200:
        assert body["resourceType"] == "OperationOutcome"


def test_a_page_past_the_end_is_refused(search: Search) -> None:
    number = link(search("Observation?_count=2"), "next").partition("=")[2].partition("-")[0]
    assert "ends at 6" in search(f"Observation?_page={number}-60", 404)["issue"][0]["diagnostics"]


def test_the_oldest_snapshots_are_dropped(search: Search, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "MOST_KEYS", 10)
    first = link(search("Observation?_count=2"), "next")
    second = link(search("Observation?_count=2"), "next")
    search(first, 410)
    search(second)


def test_a_long_search_is_too_costly(search: Search, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execution, "MOST_SECONDS", -1)
    monkeypatch.setattr(execution, "STEPS", 1)
    assert search("Observation?code=K", 503)["issue"][0]["code"] == "too-costly"
