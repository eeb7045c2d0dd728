"""From templates to a review file, with a scripted model."""

import json
import re
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from wardround.authoring.ehrsql.paraphrases.candidates import Paraphrase, Rank
from wardround.authoring.ehrsql.paraphrases.paraphraser import Paraphraser, paraphrase
from wardround.authoring.ehrsql.templates import QuestionTemplate, all_templates
from wardround.authoring.review_file import read_review, write_review
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


def writer(wordings: dict[str, list[str]], prompts: list[str]) -> LanguageModel:
    """A model that answers with the wordings of the template in the prompt."""

    def answer(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        prompts.append(messages[1].text)
        answers = (texts for word, texts in wordings.items() if word in messages[1].text)
        return Reply(json.dumps({"questions": next(answers, [])}))

    return scripted(answer)


def judge() -> LanguageModel:
    """A judge that rejects wordings with "chart" and rates the others as set."""

    def answer(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        second = messages[1].text.partition("Second: ")[2]
        natural = next((n for word, n in NATURAL.items() if word in second), 1)
        return Reply(json.dumps({"same": "chart" not in second, "natural": natural}))

    return scripted(answer)


def at_work(wordings: dict[str, list[str]], prompts: list[str] | None = None) -> Paraphraser:
    return Paraphraser(writer(wordings, [] if prompts is None else prompts), judge(), count=7)


async def counts(
    outcomes: AsyncIterator[tuple[QuestionTemplate, Sequence[Paraphrase]]],
) -> list[tuple[str, int]]:
    return [(template.id, len(candidates)) async for template, candidates in outcomes]


def templates(*ids: str) -> list[QuestionTemplate]:
    return [all_templates()[id] for id in ids]


async def test_candidates_are_checked_judged_ranked_and_pruned() -> None:
    requests: list[Requested] = []
    prompts: list[str] = []
    work = Paraphraser(writer({"": GENDER}, prompts), judge(), count=7, record=requests.append)
    new = await work.candidates(all_templates()["gender"])
    assert [(line.text, line.detail.rank, line.detail.natural, line.fault) for line in new] == [
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
    assert "The question: Is patient 10027 male or female?" in prompts[0]
    assert "Put it in 7 other ways" in prompts[0]


async def test_decided_lines_stay_and_their_templates_are_skipped(tmp_path: Path) -> None:
    path, prompts = tmp_path / "review.jsonl", list[str]()
    work = at_work({"male": GENDER[:1], "born": ["Birthday of 10027?"]}, prompts)
    assert await counts(paraphrase(work, templates("gender"), path)) == [("gender", 1)]
    [line] = read_review(path, Paraphrase).values()
    write_review(path, [line.model_copy(update={"decision": "strike"})])
    decided = path.read_text()
    assert await counts(paraphrase(work, templates("gender", "birth"), path)) == [("birth", 1)]
    assert len(prompts) == 2
    assert path.read_text().startswith(decided)
    assert await counts(paraphrase(work, templates("gender", "birth"), path)) == []
    repeated = paraphrase(work, templates("gender"), path, again=True)
    assert await counts(repeated) == [("gender", 1)]
    *_, last = read_review(path, Paraphrase).values()
    assert last.fault == "double: is there already"


async def test_templates_are_written_in_order(tmp_path: Path) -> None:
    at_once_1, at_once_4 = tmp_path / "one.jsonl", tmp_path / "four.jsonl"
    ids = ("gender", "birth", "age", "drug-route", "phone-number")
    work = at_work({"": [*GENDER[:5], "How do you give aspirin?", "Birthday of 10027?"]})
    await counts(paraphrase(work, templates(*ids), at_once_1, at_once=1))
    await counts(paraphrase(work, templates(*ids), at_once_4, at_once=4))
    assert at_once_1.read_bytes() == at_once_4.read_bytes()
    order = [line.changes for line in read_review(at_once_1, Paraphrase).values()]
    assert list(dict.fromkeys(order)) == list(ids)


async def test_wording_of_two_templates_is_pruned_in_the_second(tmp_path: Path) -> None:
    path = tmp_path / "review.jsonl"
    work = at_work({"": ["Anything on the file of 10027?"]})
    await counts(paraphrase(work, templates("blood-type", "occupation"), path))
    assert [line.fault for line in read_review(path, Paraphrase).values()] == [
        "",
        "double: is a candidate of blood-type",
    ]


async def test_template_without_wordings_is_requested_again(tmp_path: Path) -> None:
    path = tmp_path / "review.jsonl"
    none, some = at_work({"": []}), at_work({"": GENDER})
    ids = templates("gender", "birth")
    assert await counts(paraphrase(none, ids, path)) == [("gender", 0), ("birth", 0)]
    assert read_review(path, Paraphrase) == {}
    assert [id for id, _ in await counts(paraphrase(some, ids, path))] == ["gender", "birth"]


async def test_provider_failure_keeps_the_file_intact(tmp_path: Path) -> None:
    path = tmp_path / "review.jsonl"

    def answer(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        if "born" in messages[1].text:
            raise InfraError("no connection")
        return Reply(json.dumps({"questions": GENDER}))

    work = Paraphraser(scripted(answer), judge())
    with pytest.raises(InfraError):
        await counts(paraphrase(work, templates("gender", "birth", "age"), path))
    assert {line.changes for line in read_review(path, Paraphrase).values()} == {"gender"}
    assert not path.with_name("review.jsonl.partial").exists()


async def test_candidate_without_a_verdict_stays_and_ranks_last() -> None:
    def answer(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        of_boy = re.search("Second: .*boy", messages[1].text)
        return Reply("Yes." if of_boy else '{"same": true, "natural": 1}')

    work = Paraphraser(writer({"": [GENDER[4], GENDER[6]]}, []), scripted(answer))
    new = await work.candidates(all_templates()["gender"])
    assert [(line.detail.rank, line.detail.natural) for line in new] == [(1, 1), (2, None)]
    assert "boy" in new[1].text


async def test_struck_candidates_do_not_prune_but_are_not_repeated() -> None:
    struck = Paraphrase(
        decision="strike",
        id="gender-1",
        kind="wording",
        changes="gender",
        text="Is it a boy or a girl, our patient {patient_id}?",
        detail=Rank(),
    )
    work = at_work({"": [GENDER[4], GENDER[5]]})
    new = await work.candidates(all_templates()["gender"], [struck])
    assert [(line.detail.rank, line.fault) for line in new] == [
        (1, ""),
        (None, "double: is there already"),
    ]
