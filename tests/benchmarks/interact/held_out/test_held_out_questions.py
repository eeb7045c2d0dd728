"""Held-out questions refer to ambiguities and gold fragments of their tasks."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from wardround.benchmarks.interact.tasks import shipped_tasks

FOLDER = Path(__file__).parent
HALVES = ["dev", "final"]
SETS = [*HALVES, "final_2"]
LEAST = {"AMB": 80, "LOC": 60, "UNA": 80}


def read_questions(name: str) -> list[dict[str, Any]]:
    """Reads `dev.jsonl`, `final.jsonl` or `final_2.jsonl`."""
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("name", SETS)
def test_labels_refer_to_their_tasks(name: str) -> None:
    tasks = {task.id: task.hidden for task in shipped_tasks().tasks}
    for line in read_questions(name):
        task = tasks[line["task"]]
        terms = {ambiguity.term for ambiguity in task.ambiguities}
        gold = _squashed(" ".join(task.first.gold))
        for label in line["want"]:
            kind, _, name = label.partition(":")
            is_valid = {"AMB": name in terms, "LOC": _squashed(name) in gold, "UNA": not name}
            assert is_valid[kind], line


@pytest.mark.parametrize("name", SETS)
def test_answers_have_a_required_content(name: str) -> None:
    for line in read_questions(name):
        assert bool(line["say"]) == (line["want"] != ["UNA"]), line
        assert all(part and all(part.split("|")) for part in line["say"]), line


def test_halves_have_the_same_composition() -> None:
    dev, final = (Counter(line["want"][0][:3] for line in read_questions(half)) for half in HALVES)
    for kind, least in LEAST.items():
        assert min(dev[kind], final[kind]) >= least
        assert abs(dev[kind] - final[kind]) <= 3


def test_second_final_set_has_questions_of_each_kind_on_every_task() -> None:
    lines = read_questions("final_2")
    kinds = Counter(line["want"][0][:3] for line in lines)
    assert all(kinds[kind] >= least for kind, least in {"AMB": 100, "LOC": 60, "UNA": 80}.items())
    assert {line["task"] for line in lines} == {task.id for task in shipped_tasks().tasks}


def test_no_question_is_in_two_sets() -> None:
    questions = [line["question"] for name in SETS for line in read_questions(name)]
    assert len(set(questions)) == len(questions)


def _squashed(text: str) -> str:
    return re.sub(r"\s+", "", text).lower()
