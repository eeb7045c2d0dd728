"""The wordings that a person accepted, fit to be asked beside those that come with wardround."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from wardround.authoring.ehrsql.paraphrases.checks import broken, doubled
from wardround.authoring.ehrsql.paraphrases.review_file import Line, read_review, refuse
from wardround.authoring.ehrsql.paraphrases.similarity import plain
from wardround.authoring.ehrsql.paraphrases.template_wordings import all_asked


def accepted_wordings(path: Path) -> Mapping[str, Sequence[str]]:
    """The accepted wordings of a review file, by template.

    A person's word outweighs why a line was pruned, but a wording has its template's slots and is
    no other one's.

    Raises:
        UserError: If there is no such file, or lines of it are wrong; they are named.
    """
    accepted = {n: line for n, line in read_review(path).items() if line.decision == "accept"}
    faults = {number: _fault(line) for number, line in accepted.items()}
    first: dict[str, int] = {}
    for number, line in accepted.items():
        before = first.setdefault(plain(line.wording), number)
        if before != number:
            faults[number] = faults[number] or f"says the same as line {before}"
    refuse(
        path,
        ((n, f"the wording {fault}; mend or strike it") for n, fault in faults.items() if fault),
    )
    found: dict[str, list[str]] = {}
    for line in accepted.values():
        found.setdefault(line.template, []).append(line.wording)
    return found


def _fault(line: Line) -> str:
    asked = all_asked()[line.template]
    return broken(line.wording, asked) or doubled(line.wording, asked)
