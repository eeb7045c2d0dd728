"""The templates that can be reworded, answerable or not, and the wordings that they have."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import TypeAlias

from wardround.authoring.ehrsql.questions import wordings
from wardround.authoring.ehrsql.templates import (
    QuestionTemplate,
    UnanswerableTemplate,
    all_question_templates,
    unanswerable_templates,
)
from wardround.authoring.rewording.comparison import plain
from wardround.core.errors import UserError

Template: TypeAlias = QuestionTemplate | UnanswerableTemplate


@cache
def all_templates() -> Mapping[str, Template]:
    """Every template by its id, answerable ones first."""
    every: tuple[Template, ...] = (*all_question_templates(), *unanswerable_templates())
    return {template.id: template for template in every}


def chosen_templates(ids: Sequence[str]) -> list[Template]:
    """The templates of some ids; all templates if there are none.

    Raises:
        UserError: There is no such template.
    """
    every = all_templates()
    for id in ids:
        if id not in every:
            raise UserError(f"There is no template {id!r}{similar_ids(id)}.")
    return [every[id] for id in dict.fromkeys(ids)] or list(every.values())


def similar_ids(id: str) -> str:
    """A question about which templates may have been meant; "" where none is near."""
    near = get_close_matches(id, all_templates())
    return f" (is it {' or '.join(near)}?)" if near else ""


@cache
def template_of_wording() -> Mapping[str, str]:
    """The id of the template of each known wording, by the wording's plain words."""
    return {plain(wording): id for id in all_templates() for wording in wordings(id)}
