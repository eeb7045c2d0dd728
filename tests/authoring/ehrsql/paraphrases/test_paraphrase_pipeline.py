"""From templates to a review file, with a model that a script plays."""

import json
import re
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from wardround.authoring.ehrsql.paraphrases import (
    Paraphrase,
    Paraphrased,
    Paraphraser,
    Rank,
    Template,
    all_templates,
    paraphrase,
    read_paraphrases,
)
from wardround.authoring.review_file import write_review
from wardround.core.errors import InfraError
from wardround.core.tools import ToolSpec
from wardround.core.trajectory import Requested
from wardround.models import LanguageModel, Message, Reply, scripted

GENDER = [
    "Which sex has the chart for patient 10027?",
    "Is patient 10027 female or male?",
    "What is the patient's sex?",
    "What was the last sex of patient 10027?",
    "Is it a boy or a girl, our patient 10027?",
    "Is it a boy or a girl, patient 10027?",
    "How does patient 10027 identify?",
]
NATURAL = {"boy": 4, "chart": 3, "identify": 2}


def writer(given: dict[str, list[str]], heard: list[str]) -> LanguageModel:
    """A model that gives the wordings of the template whose own question it hears."""

    def answer(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        heard.append(messages[1].text)
        found = (texts for word, texts in given.items() if word in messages[1].text)
        return Reply(json.dumps({"questions": next(found, [])}))

    return scripted(answer)


def judge() -> LanguageModel:
    """A model to which the chart is another question, and that likes what it is told to."""

    def answer(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        second = messages[1].text.partition("Second: ")[2]
        natural = next((n for word, n in NATURAL.items() if word in second), 1)
        return Reply(json.dumps({"same": "chart" not in second, "natural": natural}))

    return scripted(answer)


def at_work(given: dict[str, list[str]], heard: list[str] | None = None) -> Paraphraser:
    return Paraphraser(writer(given, [] if heard is None else heard), judge(), count=7)


async def told(turns: AsyncIterator[Paraphrased]) -> list[tuple[str, int]]:
    return [(one.template.id, len(one.candidates)) async for one in turns]


def templates(*ids: str) -> list[Template]:
    return [all_templates()[id] for id in ids]


async def test_candidates_are_checked_judged_ranked_and_pruned() -> None:
    requests: list[Requested] = []
    heard: list[str] = []
    work = Paraphraser(writer({"": GENDER}, heard), judge(), count=7, record=requests.append)
    found = await work.candidates(all_templates()["gender"])
    assert [(line.text, line.detail.rank, line.detail.natural, line.fault) for line in found] == [
        ("Is it a boy or a girl, our patient {patient_id}?", 1, 4, ""),
        ("How does patient {patient_id} identify?", 2, 2, ""),
        (
            "Is it a boy or a girl, patient {patient_id}?",
            None,
            4,
            "distance: too much like one before it",
        ),
        (
            "Which sex has the chart for patient {patient_id}?",
            None,
            3,
            "meaning: asks something else, says the judge",
        ),
        (
            "Is patient {patient_id} female or male?",
            None,
            None,
            'double: has the words of "Is patient {patient_id} male or female?"',
        ),
        ("What is the patient's sex?", None, None, "form: lacks {patient_id}"),
        ("What was the last sex of patient {patient_id}?", None, None, "words: adds: last"),
    ]
    assert [request.role for request in requests] == ["paraphraser", *["judge"] * 4]
    assert "The question: Is patient 10027 male or female?" in heard[0]
    assert "Put it in 7 other ways" in heard[0]


async def test_what_was_decided_and_asked_stays(tmp_path: Path) -> None:
    path, heard = tmp_path / "review.jsonl", list[str]()
    work = at_work({"male": GENDER[:1], "born": ["Birthday of 10027?"]}, heard)
    assert await told(paraphrase(work, templates("gender"), path)) == [("gender", 1)]
    [line] = read_paraphrases(path).values()
    write_review(path, [line.model_copy(update={"decision": "strike"})])
    decided = path.read_text()
    assert await told(paraphrase(work, templates("gender", "birth"), path)) == [("birth", 1)]
    assert len(heard) == 2
    assert path.read_text().startswith(decided)
    assert await told(paraphrase(work, templates("gender", "birth"), path)) == []
    again = paraphrase(work, templates("gender"), path, again=True)
    assert await told(again) == [("gender", 1)]
    *_, last = read_paraphrases(path).values()
    assert last.fault == "double: is there already"


async def test_templates_are_written_in_order_whoever_answers_first(tmp_path: Path) -> None:
    one, four = tmp_path / "one.jsonl", tmp_path / "four.jsonl"
    ids = ("gender", "birth", "age", "drug-route", "phone-number")
    work = at_work({"": [*GENDER[:5], "How do you give aspirin?", "Birthday of 10027?"]})
    await told(paraphrase(work, templates(*ids), one, at_once=1))
    await told(paraphrase(work, templates(*ids), four, at_once=4))
    assert one.read_bytes() == four.read_bytes()
    order = [line.changes for line in read_paraphrases(one).values()]
    assert list(dict.fromkeys(order)) == list(ids)


async def test_a_wording_of_two_templates_is_the_first_one_s(tmp_path: Path) -> None:
    path = tmp_path / "review.jsonl"
    work = at_work({"": ["Anything on the file of 10027?"]})
    await told(paraphrase(work, templates("blood-type", "occupation"), path))
    assert [line.fault for line in read_paraphrases(path).values()] == [
        "",
        "double: is a candidate of blood-type",
    ]


async def test_no_answer_of_the_form_is_told_and_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "review.jsonl"
    none, some = at_work({"": []}), at_work({"": GENDER})
    ids = templates("gender", "birth")
    assert await told(paraphrase(none, ids, path)) == [("gender", 0), ("birth", 0)]
    assert read_paraphrases(path) == {}
    assert [id for id, _ in await told(paraphrase(some, ids, path))] == ["gender", "birth"]


async def test_a_provider_that_fails_ends_it_with_the_file_whole(tmp_path: Path) -> None:
    path = tmp_path / "review.jsonl"

    def answer(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        if "born" in messages[1].text:
            raise InfraError("no connection")
        return Reply(json.dumps({"questions": GENDER}))

    work = Paraphraser(scripted(answer), judge())
    with pytest.raises(InfraError):
        await told(paraphrase(work, templates("gender", "birth", "age"), path))
    assert {line.changes for line in read_paraphrases(path).values()} == {"gender"}
    assert not path.with_name("review.jsonl.unfinished").exists()


async def test_without_a_verdict_a_candidate_stays_and_comes_last() -> None:
    def answer(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        found = re.search("Second: .*boy", messages[1].text)
        return Reply("Yes." if found else '{"same": true, "natural": 1}')

    work = Paraphraser(writer({"": [GENDER[4], GENDER[6]]}, []), scripted(answer))
    found = await work.candidates(all_templates()["gender"])
    assert [(line.detail.rank, line.detail.natural) for line in found] == [(1, 1), (2, None)]
    assert "boy" in found[1].text


async def test_struck_candidates_do_not_stand_in_the_way_but_do_not_come_again() -> None:
    struck = Paraphrase(
        decision="strike",
        id="gender-1",
        kind="wording",
        changes="gender",
        text="Is it a boy or a girl, our patient {patient_id}?",
        detail=Rank(),
    )
    work = at_work({"": [GENDER[4], GENDER[5]]})
    found = await work.candidates(all_templates()["gender"], [struck])
    assert [(line.detail.rank, line.fault) for line in found] == [
        (1, ""),
        (None, "double: is there already"),
    ]
