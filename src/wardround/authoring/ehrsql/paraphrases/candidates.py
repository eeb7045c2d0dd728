"""Candidate paraphrases of templates in a review file."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TypeAlias

from wardround.authoring.ehrsql.paraphrases.checks import double_fault, form_fault
from wardround.authoring.ehrsql.templates import QuestionTemplate, all_templates
from wardround.authoring.review_file import Candidate, Detail, read_review, refuse
from wardround.authoring.rewording.comparison import plain
from wardround.authoring.rewording.pipeline import Rewording
from wardround.core.errors import UserError


class Rank(Detail):
    """The outcome of a wording.

    Attributes:
        rank: Its place among the wordings of one request that were not pruned, 1 the best.
        natural: How natural the judge finds it, from 1 to 5.
        distance: Its distance to the nearest wording that goes before it.
    """

    rank: int | None = None
    natural: int | None = None
    distance: float | None = None


Paraphrase: TypeAlias = Candidate[Rank]


def chosen_templates(ids: Sequence[str]) -> list[QuestionTemplate]:
    """Returns the templates with these ids; all templates for no ids.

    Raises:
        UserError: there is no such template.
    """
    templates = all_templates()
    for id in ids:
        if id not in templates:
            raise UserError(f"There is no template {id!r}{_similar_ids(id)}.")
    return [templates[id] for id in dict.fromkeys(ids)] or list(templates.values())


def candidate_of(template: str, number: int, new: Rewording[str]) -> Paraphrase:
    """Makes an undecided candidate of a new wording, the template's `number`-th."""
    return Paraphrase(
        id=f"{template}-{number}",
        kind="wording",
        changes=template,
        text=new.text,
        checks=new.checks,
        detail=Rank(rank=new.rank, natural=new.natural, distance=new.distance),
    )


def accepted_wordings(path: Path) -> Mapping[str, Sequence[str]]:
    """Reads the accepted wordings of a review file, by template id.

    A person may accept a pruned wording, but not one that lacks a slot or repeats another.

    Raises:
        UserError: the file is missing or has invalid lines, which the message names.
    """
    candidates = read_review(path, Paraphrase, template_fault)
    accepted = {n: c for n, c in candidates.items() if c.decision == "accept"}
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
    wordings = defaultdict[str, list[str]](list)
    for candidate in accepted.values():
        wordings[candidate.changes].append(candidate.text)
    return wordings


def template_fault(candidate: Paraphrase) -> str:
    """Returns the problem of a candidate for an unknown template; "" if it is known."""
    id = candidate.changes
    return "" if id in all_templates() else f"there is no template {id!r}{_similar_ids(id)}"


def _fault(candidate: Paraphrase) -> str:
    template = all_templates()[candidate.changes]
    return form_fault(candidate.text, template) or double_fault(candidate.text, template)


def _similar_ids(id: str) -> str:
    """Suggests similar template ids for a message; "" if there are none."""
    similar = get_close_matches(id, all_templates())
    return f" (is it {' or '.join(similar)}?)" if similar else ""
