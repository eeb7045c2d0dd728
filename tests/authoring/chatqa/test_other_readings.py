"""Words that fit other records: a question is asked only if its answer stays the same."""

from dataclasses import replace
from itertools import islice

import pytest

from wardround.authoring.chatqa.asked_records import AskedRecords
from wardround.authoring.chatqa.increments import Increment, fault_of_words
from wardround.authoring.chatqa.other_readings import AMBIGUOUS, Meanings
from wardround.authoring.chatqa.spoken_values import SpokenValue
from wardround.authoring.chatqa.suite import Checked, Forms, incre_tasks
from wardround.authoring.chatqa.turns.turn import PATIENTS, Turn, fault_of_answer
from wardround.authoring.chatqa.wishes import Wish
from wardround.ehr.query import Bound, Condition, Query, Relation
from wardround.ehr.records import Role

STAYS: frozenset[str] = frozenset()
WHITE_CELLS = SpokenValue(
    Role("lab", "name"), ("white blood cells",), "white blood cells", ("leukocytes",), STAYS
)
OXYCODONE = SpokenValue(Role("drug", "name"), ("oxycodone",), "oxycodone", ("roxicodone",), STAYS)
TROPONIN = SpokenValue(Role("lab", "name"), ("troponin t",), "troponin t", ("troponin",), STAYS)
MEANINGS = Meanings(
    {"lab": (WHITE_CELLS, TROPONIN), "drug": (OXYCODONE,)},
    {
        "lab": ("ph", "troponin i", "troponin t", "wbc", "white blood cells"),
        "drug": ("morphine", "oxycodone", "oxycodone-acetaminophen (5mg-325mg)"),
    },
    {"ph": frozenset({"50820", "51491"}), "wbc": frozenset({"51516"})},
)


def of(kind: str, text: str) -> Condition:
    return Condition(kind, ((Role(kind, "name"), (text,)),), scope="admission")


@pytest.mark.parametrize(
    ("condition", "other"),
    [
        (of("lab", "white blood cells"), [("white blood cells", "wbc"), ("wbc",)]),
        (of("lab", "troponin t"), [("troponin t", "troponin i")]),
        (of("drug", "oxycodone"), [("oxycodone", "oxycodone-acetaminophen (5mg-325mg)")]),
        (of("drug", "morphine"), []),
    ],
)
def test_other_names_that_fit_are_read_too(condition: Condition, other: list[object]) -> None:
    readings = list(MEANINGS.other_readings(Query(PATIENTS, (condition,))))
    assert [query.conditions[0].values[0][1] for query in readings] == other


def test_a_name_of_several_tests_is_read_as_each() -> None:
    readings = MEANINGS.other_readings(Query(PATIENTS, (of("lab", "ph"),)))
    code = Role("lab", "code")
    assert [query.conditions[0].also for query in readings] == [
        ((code, ("50820",)),),
        ((code, ("51491",)),),
    ]


def test_the_earlier_event_of_an_order_is_read_too() -> None:
    condition = replace(
        of("drug", "morphine"), relation=Relation("after", of("lab", "white blood cells"))
    )
    readings = list(MEANINGS.other_readings(Query(PATIENTS, (of("drug", "morphine"), condition))))
    anchors = [query.conditions[1].relation for query in readings]
    assert [anchor.anchor.values[0][1] for anchor in anchors if anchor] == [
        ("white blood cells", "wbc"),
        ("wbc",),
    ]


def draft(condition: Condition) -> Increment:
    return Increment(PATIENTS, Wish("goal.patients", {}), (Wish("lab.below", {}, condition),))


def test_cells_in_urine_are_not_those_in_blood(records: AskedRecords) -> None:
    if not {"wbc", "white blood cells"} <= set(records.names["lab"]):
        pytest.skip("this layout has no second kind of white cells in small letters")
    few = replace(of("lab", "white blood cells"), bounds=(Bound("<", 4.5),))
    assert fault_of_words(draft(few), records) == AMBIGUOUS
    assert fault_of_words(draft(of("lab", "magnesium")), records) == ""
    asked = Query(PATIENTS, (few,))
    turn = Turn("category", "frame", {}, None, asked, (), "words")
    assert fault_of_answer(turn, records) == AMBIGUOUS
    clear = replace(turn, final=Query(PATIENTS, (of("lab", "magnesium"),)))
    assert fault_of_answer(clear, records) == ""
    assert fault_of_answer(replace(clear, first=asked), records) == AMBIGUOUS
    assert fault_of_answer(replace(clear, sizes=range(1)), records).startswith("too few")


def test_refused_drafts_leave_the_others_as_they_are(
    records: AskedRecords, monkeypatch: pytest.MonkeyPatch
) -> None:
    if records.views.dialect != "sqlite":
        pytest.skip("one layout is enough")
    values = {
        kind: tuple(replace(each, respellings=None) for each in of)
        for kind, of in records.values.items()
    }
    plain = replace(records, values=values, spellings=())

    def made() -> dict[str, str]:
        forms = Forms(goals=("patients", "stays"), sorts=("test", "event", "length"))
        tasks = islice(incre_tasks(plain, "ward", 40, 2, 3, Checked(), forms), 8)
        return {each.task.task_id: each.task.instruction for each in tasks}

    kept = made()
    monkeypatch.setattr(Meanings, "other_readings", lambda meanings, query: iter(()))
    unchecked = made()
    shared = kept.keys() & unchecked.keys()
    assert shared < unchecked.keys()
    assert all(kept[number] == unchecked[number] for number in shared)
