"""Prompt files and their variables."""

import pytest
from jinja2 import TemplateNotFound, UndefinedError

from wardround.benchmarks.chatqa import prompts
from wardround.models.prompts import fill


def test_what_is_filled_in_is_said_as_it_is() -> None:
    rules = fill(prompts.__name__, "user.md", instruction="<b> & {{ c }}", now="2100")
    assert "<b> & {{ c }}" in rules
    assert rules == rules.strip()


def test_prompt_with_an_open_blank_is_refused() -> None:
    with pytest.raises(UndefinedError, match="'instruction' is undefined"):
        fill(prompts.__name__, "user.md", now="")


def test_unknown_prompt_is_told() -> None:
    with pytest.raises(TemplateNotFound, match=r"nobody\.md"):
        fill(prompts.__name__, "nobody.md")
