"""`wardround ask` and `train parser` report mistakes at once, in one sentence."""

from pathlib import Path

import pytest

from tests.apps.commands import Cli


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("ask", " "), "The question is empty; write one in quotes"),
        (("train", "parser", "--to", "none/p.model"), "cannot be written to none/p.model"),
        (("train", "parser", "--to", "/proc/p.model"), "(No such file or directory)"),
        (("train", "parser", "--to", "."), ". is there already"),
        (("train", "parser", "--to", "p.model", "--made", "0"), "There is nothing to learn from"),
    ],
)
def test_error_is_one_sentence(
    cli: Cli,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    complaint: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    result = cli(*words, "--database", "none.sqlite")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("Error: ")
    assert complaint in result.err
    assert not list(tmp_path.iterdir())


def test_refused_path_is_reported(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = cli("data", "hospital", "--patients", "1", "--to", tmp_path / "file" / "h.sqlite")
    assert result.code == 2
    assert str(tmp_path / "file") in result.err
