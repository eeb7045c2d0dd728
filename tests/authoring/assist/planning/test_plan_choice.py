"""A model chooses among whole plans by number; any other answer leaves the rule's choice."""

from asyncio import Runner
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random

import pytest

from tests.authoring.assist.made_drafts import bound
from wardround.authoring.assist.accounts import Account
from wardround.authoring.assist.facts.patients import ADHERENCE
from wardround.authoring.assist.gates.gate_counts import GateCounts
from wardround.authoring.assist.gates.session_gates import form_faults
from wardround.authoring.assist.maker_models import MakerModels
from wardround.authoring.assist.planning.cells import cells
from wardround.authoring.assist.planning.drafts import Draft
from wardround.authoring.assist.planning.plan_choice import PlanChoice
from wardround.authoring.assist.progress import Progress
from wardround.authoring.assist.session_lines import Session
from wardround.authoring.assist.slots import Case, SlotFiller, _rules
from wardround.core.tools import ToolSpec
from wardround.models import Message, Reply, scripted

REASON = "the planner names no draft"
CELL = next(
    cell
    for cell in cells("suite")
    if (cell.scenario, "-".join(cell.arc)) == ("med_safety", "IL-IL-CR-DG")
)


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    """A loop for the requests of models."""
    with Runner() as opened:
        yield opened


def planner(answer: str, prompts: list[str], runner: Runner) -> PlanChoice:
    """A planner with one answer."""

    def reply(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        prompts.append(messages[1].text)
        return Reply(answer)

    return PlanChoice(scripted(reply), runner, 0, lambda requested: None)


@pytest.mark.parametrize(
    ("answer", "place"),
    [
        ('{"number": 2}', 1),
        ('{"number": 1}', 0),
        ('{"number": 0}', None),
        ('{"number": -1}', None),
        ('{"number": 3}', None),
        ('{"number": "the potassium"}', None),
        ("Ask for the potassium.", None),
    ],
)
def test_only_the_number_of_a_draft_is_a_choice(
    sessions: Mapping[str, Session], runner: Runner, answer: str, place: int | None
) -> None:
    session, counts = sessions["read"], GateCounts()
    options, history = session.drafts[1:3], session.drafts[:1]
    choice = planner(answer, [], runner)
    chosen = choice.chosen("s", session.cell, history, options, counts)
    assert chosen is options[place or 0]
    type = session.cell.arc[1]
    assert counts.counts["choice", "", type, "tried"] == 1
    assert counts.counts["choice", REASON, type, "failed"] == (place is None)


def test_a_chosen_plan_is_whole_and_follows_the_numbers(
    filler: SlotFiller, sessions: Mapping[str, Session], runner: Runner
) -> None:
    plans = {}
    for answer in ('{"number": 1}', '{"number": 2}', "no number"):
        prompts: list[str] = []
        models = MakerModels(planner(answer, prompts, runner))
        own = SlotFiller(filler.record, filler.candidates, 0, False, Progress(), models)
        session = planned(own, sessions["read"])
        assert session
        assert len(session.drafts) == 4
        assert not [fault for fault in form_faults(session) if "twice" in fault.reason]
        assert prompts
        assert "Asked so far" not in prompts[0]
        assert "2. " in prompts[0]
        plans[answer] = topics(session.drafts)
        refused = sum(n for key, n in own._counts.counts.items() if key[1] == REASON)
        assert refused == (len(prompts) // 3 if answer == "no number" else 0)
    assert plans["no number"] == plans['{"number": 1}'] != plans['{"number": 2}']


def planned(filler: SlotFiller, like: Session) -> Session | None:
    """A session about the patient of another."""
    subject = like.survey.desk.subject_id
    candidate = next(each for each in filler.candidates if each.subject_id == subject)
    patient = filler.record.patient(candidate, candidate.discharge)
    rules = [*patient.rules, bound("warfarin_aspirin", "warfarin", "aspirin")]
    held = _rules(replace(patient, rules=rules), None, {}, leaves=False)
    account = Account(filler.accounts.detailed(patient, Random(0)))
    findings = [*patient.findings, *filler.accounts.home_drugs(account)]
    case = Case(patient, False, ADHERENCE, account, Random(0), findings, held)
    return filler._planned(15, CELL, case, set())


def topics(drafts: Sequence[Draft]) -> list[object]:
    """What each turn asks for."""
    return [[finding.topic for finding in draft.findings] for draft in drafts]
