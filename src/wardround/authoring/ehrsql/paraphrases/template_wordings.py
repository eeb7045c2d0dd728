"""A template that is worded anew, answerable or not, and the wordings that there are."""

from collections.abc import Mapping
from functools import cache
from typing import TypeAlias

from wardround.authoring.ehrsql.paraphrases.similarity import plain
from wardround.authoring.ehrsql.questions import wordings
from wardround.authoring.ehrsql.templates import (
    QuestionTemplate,
    UnanswerableTemplate,
    all_question_templates,
    unanswerable_templates,
)

Asked: TypeAlias = QuestionTemplate | UnanswerableTemplate


@cache
def all_asked() -> Mapping[str, Asked]:
    """Every template by its id, answerable ones first."""
    every: tuple[Asked, ...] = (*all_question_templates(), *unanswerable_templates())
    return {template.id: template for template in every}


@cache
def all_said() -> Mapping[str, str]:
    """The template of every wording that there is, by its plain words."""
    return {plain(wording): id for id in all_asked() for wording in wordings(id)}
