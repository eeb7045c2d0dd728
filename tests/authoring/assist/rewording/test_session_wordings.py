"""Questions in a model's words are kept if they ask the same, and refused with a reason."""

import json
from asyncio import Runner
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.cases import one_in
from wardround.authoring.assist.gates.gate_counts import GateCounts
from wardround.authoring.assist.rewording.rewriter import Rewriter
from wardround.authoring.assist.rewording.session_wordings import SessionWordings
from wardround.authoring.assist.session_lines import Session, session_line
from wardround.authoring.assist.slots import SlotFiller
from wardround.authoring.assist.wording.turn_texts import TurnTexts
from wardround.benchmarks.assist.sessions import LANGUAGES
from wardround.core.tools import ToolSpec
from wardround.models import LanguageModel, Message, Reply, scripted

CASES = Path(__file__).with_name("reworded_turns.tsv")
COLUMNS, *ROWS = (line.split("\t") for line in CASES.read_text(encoding="utf-8").splitlines())
BROKEN = "no JSON at all"


def _writer(case: Mapping[str, str], texts: TurnTexts) -> LanguageModel:
    """A writer that rewords one turn as the case says, and translates back."""

    def given(column: str, rule: str) -> str:
        return rule if case[column] == "=" else case[column]

    forms = {"explicit": texts.explicit, "implicit": texts.question}
    wording = {
        form: {lang: given(f"{form}_{lang}", rule[lang]) for lang in LANGUAGES}
        for form, rule in forms.items()
    }
    backs = {wording[form]["zh"]: given(f"back_{form}", forms[form]["en"])
             for form in reversed(forms)}  # fmt: skip

    def answer(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        text = messages[1].text
        if text.startswith("Chinese: "):
            back = backs[text.removeprefix("Chinese: ")]
            return Reply(BROKEN if back == "broken" else json.dumps({"english": back}))
        if texts.explicit["en"] not in text or case["explicit_en"] == "broken":
            return Reply(BROKEN)
        return Reply(json.dumps(wording, ensure_ascii=False))

    return scripted(answer, "writer-1")


def _checker(verdict: str) -> LanguageModel:
    answer = BROKEN if verdict == "broken" else json.dumps({"same": verdict == "yes"})
    return scripted(lambda messages, tools: Reply(answer))


@pytest.mark.parametrize(
    "row", one_in(3, ROWS), ids=lambda row: f"{row[0]}-{row[1]}-{row[-1] or 'kept'}"
)
def test_a_wording_is_kept_or_refused_with_a_reason(
    filler: SlotFiller, sessions: Mapping[str, Session], row: list[str]
) -> None:
    case = dict(zip(COLUMNS, row, strict=True))
    session, turn = sessions[case["session"]], int(case["turn"])
    counts, rule = GateCounts(), session.texts[turn]
    rewriter = Rewriter(_writer(case, rule), _checker(case["same"]), 0, lambda requested: None)
    with Runner() as runner:
        wordings = SessionWordings(rewriter, runner)
        reworded = wordings.reworded(session, filler._gate_faults, counts)
    type = session.cell.arc[turn]
    if reason := case["reason"]:
        assert counts.counts["rewording", reason, type, "failed"] >= 1, counts.counts
        assert reworded == session
        return
    assert sum(counts.counts["rewording", "", each, "tried"] for each in set(session.cell.arc)) == 4
    texts = reworded.texts[turn]
    assert texts.explicit["en"] == case["explicit_en"]
    assert texts.question["zh"] == case["explicit_zh" if turn == 0 else "implicit_zh"]
    assert [item.texts for item in texts.items] == [item.texts for item in rule.items]
    assert texts.answer == rule.answer
    assert reworded.drafts == session.drafts
    line = session_line(reworded, "2150-01-01")
    assert line["question_writers"] == [
        "writer-1" if number == turn else None for number in range(4)
    ]
    assert "question_writers" not in session_line(session, "2150-01-01")


def test_a_question_goes_to_the_writer_with_what_it_hides(
    sessions: Mapping[str, Session],
) -> None:
    prompts: list[str] = []

    def answer(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        prompts.append(messages[1].text)
        return Reply(BROKEN)

    model = scripted(answer)
    with Runner() as runner:
        wordings = SessionWordings(Rewriter(model, model, 0, lambda requested: None), runner)
        wordings.reworded(sessions["read"], lambda session: [], GateCounts())
    second = next(text for text in prompts if "Implicit, English: Day and amount" in text)
    assert second.endswith("The implicit question must not name: warfarin")
    assert "Implicit" not in prompts[0]
