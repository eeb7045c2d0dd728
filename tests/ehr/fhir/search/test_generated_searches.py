"""SQL finds what looking at every resource finds, in the base and in what was written over it."""

from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ehr.fhir.search.generated import SINGLE, records, searches
from tests.ehr.fhir.search.matcher import Wanted, found
from wardround.ehr.fhir.interaction import Request, Resource
from wardround.ehr.fhir.record import Record
from wardround.ehr.fhir.store.builder import build_record
from wardround.ehr.fhir.workspace import Workspace

# Records that a property draws: five with slow tests.
DRAWN = max(2, settings().max_examples // 20)
STRINGS = ("name", "family:exact", "family:contains", "subject:Patient.name", "patient.name")


def query(wanted: Wanted) -> str:
    """A criterion as it stands in an address; `,`, `$` and `\\` of strings are escaped."""
    values = wanted.values
    if wanted.name in STRINGS:
        escapes = str.maketrans({each: f"\\{each}" for each in "\\,$|"})
        values = tuple(value.translate(escapes) for value in values)
    return f"{wanted.name}={quote(','.join(values))}"


def search(workspace: Workspace, kind: str, wanted: list[Wanted]) -> set[str]:
    path = f"{kind}?{'&'.join(map(query, wanted))}&_count=1000"
    response = workspace.handle(Request("GET", path))
    assert response.status == 200, response.body
    assert response.body
    ids = [entry["resource"]["id"] for entry in response.body.get("entry", ())]
    assert response.body["total"] == len(ids) == len(set(ids))
    return set(ids)


def write(workspace: Workspace, base: list[Resource], after: list[Resource]) -> None:
    """Turns the base into another record by updates and deletes."""
    left = {(each["resourceType"], each["id"]) for each in after}
    for each in base:
        if (each["resourceType"], each["id"]) not in left:
            workspace.handle(Request("DELETE", f"{each['resourceType']}/{each['id']}"))
    for each in after:
        if each not in base:
            place = f"{each['resourceType']}/{each['id']}"
            assert workspace.handle(Request("PUT", place, body=each)).status in (200, 201)


@settings(max_examples=DRAWN, deadline=None)
@given(records())
def test_every_criterion_finds_what_looking_at_every_resource_finds(base: list[Resource]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "small.fhir"
        build_record(path, base, validation="record")
        workspace = Record.open(path).workspace()
        for kind, wanted in SINGLE:
            assert search(workspace, kind, [wanted]) == found(base, kind, [wanted]), wanted
        workspace.close()


@settings(max_examples=3 * DRAWN, deadline=None)
@given(records(), records(), st.lists(searches(), min_size=5, max_size=10))
def test_a_search_finds_what_looking_at_every_resource_finds(
    base: list[Resource], after: list[Resource], many: list[tuple[str, list[Wanted]]]
) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "small.fhir"
        build_record(path, base, validation="record")
        workspace = Record.open(path).workspace(validation="record")
        for kind, wanted in many:
            assert search(workspace, kind, wanted) == found(base, kind, wanted), wanted
        write(workspace, base, after)
        for kind, wanted in many:
            assert search(workspace, kind, wanted) == found(after, kind, wanted), wanted
        workspace.close()
