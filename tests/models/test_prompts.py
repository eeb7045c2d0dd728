"""Prompt files and their variables."""

from pathlib import Path

import pytest
from jinja2 import UndefinedError

from wardround.models.prompts import fill

PACKAGE = "prompts_of_a_test"
LESSONS = (
    "{% if lessons %}\nMind:\n{% for each in lessons %}\n- {{ each }}\n{% endfor %}{% endif %}"
)


@pytest.fixture(autouse=True)
def _package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package with two prompts."""
    (tmp_path / PACKAGE).mkdir()
    (tmp_path / PACKAGE / "__init__.py").touch()
    (tmp_path / PACKAGE / "user.md").write_text("It is {{ now }}.\n\n{{ instruction }}\n\n")
    (tmp_path / PACKAGE / "lessons.md").write_text(LESSONS)
    monkeypatch.syspath_prepend(str(tmp_path))


def test_values_are_inserted_verbatim() -> None:
    rules = fill(PACKAGE, "user.md", instruction="<b> & {{ c }}", now="2100")
    assert rules == "It is 2100.\n\n<b> & {{ c }}"


def test_prompt_with_an_open_variable_is_refused() -> None:
    with pytest.raises(KeyError, match="instruction"):
        fill(PACKAGE, "user.md", now="")


def test_prompt_with_statements_is_rendered_by_jinja() -> None:
    assert fill(PACKAGE, "lessons.md", lessons=["<a>", "b"]) == "Mind:\n- <a>\n- b"
    with pytest.raises(UndefinedError, match="'lessons' is undefined"):
        fill(PACKAGE, "lessons.md")


def test_unknown_prompt_is_refused() -> None:
    with pytest.raises(FileNotFoundError, match=r"nobody\.md"):
        fill(PACKAGE, "nobody.md")


def test_a_prompt_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    first = fill(PACKAGE, "user.md", instruction="Go.", now="2100")
    monkeypatch.setattr("wardround.core.packaged_data.files", lambda package: 1 / 0)
    assert fill(PACKAGE, "user.md", instruction="Go.", now="2100") == first
