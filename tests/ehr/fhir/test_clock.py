"""Under a clock no interaction shows what lies after it, for all resource types."""

from datetime import datetime, timedelta
from itertools import count, product

import pytest

from tests.cases import one_in
from tests.ehr.fhir.timed_resources import STAY, TEMPLATES, Draw, at, dates
from wardround.ehr.fhir.interaction import Request, Resource
from wardround.ehr.fhir.phases.rules import PLANNED
from wardround.ehr.fhir.record import Record
from wardround.ehr.fhir.store.builder import build_record


def ticking() -> Draw:
    """Times that each lie 50 minutes after the one before, one in seven a day only."""
    minutes = count(0, 50)

    def time() -> str:
        day, minute = divmod(next(minutes), 1440)
        text = f"2180-05-{6 + day:02}T{minute // 60:02}:{minute % 60:02}:00-04:00"
        return text[:10] if minute % 350 == 0 else text

    return time


@pytest.fixture(scope="session")
def every_type(tmp_path_factory: pytest.TempPathFactory) -> Record:
    """A record with resources of all types, whose times lie within four days."""
    time = ticking()
    about = {"subject": STAY["subject"], "patient": STAY["subject"]}
    found = [
        {"resourceType": type, "id": id, "encounter": {"reference": "Encounter/p"}}
        | about
        | template(time)
        for id in ("p", "q")
        for type, template in TEMPLATES.items()
    ]
    path = tmp_path_factory.mktemp("fhir") / "every.fhir"
    build_record(path, found, validation="record")
    return Record.open(path)


REQUESTS = [
    *("{type}", "{type}/p", "{type}/q", "{type}/p/_history", "{type}/p/_history/1"),
    *("Encounter?_revinclude={type}:encounter", "{type}?_include={type}:patient"),
    *(
        "{type}?_sort=-_lastUpdated",
        "{type}?_summary=true",
        "{type}?_has:Observation:subject:_id=p",
    ),
    *("Patient/p/$everything", "Patient/p/{type}"),
]


@pytest.mark.parametrize("hours", one_in(4, range(0, 100, 9)))
def test_no_interaction_shows_what_lies_after_the_clock(every_type: Record, hours: int) -> None:
    clock = datetime.fromisoformat("2180-05-06T00:00:00-04:00") + timedelta(hours=hours)
    workspace = every_type.workspace(clock)
    now = at(clock.isoformat())
    answered = set[str]()
    for type, request in product(TEMPLATES, REQUESTS):
        response = workspace.handle(Request("GET", request.format(type=type)))
        if response.status == 200:
            answered.add(request)
        for resource in contents(response.body or {}):
            for date in dates(resource, PLANNED.get(resource["resourceType"], ())):
                assert at(date) <= now, (request, date, resource)
    workspace.close()
    assert hours == 0 or answered >= {*REQUESTS[:4], *REQUESTS[5:8]}


def contents(body: Resource) -> list[Resource]:
    return [entry["resource"] for entry in body.get("entry", ()) if "resource" in entry] or [body]
