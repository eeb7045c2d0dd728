"""Sessions with the faults of hand-written ones are turned back, by the right gate."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.cases import one_in
from wardround.authoring.assist.facts.findings import result_search
from wardround.authoring.assist.facts.rules import BoundRule
from wardround.authoring.assist.facts.sources import Cited, Told
from wardround.authoring.assist.gates.gold_answers import rule_faults
from wardround.authoring.assist.gates.session_gates import Fault
from wardround.authoring.assist.session_lines import Session
from wardround.authoring.assist.slots import SlotFiller
from wardround.authoring.assist.wording.turn_texts import TurnTexts
from wardround.benchmarks.assist.sessions import LANGUAGES
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
