"""Reads fixture files of cases: a case a line, columns separated by tabs."""

from pathlib import Path

HERE = Path(__file__).parent


def rows(name: str) -> list[list[str]]:
    r"""The columns of each case; `\n` in a file is a line break."""
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    cases = (line.replace("\\n", "\n").split("\t") for line in lines if not line.startswith("#"))
    return list(cases)
