"""The reader of plain questions on the made record: answers, writes, and abstentions."""

import asyncio
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from wardround.agents.fhir_reader.agent import FhirReader, work
from wardround.agents.fhir_reader.channel import Search, resources_in
from wardround.benchmarks.medagentbench.measurements import NOW_TIME
from wardround.benchmarks.medagentbench.protocol import BASE
from wardround.benchmarks.medagentbench.suite.record import made_chart
from wardround.core.actions import Call, Observation, Say
from wardround.core.task import Briefing
from wardround.core.tools import ToolSpec
from wardround.ehr.fhir.interaction import FhirServer, Request

HELD_OUT = Path(__file__).parent / "held_out" / "final.jsonl"
NOW = "The time is 2023-11-13T10:15:00+00:00."


@pytest.fixture
def server() -> Iterator[FhirServer]:
    workspace = made_chart().workspace(NOW_TIME, gated=False, validation="record")
    yield workspace
    workspace.close()


def answer(server: FhirServer, text: str) -> tuple[list[Any], list[Any]]:
    """The answer to an instruction, and what was written."""
    steps, found = work(text), None
    written: list[Any] = []
    while True:
        try:
            step = steps.send(found)  # type: ignore[arg-type]
        except StopIteration as end:
            return list(end.value), written
        if isinstance(step, Search):
            body = server.handle(Request("GET", step.path)).body
            found = resources_in(json.dumps(body))
            assert found is not None
        else:
            written.append(step)
            found = [step]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Which MRN does Milo Elmore, born on 1931-12-10, have?", ["S2031676"]),
        ('Which MRN has Zed Nil, born 1999-01-01? "none" if nobody fits.', ["none"]),
        ("Is S2000000 female or male?", ["male"]),
        ("Is S2000000 female?", [0]),
        ("Where did S2000000 go to school?", []),
    ],
)
def test_answers_plain_questions(server: FhirServer, text: str, expected: list[Any]) -> None:
    assert answer(server, f"{NOW}\n\n{text}") == (expected, [])


def test_drug_that_a_patient_never_had_is_no(server: FhirServer) -> None:
    assert answer(server, f"{NOW} Is S2000000 prescribed warfarin?") == ([0], [])


@pytest.mark.parametrize("text", ["Give S2000000 the usual dose of potassium.", "Order a test."])
def test_writes_no_order_that_lacks_a_part(server: FhirServer, text: str) -> None:
    assert answer(server, f"{NOW} {text}") == ([], [])


def test_writes_a_pressure_with_all_its_parts(server: FhirServer) -> None:
    parts = 'Its code is the text "RR", the category is vital-signs, the status "final".'
    text = f"{NOW} {parts}\n\nPlease chart 131/84 mmHg for S2000000."
    _, (written,) = answer(server, text)
    assert (written["valueString"], written["code"]) == ("131/84 mmHg", {"text": "RR"})
    assert answer(server, text.replace("final", "")) == ([], [])


def test_writes_a_referral_in_the_words_of_the_instruction(server: FhirServer) -> None:
    parts = 'status "active", intent "order", priority "urgent", SNOMED code 183545006'
    text = f'{NOW} Use {parts}.\n\nPlease refer S2000000, saying: "He fell down the stairs."'
    _, (written,) = answer(server, text)
    assert written["note"] == [{"text": "He fell down the stairs."}]
    assert (written["priority"], written["subject"]) == (
        "urgent",
        {"reference": "Patient/S2000000"},
    )
    assert answer(server, text.replace("SNOMED", "some")) == ([], [])


def test_speaks_the_form_of_the_briefing() -> None:
    asked = Observation(f"{NOW} How old is S2000000?", "user")
    facts = {"base": BASE, "protocol": "text"}
    address = f"{BASE}Patient?identifier=S2000000&_count=1000"
    tools = Briefing("", (_spec("fetch", "request_address"), _spec("end", "give_answers")), facts)
    assert asyncio.run(FhirReader(Briefing("", (), facts)).act(asked)) == Say(f"GET {address}")
    assert asyncio.run(FhirReader(tools).act(asked)) == Call("fetch", {"it": address})


def test_abstains_where_the_server_refuses() -> None:
    agent = FhirReader(Briefing("", (), {"base": BASE}))
    asyncio.run(agent.act(Observation(f"{NOW} How many problems has S2000000?", "user")))
    refused = agent.act(Observation("Error: The server answered 400.", "tool"))
    assert asyncio.run(refused) == Say("FINISH([])")


def _spec(name: str, role: str) -> ToolSpec:
    return ToolSpec(name, "", {"properties": {"it": {}}}, role=role)


def is_right(given: list[Any], gold: list[Any]) -> bool:
    """True if values are the same in any order, numbers to 0.01."""
    if len(given) != len(gold):
        return False
    pairs = zip(sorted(given, key=str), sorted(gold, key=str), strict=True)
    return all(a == b or _near(a, b) for a, b in pairs)


def _near(a: Any, b: Any) -> bool:
    numbers = isinstance(a, int | float) and isinstance(b, int | float)
    return numbers and abs(a - b) < 0.01


@pytest.mark.skipif("WARDROUND_HELD_OUT" not in os.environ, reason="scored once, not tuned on")
def test_held_out(server: FhirServer) -> None:
    rows = [json.loads(line) for line in HELD_OUT.read_text().splitlines()]
    right: dict[str, list[bool]] = {}
    for row in rows:
        given, written = answer(server, f"{row['context']}\n\n{row['instruction']}")
        kind = row["id"].rpartition("-")[0]
        right.setdefault(kind, []).append(not written and is_right(given, row["answer"]))
    print({kind: f"{sum(each)}/{len(each)}" for kind, each in right.items()})
    print(sum(map(sum, right.values())), "of", len(rows))
