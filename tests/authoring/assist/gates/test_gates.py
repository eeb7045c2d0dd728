"""Sessions with the faults of hand-written ones are turned back, by the right gate."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.authoring.assist.made_drafts import bound, order
from tests.cases import one_in
from wardround.authoring.assist.facts.findings import result_search
from wardround.authoring.assist.facts.rules import BoundRule
from wardround.authoring.assist.facts.sources import Cited, Told
from wardround.authoring.assist.gates.gold_answers import rule_faults
from wardround.authoring.assist.gates.rehearsal import Rehearsals, rehearsed
from wardround.authoring.assist.gates.session_gates import (
    Fault,
    answer_faults,
    call_faults,
    form_faults,
    playable,
)
from wardround.authoring.assist.session_lines import Session, session_line
from wardround.authoring.assist.slots import SlotFiller
from wardround.authoring.assist.wording.turn_texts import TurnTexts
from wardround.benchmarks.assist.benchmark import AssistBenchmark
from wardround.benchmarks.assist.sessions import LANGUAGES, Language
from wardround.core.errors import InfraError
from wardround.ehr.terms.clinical_rules import clinical_rule

CASES = Path(__file__).parent / "cases" / "spoiled_sessions.tsv"
ROWS = [line.split("\t") for line in CASES.read_text(encoding="utf-8").splitlines()[1:]]


@pytest.mark.parametrize(
    ("name", "type", "part", "english", "chinese", "gate", "reason"), one_in(3, ROWS)
)
def test_a_spoiled_session_is_turned_back(
    filler: SlotFiller, sessions: Mapping[str, Session],
    name: str, type: str, part: str, english: str, chinese: str, gate: str, reason: str,
) -> None:  # fmt: skip
    session = sessions[name]
    turn = next(n for n, draft in enumerate(session.drafts) if draft.type == type)
    spoiled = SPOILED[part](filler, session, turn, {"en": english, "zh": chinese})
    faults = list(filler._faults(spoiled))
    assert {fault.gate for fault in faults} == {gate}, faults
    assert Fault(gate, reason, turn) in faults  # type: ignore[arg-type]


@pytest.mark.parametrize(("test", "is_there"), [("hemoglobin", True), ("digoxin", False)])
def test_a_level_that_the_record_has_is_not_ordered(
    filler: SlotFiller, sessions: Mapping[str, Session], test: str, is_there: bool
) -> None:
    session, turn = sessions["read"], 2
    searching = replace(session.drafts[turn], searches=(result_search("laboratory", test),))
    drafts = (*session.drafts[:turn], searching, *session.drafts[turn + 1 :])
    faults = filler._faults(replace(session, drafts=drafts))
    known = Fault("calls", "a level is ordered that the record has", turn)
    assert list(faults) == [known] * is_there


@pytest.mark.parametrize(
    ("drug", "faults"),
    [
        ("dabigatran", ["a rule is about other drugs", "the record does not meet a rule"]),
        ("warfarin", ["the record does not meet a rule"]),
    ],
)
def test_a_rule_holds_for_the_drugs_and_results_of_the_record(
    sessions: Mapping[str, Session], drug: str, faults: list[str]
) -> None:
    bound = BoundRule(clinical_rule("warfarin_hemoglobin"), drug)
    assert list(rule_faults(bound, sessions["read"].survey)) == faults


def test_the_first_gate_checks_calls_and_drugs(sessions: Mapping[str, Session]) -> None:
    session = sessions["warfarin"]
    lookup, _, reasoning, write = session.drafts
    changes: tuple[tuple[int, Mapping[str, Any], Fault], ...] = (
        (1, {"findings": lookup.findings}, _form("an entity and its aspect are asked for twice")),
        (0, {"findings": reasoning.findings}, _form("too few or too many gold calls", 0)),
        (0, {"order": write.order}, _form("a write in the wrong turn", 0)),
        (0, {"source": "patient"}, _form("the patient is not asked", 0)),
        (
            2,
            {"rule": bound("ace_inhibitor_potassium", "lisinopril")},
            _form("a turn changes a drug that nobody looked up", 2),
        ),
    )
    assert not list(form_faults(session))
    for turn, change, fault in changes:
        assert fault in form_faults(_with_draft(session, turn, change)), fault


def test_the_first_gate_checks_the_words_of_both_questions_the_answer_and_the_items(
    sessions: Mapping[str, Session],
) -> None:
    session, turn = sessions["warfarin"], 2
    texts, long, broken = session.texts[turn], "too many words, " * 13, "One? Two? Three?"
    items = texts.items
    other: Mapping[Language, str] = {"en": "Says aspirin", "zh": "提到氯吡格雷"}
    terms = "the Chinese text has other terms: drug"
    changes: tuple[tuple[Mapping[str, Any], str], ...] = (
        ({"items": items[:2]}, "too few or too many items"),
        ({"items": (*items[1:], items[-1])}, "an item twice"),
        ({"items": (replace(items[0], texts=other), *items[1:])}, terms),
        ({"answer": {**texts.answer, "zh": texts.answer["zh"] + other["zh"]}}, terms),
        ({"answer": {**texts.answer, "zh": "？"}}, "a gold answer does not name what is asked"),
        ({"question": {**texts.question, "en": long}}, "a question of too many words"),
        ({"explicit": {**texts.explicit, "zh": long}}, "a question of too many words"),
        ({"question": {**texts.question, "en": broken}}, "a question of more than two sentences"),
        (
            {"explicit": {"en": "What risk?", "zh": "有什么风险？"}},
            "an explicit question does not name what it is about",
        ),
    )
    for change, reason in changes:
        spoiled = _with_texts(session, turn, replace(texts, **change))
        assert _form(reason, turn) in form_faults(spoiled), reason


def test_a_session_comes_to_all_gates_in_their_order(
    filler: SlotFiller, sessions: Mapping[str, Session]
) -> None:
    gates = list(filler._gates(sessions["warfarin"]))
    assert gates == [("form", []), ("calls", []), ("answers", [])]


def test_the_second_gate_makes_each_call_again(
    filler: SlotFiller, sessions: Mapping[str, Session]
) -> None:
    session, chart = sessions["warfarin"], filler.record.chart
    line = session_line(session, "")
    assert not list(call_faults(session, playable(line), chart))
    absent = _with_draft(session, 0, {"findings": (order("lithium"),)})
    nothing = Fault("calls", "a gold call finds nothing", 0)
    assert list(call_faults(absent, playable(line), chart)) == [nothing]
    line["answer_list"][0][0]["observation"] += " 99 mg"
    differing = Fault("calls", "a gold call finds other values when it is made again")
    assert list(call_faults(session, playable(line), chart)) == [differing]


def test_the_third_gate_checks_that_the_rule_of_each_turn_holds(
    filler: SlotFiller, sessions: Mapping[str, Session]
) -> None:
    session = sessions["warfarin"]
    rule = BoundRule(clinical_rule("warfarin_hemoglobin"), "warfarin")
    faults = answer_faults(
        _with_draft(session, 2, {"rule": rule}),
        playable(session_line(session, "")),
        filler._rehearsals,
    )
    assert next(faults) == Fault("answers", "the record does not meet a rule", 2)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_third_gate_grades_the_gold_of_each_language(
    filler: SlotFiller, sessions: Mapping[str, Session], language: Language
) -> None:
    days = {"en": "Give it for ten days.", "zh": "共用十天。"}[language]
    spoiled = {"answer": {**sessions["warfarin"].texts[2].answer, language: days}}
    faults = _answer_faults(sessions["warfarin"], spoiled, filler._rehearsals)
    assert "nothing says a duration of the gold answer" in faults
    assert "the gold answer fails an item" in faults


def test_the_third_gate_finds_an_item_that_no_program_decides(
    filler: SlotFiller, sessions: Mapping[str, Session]
) -> None:
    first, *others = sessions["warfarin"].texts[2].items
    kind = replace(first, check=None, texts={"en": "Is kind", "zh": "说明华法林"})
    faults = _answer_faults(sessions["warfarin"], {"items": (kind, *others)}, filler._rehearsals)
    assert faults == ["no program decides an item of the gold answer"]


@pytest.mark.parametrize("part", ["paper", *LANGUAGES])
def test_the_third_gate_traces_the_facts_of_each_gold(
    filler: SlotFiller, sessions: Mapping[str, Session], part: Language | Literal["paper"]
) -> None:
    texts, graded = sessions["warfarin"].texts[2], filler._rehearsals.graded
    language = "en" if part == "paper" else part
    alone = {} if part == "paper" else {part: graded[part]}
    paper = filler._rehearsals.paper if part == "paper" else graded["zh" if part == "en" else "en"]
    spoiled = {"answer": {**texts.answer, language: f"{texts.answer[language]} 9.9 mEq/L。"}}
    faults = _answer_faults(sessions["warfarin"], spoiled, Rehearsals(alone, paper))
    assert "a fact of the gold answer is in no result" in faults


def test_a_rehearsal_that_breaks_off_is_no_verdict(
    filler: SlotFiller, sessions: Mapping[str, Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    played = playable(session_line(sessions["warfarin"], ""))
    monkeypatch.setattr(AssistBenchmark, "oracle", lambda *_: None)
    with pytest.raises(InfraError, match="broke off"):
        rehearsed(filler._rehearsals.paper, played)


def _answer_faults(
    session: Session, change: Mapping[str, Any], rehearsals: Rehearsals
) -> list[str]:
    """The faults of the third gate if the texts of a reasoning are changed."""
    spoiled = _with_texts(session, 2, replace(session.texts[2], **change))
    played = playable(session_line(spoiled, ""))
    return [each.reason for each in answer_faults(spoiled, played, rehearsals) if each.turn == 2]


def _form(reason: str, turn: int | None = None) -> Fault:
    return Fault("form", reason, turn)


def _with_draft(session: Session, turn: int, change: Mapping[str, Any]) -> Session:
    """A session with other parts of a turn before it has words."""
    draft = replace(session.drafts[turn], **change)
    return replace(session, drafts=(*session.drafts[:turn], draft, *session.drafts[turn + 1 :]))


def _without_source(
    filler: SlotFiller, session: Session, turn: int, value: Mapping[str, str]
) -> Session:
    """A session with an item about a test, as if another call had found its value."""
    texts = session.texts[turn]
    about = next(item for item in texts.items if value["en"] in item.texts["en"])
    nobody = Told(turn, 9, "nobody said this", 0)
    lost = replace(about, sources=(nobody,))
    items = tuple(lost if item is about else item for item in texts.items)
    return _with_texts(session, turn, replace(texts, items=items))


def _without_items(
    filler: SlotFiller, session: Session, turn: int, value: Mapping[str, str]
) -> Session:
    """A session without the items that cite a field of the rule."""

    def cites(source: Any) -> bool:
        return isinstance(source, Cited) and source.field == value["en"]

    texts = session.texts[turn]
    left = tuple(item for item in texts.items if not any(map(cites, item.sources)))
    return _with_texts(session, turn, replace(texts, items=left))


def _reworded(part: str) -> Callable[..., Session]:
    """Replaces words of a text, or all of it, by "old → new"; or appends a sentence."""

    def spoil(filler: SlotFiller, session: Session, turn: int, value: Mapping[str, str]) -> Session:
        texts = session.texts[turn]
        old = getattr(texts, part)
        new = {language: _changed(old[language], value[language]) for language in LANGUAGES}
        return _with_texts(session, turn, replace(texts, **{part: new}))  # type: ignore[arg-type]

    return spoil


def _changed(text: str, change: str) -> str:
    old, arrow, new = change.partition(" → ")
    if old == "all":
        return new
    return text.replace(old, new).replace(old.capitalize(), new) if arrow else f"{text} {change}"


def _with_texts(session: Session, turn: int, texts: TurnTexts) -> Session:
    return replace(session, texts=(*session.texts[:turn], texts, *session.texts[turn + 1 :]))


SPOILED: Mapping[str, Callable[..., Session]] = {
    "source": _without_source,
    "items": _without_items,
    **{part: _reworded(part) for part in ("question", "explicit", "answer")},
}
