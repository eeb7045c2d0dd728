"""Instructions in a model's words: what passes is used, what does not falls back and is counted."""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.apps.commands import Cli
from tests.authoring.chatqa.test_leaks import PROBES, talk_faults
from tests.hospitals import hospital_file
from wardround.authoring.chatqa.instructions import Sentence
from wardround.authoring.chatqa.rewording.instruction_wordings import InstructionWordings
from wardround.authoring.chatqa.suite import MadeTask
from wardround.benchmarks.chatqa.tasks import PublishedTask, load_tasks
from wardround.core.tools import ToolSpec
from wardround.models import LanguageModel, Message, Reply, scripted

SENTENCES = (
    Sentence("goal", "Your goal is to review prescribing."),
    Sentence("goal", "Specifically, you want to know which drug was ordered most often."),
    Sentence("condition", "You want to include only stays with a diagnosis of gout.", ("gout",)),
    Sentence("condition", "You want to include only women."),
)
WORDINGS = {
    "Your goal is to review prescribing.": "Your goal is to look at prescribing.",
    "You want to include only stays with a diagnosis of gout.": "You need the stays with no gout.",
    "You want to include only women.": "You are interested in women only.",
}
TASK = PublishedTask(
    task_id="1", task_type="incre", db_id="ward", instruction="", gold_sql="", gold_answer=[["a"]]
)


def paraphraser(wordings: Callable[[str], str]) -> LanguageModel:
    """A model that words the sentence of a request; "" is no answer that can be read."""

    def answer(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        sentence = re.search(r"The sentence that states a wish: (.*)", messages[1].text)
        assert sentence
        wording = wordings(sentence[1])
        return Reply(json.dumps({"sentences": [wording]}) if wording else "nothing")

    return scripted(answer, "words")


def judge(verdict: str) -> LanguageModel:
    """A model with one verdict on all pairs."""
    return scripted(lambda messages, tools: Reply(verdict), "judge")


SAME, OTHER = (json.dumps({"same": same, "natural": 4}) for same in (True, False))


@pytest.mark.parametrize(
    ("verdict", "kept", "outcomes"),
    [
        (SAME, (0, 3), {"goal": {"": 1, "no wording": 1}, "condition": {"": 1, "senses": 1}}),
        (
            OTHER,
            (),
            {"goal": {"meaning": 1, "no wording": 1}, "condition": {"meaning": 1, "senses": 1}},
        ),
        (
            "no verdict",
            (),
            {
                "goal": {"no verdict": 1, "no wording": 1},
                "condition": {"no verdict": 1, "senses": 1},
            },
        ),
    ],
)
async def test_a_sentence_is_reworded_if_its_wording_passes_and_a_judge_agrees(
    verdict: str, kept: tuple[int, ...], outcomes: dict[str, dict[str, int]]
) -> None:
    model = paraphraser(lambda text: WORDINGS.get(text, ""))
    wordings = InstructionWordings(model, judge(verdict), 0, lambda request: None)
    task = await wordings.reworded(MadeTask(TASK, SENTENCES))
    texts = [each.text for each in SENTENCES]
    expected = [WORDINGS[text] if place in kept else text for place, text in enumerate(texts)]
    assert task.instruction == " ".join(expected)
    assert wordings.outcomes == {
        (part, check): count for part, of in outcomes.items() for check, count in of.items()
    }


async def test_the_form_of_the_answer_stays() -> None:
    sentence = Sentence("form", "You want the answer as it is stored.")
    model = paraphraser(lambda text: pytest.fail("the form goes to no model"))
    wordings = InstructionWordings(model, judge(SAME), 0, lambda request: None)
    task = await wordings.reworded(MadeTask(TASK, (sentence,)))
    assert task.instruction == sentence.text


MODEL = '''"""Begins another way, and agrees with all wordings."""

import json
import re

from wardround.models import Reply, Request

WAYS = (("You want to include only", "You would like to see just"), ("You want", "You need"),
        ("you want", "you would like"), ("Your goal is to", "Your goal is to"))


async def answer(request: Request) -> Reply:
    sentence = re.search(r"The sentence that states a wish: (.*)", request.messages[1].text)
    if sentence is None:
        return Reply('{"same": true, "natural": 4}')
    text = sentence[1]
    for old, new in WAYS:
        if old in text:
            text = text.replace(old, new)
            break
    return Reply(json.dumps({"sentences": [text]}))
'''


def test_a_suite_in_a_models_words_passes_and_leaks_nothing(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("words_of_a_model.py").write_text(MODEL)
    database = hospital_file("mimic_iv_star", 80, seed=5, ending="sqlite")
    make = ("tasks", "make", "chatqa", "--database", database, "--incre", "1", "--adapt", "3")
    plain, worded = tmp_path / "plain.jsonl", tmp_path / "worded.jsonl"
    assert cli(*make, "--to", plain).code == 0
    made = cli(*make, "--to", worded, "--model", "words_of_a_model:answer", "--json")
    assert made.code == 0, made.err
    counts = json.loads(made.out)["tables"]["wordings"]["rows"]
    assert sum(row["sentences"] for row in counts if row["outcome"] == "reworded") == 11
    before, after = (load_tasks(path).tasks for path in (plain, worded))
    assert [task.id for task in before] == [task.id for task in after]
    for old, new in zip(before, after, strict=True):
        assert old.hidden.gold_sql == new.hidden.gold_sql
        assert old.hidden.instruction != new.hidden.instruction
        assert not list(talk_faults(new, 1, PROBES))
    ran = cli(
        *("run", "chatqa", "--tasks", worded, "--database", f"mimic_iv_star={database}"),
        *("--agent", "oracle", "--out", tmp_path / "run"),
    )
    assert f"{len(after)} trials done, 100.0% passed" in ran.err


def test_a_paraphraser_needs_a_judge(cli: Cli, tmp_path: Path) -> None:
    database = hospital_file("mimic_iv_star", 80, seed=5, ending="sqlite")
    made = cli(
        *("tasks", "make", "chatqa", "--database", database, "--to", tmp_path / "t.jsonl"),
        *("--role-model", "paraphraser=openai:m,base_url=http://127.0.0.1:9/v1"),
        *("--incre", "1", "--adapt", "0"),
    )
    assert made.code == 2
    assert "The judge has no language model; name one with --model" in made.err
    assert not (tmp_path / "t.jsonl").exists()
