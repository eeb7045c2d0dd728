"""Candidate wordings of items in a review file, and their use in a folder of items."""

from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from wardround.authoring.clinsql.paraphrases.checks import form_fault, numbers_fault
from wardround.authoring.review_file import Candidate, Detail, read_review, refuse
from wardround.authoring.rewording.pipeline import Rewording
from wardround.benchmarks.clinsql.items.item_folders import item_folders
from wardround.core.private_files import write_whole


class Origin(Detail):
    """The question that a wording was made of, and how it fared.

    Attributes:
        question: the question as it was made; a wording is used for no other.
        rank: its place among the wordings of one request that were not pruned, 1 the best.
        natural: how natural the judge finds it, from 1 to 5.
    """

    question: str
    rank: int | None = None
    natural: int | None = None


Wording: TypeAlias = Candidate[Origin]


def candidate_of(task: str, question: str, number: int, new: Rewording[str]) -> Wording:
    """Makes an undecided candidate of a new wording, the item's `number`-th."""
    return Wording(
        id=f"{task}-{number}",
        kind="wording",
        changes=task,
        text=new.text,
        checks=new.checks,
        detail=Origin(question=question, rank=new.rank, natural=new.natural),
    )


def accepted_wordings(path: Path) -> dict[str, str]:
    """The first accepted wording of each question, by the question.

    A person may accept a pruned wording, but not one that changes the question's numbers.

    Raises:
        UserError: the file is missing or has invalid lines, which the message names.
    """
    read = read_review(path, Wording)
    accepted = {number: each for number, each in read.items() if each.decision == "accept"}
    faults = ((number, _fault(each)) for number, each in accepted.items())
    refuse(path, ((n, f"the wording {fault}; mend or strike it") for n, fault in faults if fault))
    wordings: dict[str, str] = {}
    for each in accepted.values():
        wordings.setdefault(each.detail.question, each.text)
    return wordings


def use_wordings(root: Path, wordings: Mapping[str, str]) -> int:
    """Replaces the questions of made items that have a wording; returns their number."""
    used = 0
    for folder in item_folders(root):
        path = folder.path / f"query_{folder.number}.txt"
        question = path.read_text(encoding="utf-8").strip()
        if question in wordings:
            write_whole(path, f"{wordings[question]}\n".encode())
            used += 1
    return used


def _fault(candidate: Wording) -> str:
    question = candidate.detail.question
    return form_fault(candidate.text, question) or numbers_fault(candidate.text, question)
