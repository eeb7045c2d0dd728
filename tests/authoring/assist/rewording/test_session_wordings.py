"""Questions in a model's words are kept if they ask the same, and refused with a reason."""

import json
from asyncio import Runner
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.cases import one_in
from wardround.authoring.assist.gates.gate_counts import GateCounts
from wardround.authoring.assist.rewording.fidelity import changed_facts
from wardround.authoring.assist.rewording.rewriter import Rewriter
from wardround.authoring.assist.rewording.session_wordings import SessionWordings
from wardround.authoring.assist.session_lines import Session, session_line
from wardround.authoring.assist.slots import SlotFiller
from wardround.authoring.assist.wording.turn_texts import TurnTexts
from wardround.benchmarks.assist.sessions import LANGUAGES
from wardround.core.tools import ToolSpec
from wardround.models import LanguageModel, Message, ModelSettings, Reply, scripted
from wardround.models.exchange import Answer, Request

CASES = Path(__file__).with_name("reworded_turns.tsv")
COLUMNS, *ROWS = (line.split("\t") for line in CASES.read_text(encoding="utf-8").splitlines())
BROKEN = "no JSON at all"
LISTED = {"first": "a", "second": "a", "difference": "none"}
TEXTS = 2 + 3 * 4  # one question, and three with their implicit twins, in two languages


def _writer(case: Mapping[str, str], texts: TurnTexts) -> LanguageModel:
    """A writer that rewords the texts of one turn as the case says, and translates back."""
    forms = {"explicit": texts.explicit, "implicit": texts.question}
    wordings, backs = dict[str, str](), dict[str, str]()
    for form, rule in reversed(forms.items()):  # in the first turn both are the explicit one
        for lang in LANGUAGES:
            new = case[f"{form}_{lang}"]
            wordings[rule[lang]] = rule[lang] if new == "=" else new
        back = case[f"back_{form}"]
        backs[wordings[rule["zh"]]] = rule["en"] if back == "=" else back

    def answer(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        lines = dict(line.split(": ", 1) for line in messages[1].text.splitlines())
        if chinese := lines.get("Chinese"):
            back = backs[chinese]
            return Reply(BROKEN if back == "broken" else json.dumps({"english": back}))
        new = wordings.get(lines["Text"], "broken")
        text = json.dumps({"text": new}, ensure_ascii=False)
        return Reply(BROKEN if new == "broken" else text)

    return scripted(answer, "writer-1")


def _checker(verdict: str) -> LanguageModel:
    answer = BROKEN if verdict == "broken" else json.dumps({**LISTED, "same": verdict == "yes"})
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
    tried = [counts.counts["rewording", "", each, "tried"] for each in set(session.cell.arc)]
    assert sum(tried) == TEXTS
    texts = reworded.texts[turn]
    implicit = "implicit" if turn else "explicit"
    for form, new, old in (
        ("explicit", texts.explicit, rule.explicit),
        (implicit, texts.question, rule.question),
    ):
        for lang in LANGUAGES:
            given = case[f"{form}_{lang}"]
            assert new[lang] == (old[lang] if given == "=" else given)
    assert [item.texts for item in texts.items] == [item.texts for item in rule.items]
    assert texts.answer == rule.answer
    assert reworded.drafts == session.drafts
    line = session_line(reworded, "2150-01-01")
    assert line["question_writers"] == [
        "writer-1" if number == turn else None for number in range(4)
    ]
    assert "question_writers" not in session_line(session, "2150-01-01")


@pytest.mark.parametrize(("days", "faults"), [("three", []), ("two", ["other numbers"])])
def test_amounts_in_words_stay_the_same(days: str, faults: list[str]) -> None:
    old, new = "Repeat it in three days.", f"In {days} days, please repeat it."
    reasons = [each.reason for each in changed_facts(old, new, "en")]
    assert reasons == [f"a wording has {fault}" for fault in faults]


def test_a_question_goes_to_the_writer_alone_and_again_with_the_lost_word(
    sessions: Mapping[str, Session],
) -> None:
    requests: list[Request] = []

    async def answer(request: Request) -> Answer:
        requests.append(request)
        return Answer(Reply('{"text": "Was apixaban last ordered since when?"}'), cost=0.0)

    model = LanguageModel(ModelSettings(name="writer-1"), answer)
    with Runner() as runner:
        wordings = SessionWordings(Rewriter(model, model, 0, lambda requested: None), runner)
        wordings.reworded(sessions["read"], lambda session: [], GateCounts())
    question = sessions["read"].texts[0].explicit["en"]
    tries = [each for each in requests if question in each.messages[1].text]
    texts = [each.messages[1].text for each in tries]
    refused = "a wording has other terms: drug (lost: warfarin; added: apixaban)"
    first = f"Text: {question}\nNames to keep: warfarin"
    assert texts == [first, *[f"{first}\nRefused before: {refused}."] * 2]
    assert len({each.seed for each in tries}) == 3  # a try is not the last one again
