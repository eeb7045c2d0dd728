"""Packaged files are read without their comments; a TOML file is parsed once."""

from pathlib import Path

import pytest

from wardround.core.packaged_data import (
    read_lines,
    read_records,
    read_rows,
    read_text,
    read_toml,
)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    folder = tmp_path / "packaged_here"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "a.tsv").write_text("# comment\nname\tsize\n\na\t1\nb\t2\n", "utf-8")
    (folder / "a.jsonl").write_text('# comment\n{"a": 1}\n\n{"a": 2}\n', "utf-8")
    (folder / "a.toml").write_text('[one]\nname = "ü"\n', "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return "packaged_here"


def test_comments_empty_lines_and_headers_are_left_out(package: str) -> None:
    assert list(read_lines(package, "a.tsv")) == ["name\tsize", "a\t1", "b\t2"]
    assert list(read_rows(package, "a.tsv")) == [["a", "1"], ["b", "2"]]
    assert list(read_records(package, "a.jsonl")) == [{"a": 1}, {"a": 2}]


def test_toml_is_parsed_once(package: str) -> None:
    assert read_toml(package, "a.toml") == {"one": {"name": "ü"}}
    assert read_toml(package, "a.toml") is read_toml(package, "a.toml")
    assert read_text(package, "a.toml").startswith("[one]")
