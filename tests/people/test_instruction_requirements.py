"""Instructions written without sight of the grammar: what must be said, and when.

A case of the fixtures maps a text of the instruction to the branch in which it must be said once:

- "" always; "n", "nf" after reports of nothing, or of nothing and then something; "f|n" either;
- "?" behind a branch: said there, or always together with its condition;
- "@" only in answer to a question.

`never` lists what may not be said at all.
"""

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import orjson

from tests.cases import for_each
from wardround.people.agenda import Agenda
from wardround.people.instruction import Instruction
from wardround.people.instruction_parser import read_instruction
from wardround.people.reply_classifier import Outcome

FIXTURES = Path(__file__).parent / "fixtures"
REPORTS = tuple("".join(letters) for letters in product("fn", repeat=3))
CONDITION = re.compile(r"\b(?:if|unless|when|in case|only)\b", re.IGNORECASE)
DIRECTION = re.compile(
    r"\bthe (?:db )?agent\b|\byou want\b|^(?:then |next |finally,? )?ask\b|^(?:begin|start|you)\b",
    re.IGNORECASE,
)


def cases(name: str) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in (FIXTURES / name).read_bytes().splitlines()]


def statements(instruction: Instruction, reports: str) -> list[str]:
    """Everything the user says to an agent that reports found ("f") or nothing ("n") in turn."""
    agenda, outcomes = Agenda(instruction, Random(0)), list(reports)
    if reports.startswith("f"):
        for group in instruction.alternatives:
            agenda.decide(group[0].condition)
    said: list[str] = []
    while True:
        if agenda.awaits_report:
            outcome: Outcome = "nothing" if outcomes and outcomes.pop(0) == "n" else "found"
            agenda.settle(outcome)
        elif piece := agenda.take():
            said.append(piece.text)
        else:
            break
    while text := agenda.take_answer_format():
        said.append(text)
    return [normalized(text) for text in said]


def normalized(text: str) -> str:
    return text.lower().replace("don't", "do not")


def violations(case: dict[str, Any]) -> Iterator[str]:
    instruction = read_instruction(case["instruction"])
    talks = {reports: statements(instruction, reports) for reports in REPORTS}
    for text, branch in case["says"].items():
        if not _is_said_as_required(normalized(text), branch, instruction, talks):
            yield f"{text!r} is not said as {branch!r} requires"
    for text in {text for talk in talks.values() for text in talk}:
        if DIRECTION.search(text) or any(normalized(word) in text for word in case["never"]):
            yield f"{text!r} may not be said"
        if set(numbers(text)) - set(numbers(case["instruction"])):
            yield f"{text!r} has another number"


def _is_said_as_required(
    text: str, branch: str, instruction: Instruction, talks: dict[str, list[str]]
) -> bool:
    found = {reports: [t for t in talk if text in t] for reports, talk in talks.items()}
    if branch == "@":
        answers = [answer for answer in instruction.answers if text in normalized(answer.text)]
        return len(answers) == 1 and not any(found.values())
    if any(sum(t.count(text) for t in hits) > 1 for hits in found.values()):
        return False
    if branch.endswith("?"):
        always = all(found.values())
        return any(found.values()) and (
            not always or all(CONDITION.search(hits[0]) for hits in found.values())
        )
    return all(bool(hits) == bool(re.match(branch, reports)) for reports, hits in found.items())


def numbers(text: str) -> list[str]:
    return re.findall(r"\d[\d.,:/-]*\d|\d", text)


@for_each(cases("instructions_building.jsonl"))
def test_requirements_of_building_half(case: dict[str, Any]) -> None:
    assert not list(violations(case))


def test_no_instruction_is_missed_that_the_first_scoring_carried_out() -> None:
    held_out = cases("instructions_held_out.jsonl")
    broken = [n for n, case in enumerate(held_out, 1) if any(violations(case))]
    lines = (FIXTURES / "instructions_misses.tsv").read_text(encoding="utf-8").splitlines()
    assert set(broken) <= {int(line.split("\t")[0]) for line in lines}
