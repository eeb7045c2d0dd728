"""The wordings that a person accepted, fit to be asked beside those that come with wardround."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from wardround.benchmarks.ehrsql.paraphrasing.asked import all_asked
from wardround.benchmarks.ehrsql.paraphrasing.checking import broken, doubled
from wardround.benchmarks.ehrsql.paraphrasing.review import Line, read_review, refuse
from wardround.benchmarks.ehrsql.paraphrasing.similar import plain


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
