"""The candidates of a paraphrase review file: wordings of templates."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from wardround.authoring.ehrsql.paraphrases.checks import double_fault, form_fault
from wardround.authoring.ehrsql.paraphrases.templates import all_templates, similar_ids
from wardround.authoring.review_file import Candidate, Detail, begin_review, read_review, refuse
from wardround.authoring.rewording.comparison import plain
from wardround.authoring.rewording.pipeline import Rewording


class Rank(Detail):
    """How a wording fared.

    Attributes:
        rank: Its place among the wordings of one request that were not pruned, 1 the best.
        natural: How natural the judge finds it, from 1 to 5.
        distance: Its distance to the nearest wording that goes before it.
    """

    rank: int | None = None
    natural: int | None = None
    distance: float | None = None


Paraphrase: TypeAlias = Candidate[Rank]


def candidate_of(template: str, number: int, found: Rewording[str]) -> Paraphrase:
    """The undecided candidate of a new wording; `number` counts those of its template."""
    return Paraphrase(
        id=f"{template}-{number}",
        kind="wording",
        changes=template,
        text=found.text,
        checks=found.checks,
        detail=Rank(rank=found.rank, natural=found.natural, distance=found.distance),
    )


def begin_paraphrases(path: Path) -> tuple[Paraphrase, ...]:
    """Reads the candidates of a review file, which is made if there is none.

    Raises:
        UserError: It cannot be written, or lines of it are damaged; they are named.
    """
    return begin_review(path, Paraphrase, _template_fault)


def read_paraphrases(path: Path) -> Mapping[int, Paraphrase]:
    """Reads the candidates of a review file, by their line in it.

    Raises:
        UserError: The file is missing, or lines of it are damaged; they are named.
    """
    return read_review(path, Paraphrase, _template_fault)


def accepted_wordings(path: Path) -> Mapping[str, Sequence[str]]:
    """The accepted wordings of a review file, by template.

    A person may accept a pruned wording, but not one that lacks a slot or says what another one
    says.

    Raises:
        UserError: The file is missing, or lines of it are wrong; they are named.
    """
    accepted = {n: c for n, c in read_paraphrases(path).items() if c.decision == "accept"}
    faults = {number: _fault(candidate) for number, candidate in accepted.items()}
    first: dict[str, int] = {}
    for number, candidate in accepted.items():
        before = first.setdefault(plain(candidate.text), number)
        if before != number:
            faults[number] = faults[number] or f"says the same as line {before}"
    refuse(
        path,
        ((n, f"the wording {fault}; mend or strike it") for n, fault in faults.items() if fault),
    )
    found: dict[str, list[str]] = {}
    for candidate in accepted.values():
        found.setdefault(candidate.changes, []).append(candidate.text)
    return found


def _template_fault(candidate: Paraphrase) -> str:
    id = candidate.changes
    return "" if id in all_templates() else f"there is no template {id!r}{similar_ids(id)}"


def _fault(candidate: Paraphrase) -> str:
    template = all_templates()[candidate.changes]
    return form_fault(candidate.text, template) or double_fault(candidate.text, template)
