"""Empty cells are filled again, then others until each tool of their scenario is used."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from wardround.authoring.assist.coverage import (
    EMPTY,
    LESS,
    TRADE,
    ScenarioSessions,
    most_read,
    unused_tools,
)
from wardround.authoring.assist.facts.findings import resource_of
from wardround.authoring.assist.gates.gate_counts import GateCounts
from wardround.authoring.assist.planning.cells import Cell, Forms, cells
from wardround.authoring.assist.planning.form_trades import forms_of
from wardround.authoring.assist.progress import Filled, Progress
from wardround.authoring.assist.scenario_tools import scenario_tools
from wardround.authoring.assist.slots import SlotFiller
from wardround.benchmarks.assist.sessions import Scenario

CELLS = list(cells("suite"))
SCENARIO: Scenario = "treatment_response"
PLACES = [place for place, cell in enumerate(CELLS) if cell.scenario == SCENARIO]
PAIN, FLAG = "patient.get_pain_assessment", "Flag.create"
USED = [resource_of(tool) for tool in sorted(scenario_tools(SCENARIO)) if tool != PAIN]


def session(*called: str, forms: Sequence[str] = CELLS[PLACES[0]].forms) -> Filled:
    """A session that calls some tools."""
    return Filled(line={"id": "made", "turn_subtypes": [None, *forms]}, called=called)


@pytest.fixture
def sessions(filler: SlotFiller) -> ScenarioSessions:
    """The sessions of a scenario: no pain, one flag, everything else twice."""
    filled = {place: session("Observation") for place in PLACES}
    filled |= {PLACES[0]: session(*USED), PLACES[1]: session(*[e for e in USED if e != FLAG])}
    return ScenarioSessions(SCENARIO, replace(filler, progress=Progress()), CELLS, filled)


def filling(
    monkeypatch: pytest.MonkeyPatch, supported: Mapping[int, Sequence[str]]
) -> list[tuple[int, str]]:
    """The cells and tools of later fills, of which some places have a session."""
    asked: list[tuple[int, str]] = []

    def fill(
        self: SlotFiller,
        number: int,
        offers: Sequence[Cell],
        passed: Collection[int] = (),
        **options: Any,
    ) -> Filled:
        asked.append((number, options.get("tool", "")))
        forms = offers[0].forms
        return session(*supported[number], forms=forms) if number in supported else Filled()

    monkeypatch.setattr(SlotFiller, "fill", fill)
    return asked


def test_a_session_is_replaced_by_one_that_uses_the_tool(
    sessions: ScenarioSessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = filling(monkeypatch, {PLACES[9]: [PAIN]})
    covered = list(sessions.cover())
    assert [(place, tool) for place, tool, _ in covered] == asked
    assert {tool for _, tool in asked} == {PAIN}
    assert asked[-1][0] == PLACES[9]
    assert sessions.filled[PLACES[9]].called == (PAIN,)
    assert unused_tools(SCENARIO, sessions.filled.values()) == []
    counts = GateCounts.total(each.counts for *_, each in covered).counts
    assert counts["coverage", "no session uses the tool", "session", "failed"] == len(asked) - 1
    assert sum(n for (gate, *_, stage), n in counts.items() if stage == "tried") == 4 * len(asked)


def test_the_only_session_with_another_tool_stays(
    sessions: ScenarioSessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = filling(monkeypatch, {})
    list(sessions.cover())
    assert PLACES[0] not in {place for place, _ in asked}
    assert len(asked) == 12  # of 26 that could have been asked
    assert unused_tools(SCENARIO, sessions.filled.values()) == [PAIN]
    assert list(sessions.cover()) == []


def test_cells_that_gather_the_most_are_tried_first_for_a_tool(
    sessions: ScenarioSessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = filling(monkeypatch, {})
    list(sessions.cover())
    gathering = [CELLS[place].arc.count("DG") for place, _ in asked]
    assert gathering == sorted(gathering, reverse=True)
    assert gathering[0] > gathering[-1]


def test_a_tool_that_writes_is_looked_for_in_cells_that_write(
    sessions: ScenarioSessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions.filled[PLACES[0]] = session(*[e for e in USED if e != FLAG], PAIN)
    asked = filling(monkeypatch, {})
    list(sessions.cover())
    assert {tool for _, tool in asked} == {FLAG}
    assert all("WU" in CELLS[place].arc for place, _ in asked)


def test_shares_are_looked_at_last(
    sessions: ScenarioSessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    filling(monkeypatch, dict.fromkeys(PLACES, LIGHT))
    causes = [cause for _, cause, _ in sessions.fill_again()]
    assert causes[0] == PAIN
    assert causes[-1] == LESS


def test_what_was_tried_before_is_not_tried_again(
    sessions: ScenarioSessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = filling(monkeypatch, {})
    covered = list(sessions.cover())
    resumed = replace(sessions, filled=dict(sessions.filled), tried=set(), vain=Counter())
    for place, tool, found in covered[:5]:
        resumed.resume(place, found, tool)
    assert resumed.filled == sessions.filled
    del asked[:]
    assert list(resumed.cover()) == covered[5:]


def tried(
    sessions: ScenarioSessions, monkeypatch: pytest.MonkeyPatch, patients: int, last: Filled
) -> list[tuple[str, list[int]]]:
    """Fills a cell by two of some patients a time; odd ones are told again. Then comes the last."""
    passed: list[tuple[str, list[int]]] = []

    def fill(
        self: SlotFiller,
        number: int,
        offers: Sequence[Cell],
        before: Collection[int] = (),
        **options: Any,
    ) -> Filled:
        passed.append((options["reach"], sorted(before)))
        vain = tuple(each for each in range(1, 1 + patients) if each not in before)[:2]
        return Filled(vain=vain, retold=tuple(e for e in vain if e % 2)) if vain else last

    monkeypatch.setattr(SlotFiller, "fill", fill)
    sessions.filled = {PLACES[0]: Filled()}
    return passed


def test_an_empty_cell_is_filled_again_by_patients_that_were_not_tried(
    sessions: ScenarioSessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = session("Observation")
    passed = tried(sessions, monkeypatch, 6, found)
    fills = list(sessions.fill_again())
    assert [(place, cause) for place, cause, _ in fills] == [(PLACES[0], EMPTY)] * 4
    assert passed == [("unused", [*range(1, 1 + done)]) for done in (0, 2, 4, 6)]
    assert sessions.filled[PLACES[0]] == found


def test_an_empty_cell_reaches_for_all_patients_and_then_for_what_was_told(
    sessions: ScenarioSessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed = tried(sessions, monkeypatch, 6, Filled())
    list(sessions.fill_again())
    assert passed[3:] == [
        ("unused", [1, 2, 3, 4, 5, 6]),
        *(("all", [*range(1, 1 + done)]) for done in (0, 2, 4, 6)),
        ("again", [2, 4, 6]),
        ("again", [1, 2, 3, 4, 6]),
        ("again", [1, 2, 3, 4, 5, 6]),
        *(("redrawn", [*range(1, 1 + done)]) for done in (0, 2, 4, 6)),
    ]
    assert sessions.given_up == {PLACES[0]}


def test_a_cell_that_nobody_supports_stays_empty(
    sessions: ScenarioSessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed = tried(sessions, monkeypatch, 1_000, Filled())
    list(sessions.fill_again())
    assert Counter(reach for reach, _ in passed) == {
        "unused": 200, "all": 200, "again": 100, "redrawn": 200,
    }  # fmt: skip
    assert not sessions.filled[PLACES[0]].line


def test_an_empty_cell_goes_on_where_it_was_stopped(
    sessions: ScenarioSessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried(sessions, monkeypatch, 6, Filled())
    fills = list(sessions.fill_again())
    for done in range(len(fills)):
        resumed = ScenarioSessions(SCENARIO, replace(sessions.filler, progress=Progress()), CELLS)
        resumed.resume(PLACES[0], Filled(), "")
        for place, cause, found in fills[:done]:
            resumed.resume(place, found, cause)
        assert list(resumed.fill_again()) == fills[done:]
        assert resumed.given_up == {PLACES[0]}


def test_a_rejected_session_is_replaced_by_one_of_another_patient_and_all_others_stay(
    sessions: ScenarioSessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, patient = PLACES[3], sessions.filler.candidates[0]
    sessions.filled[number] = replace(sessions.filled[number], candidate=patient)
    before = dict(sessions.filled)
    asked = filling(monkeypatch, {place: ["Condition"] for place in PLACES})
    [(replaced, found)] = sessions.replace_rejected(number)
    assert asked == [(number, "")]
    assert replaced == number
    assert sessions.filler.progress.barred == {patient.subject_id}
    assert sessions.filled == {**before, number: found}
    assert found.called == ("Condition",)


@pytest.mark.parametrize("supports", [True, False])
def test_a_replacement_uses_the_tool_that_only_the_rejected_session_used(
    sessions: ScenarioSessions, monkeypatch: pytest.MonkeyPatch, *, supports: bool
) -> None:
    number = PLACES[0]
    patient = sessions.filler.candidates[0]
    sessions.filled[number] = replace(sessions.filled[number], candidate=patient)
    asked = filling(monkeypatch, {number: [FLAG]} if supports else {})
    replaced = [found for _, found in sessions.replace_rejected(number)]
    assert asked[0] == (number, FLAG)
    assert (asked == [(number, FLAG)]) == supports
    assert sessions.filled[number].line == replaced[-1].line
    assert replaced[-1].called == ((FLAG,) if supports else ())


def test_few_sessions_stay_as_they_are(
    sessions: ScenarioSessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    filling(monkeypatch, {})
    few = replace(sessions, filled={place: session("Observation") for place in PLACES[:5]})
    assert list(few.cover()) == []


LIGHT = ("Observation", "MedicationRequest", "MedicationAdministration")


@pytest.mark.parametrize(("offered", "is_less"), [(LIGHT, True), (("Observation",), False)])
def test_a_resource_that_all_read_too_often_is_read_less(
    sessions: ScenarioSessions,
    monkeypatch: pytest.MonkeyPatch,
    offered: tuple[str, ...],
    is_less: bool,
) -> None:
    filling(monkeypatch, dict.fromkeys(PLACES, offered))
    before = dict(sessions.filled)
    assert most_read(before.values())[1] > 0.4
    thinned = list(sessions.thin())
    assert {cause for _, cause, _ in thinned} == {LESS}
    assert (most_read(sessions.filled.values())[1] <= 0.4) == is_less
    assert (sessions.filled == before) == (not is_less)
    resumed = replace(sessions, filled=before, tried=set(), vain=Counter())
    for place, cause, found in thinned:
        resumed.resume(place, found, cause)
    assert resumed.filled == sessions.filled


def exchanging(monkeypatch: pytest.MonkeyPatch, supported: Forms, others: Collection[int]) -> None:
    """Fills others with sessions of any forms, and the rest with those of some forms.

    Nothing is filled for tools or shares.
    """

    def fill(
        self: SlotFiller,
        number: int,
        offers: Sequence[Cell],
        passed: Collection[int] = (),
        **options: Any,
    ) -> Filled:
        first = next((e for e in offers if number in others or e.forms == supported), None)
        return session("Observation", forms=first.forms) if first else Filled()

    monkeypatch.setattr(SlotFiller, "fill", fill)
    for name in ("cover", "thin"):
        monkeypatch.setattr(ScenarioSessions, name, lambda _: iter(()))


def frequencies(sessions: ScenarioSessions) -> Counter[tuple[str, str]]:
    """The forms of each task type in the sessions of all cells."""
    pairs = [
        zip(CELLS[number].arc, filled.line["turn_subtypes"], strict=True)
        for number, filled in sessions.filled.items()
        if filled.line
    ]
    return Counter(pair for each in pairs for pair in [*each][1:])


def filled_but_one(sessions: ScenarioSessions, empty: int) -> ScenarioSessions:
    """Sessions in all cells but an empty one, with their planned forms."""
    whole = ScenarioSessions(SCENARIO, replace(sessions.filler, progress=Progress()), CELLS)
    for number in PLACES:
        each = Filled() if number == empty else session("Observation", forms=CELLS[number].forms)
        whole.resume(number, each, "")
    return whole


def test_a_session_takes_other_forms_so_that_an_empty_cell_can_have_its_own(
    sessions: ScenarioSessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = Counter(
        pair for n in PLACES for pair in zip(CELLS[n].arc[1:], CELLS[n].forms, strict=True)
    )
    empty = next(n for n in PLACES if CELLS[n].arc == ("IL", "DG", "CR", "DG"))
    supported: Forms = ("NA", "PE", "AE")
    assert CELLS[empty].forms != supported
    whole = filled_but_one(sessions, empty)
    exchanging(monkeypatch, supported, {*PLACES} - {empty})
    traded = list(whole.fill_again())
    first = next(filled for _, cause, filled in traded if cause == TRADE)
    assert first.traded
    assert first.traded[0] == empty
    line = whole.filled[empty].line
    assert line
    assert forms_of(line) == supported
    assert frequencies(whole) == planned
    for done in range(len(traded)):
        resumed = filled_but_one(sessions, empty)
        for number, cause, filled in traded[:done]:
            resumed.resume(number, filled, cause)
        assert list(resumed.fill_again()) == traded[done:]


def test_an_empty_cell_with_other_forms_begins_anew(sessions: ScenarioSessions) -> None:
    empty, other = PLACES[:2]
    whole = filled_but_one(sessions, empty)
    whole.given_up.add(empty)
    whole.passed[empty] = whole.retold[empty] = {1}
    whole.reach[empty] = "redrawn"
    made = session("Observation", forms=CELLS[other].forms)
    whole.resume(other, replace(made, traded=(empty, CELLS[empty].forms)), TRADE)
    assert empty not in whole.given_up
    assert not whole.passed[empty]
    assert not whole.retold[empty]
    assert whole.reach[empty] == "unused"


def test_an_empty_cell_tries_each_order_of_its_forms_once(
    sessions: ScenarioSessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = next(n for n in PLACES if CELLS[n].arc == ("IL", "DG", "CR", "DG"))
    whole = filled_but_one(sessions, empty)
    exchanging(monkeypatch, ("AE", "NA", "PE"), {*PLACES} - {empty})
    trades = [filled for _, cause, filled in whole.fill_again() if cause == TRADE]
    forms = [each.traded[1] for each in trades if each.traded]
    assert len(forms) == len({*forms}) == len(whole.tried_forms[empty]) - 1
    assert not whole.filled[empty].line
