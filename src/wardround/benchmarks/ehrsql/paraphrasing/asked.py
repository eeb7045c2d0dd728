"""A template that is worded anew, answerable or not, and the wordings that there are."""

from collections.abc import Mapping
from functools import cache
from typing import TypeAlias

from wardround.benchmarks.ehrsql.build import (
    QuestionTemplate,
    UnanswerableTemplate,
    all_question_templates,
    unanswerable_templates,
)
from wardround.benchmarks.ehrsql.making import wordings
from wardround.benchmarks.ehrsql.paraphrasing.similar import plain

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
