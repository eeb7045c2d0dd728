"""Other wordings of made questions: checked, reviewed by a person, used in the same suite."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from wardround.authoring.clinsql.paraphrases.candidates import (
    Wording,
    accepted_wordings,
    use_wordings,
)
from wardround.authoring.clinsql.paraphrases.checks import checks_of
from wardround.authoring.clinsql.paraphrases.paraphraser import Paraphraser, paraphrase
from wardround.authoring.clinsql.suite import MadeSuite
from wardround.authoring.review_file import read_review, write_review
from wardround.benchmarks.clinsql.tasks import load_tasks
from wardround.core.errors import UserError
from wardround.core.tools import ToolSpec
from wardround.core.trajectory import Requested
from wardround.models import LanguageModel, Message, Reply, scripted

QUESTION = "Among women aged 58 to 68, how many distinct patients are there?"
GOOD = "How many distinct patients do we find among women between 58 and 68 years of age?"


def writer() -> LanguageModel:
    """A model that rewords by a preface, once with another number."""

    def answer(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        question = messages[1].text.partition("The question: ")[2].partition("\n")[0]
        better = "Please have a look for me, dear colleague. " + question
        return Reply(json.dumps({"questions": [better, better + " And for 99 others."]}))

    return scripted(answer)


def judge() -> LanguageModel:
    def answer(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        return Reply(json.dumps({"same": True, "natural": 3}))

    return scripted(answer)


@pytest.mark.parametrize(
    ("wording", "check", "fault"),
    [
        (GOOD, "", ""),
        (GOOD.replace("68", "69"), "numbers", "loses 68; adds 69"),
        (GOOD.replace("?", "!"), "form", "ends in neither ? nor ."),
        (f"{GOOD} " * 2, "form", "is more than a third longer"),
        ("", "form", "is empty"),
        (QUESTION.lower(), "double", "has the words of one before it"),
    ],
)
def test_a_wording_is_checked(wording: str, check: str, fault: str) -> None:
    faults = {name: test(wording.strip(), ()) for name, test in checks_of(QUESTION).items()}
    first = next(((name, found) for name, found in faults.items() if found), ("", ""))
    assert first == (check, fault)


async def test_accepted_wordings_replace_questions(
    made: tuple[Path, MadeSuite], tmp_path: Path
) -> None:
    items, review = tmp_path / "items", tmp_path / "review.jsonl"
    shutil.copytree(made[0], items)
    tasks = load_tasks(items).tasks[:3]
    requests: list[Requested] = []
    paraphraser = Paraphraser(writer(), judge(), 2, 0, requests.append)
    found = [candidates async for _, candidates in paraphrase(paraphraser, tasks, review, 2)]
    assert [[bool(each.fault) for each in several] for several in found] == [[False, True]] * 3
    assert [_ async for _ in paraphrase(paraphraser, tasks, review, 2)] == []

    read = list(read_review(review, Wording).values())
    decided = [
        each.model_copy(update={"decision": "accept"}) if each.changes == tasks[0].id else each
        for each in read
        if not each.fault
    ]
    write_review(review, decided)
    assert use_wordings(items, accepted_wordings(review)) == 1
    reworded = {task.id: task.public.question for task in load_tasks(items).tasks}
    assert (
        reworded[tasks[0].id]
        == f"Please have a look for me, dear colleague. {tasks[0].public.question}"
    )
    assert reworded[tasks[1].id] == tasks[1].public.question


async def test_an_accepted_wording_keeps_the_numbers(
    made: tuple[Path, MadeSuite], tmp_path: Path
) -> None:
    review, tasks = tmp_path / "review.jsonl", load_tasks(made[0]).tasks[:1]
    paraphraser = Paraphraser(writer(), judge(), 2, 0, lambda request: None)
    [(_, candidates)] = [each async for each in paraphrase(paraphraser, tasks, review, 1)]
    write_review(review, [each.model_copy(update={"decision": "accept"}) for each in candidates])
    with pytest.raises(UserError, match=r"line 2: the wording adds 99; mend or strike it"):
        accepted_wordings(review)
