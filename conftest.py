"""The doctests that are collected: of files with an example, whose extra is installed."""

from collections.abc import Generator
from importlib.util import find_spec
from pathlib import Path

import pytest

_T5 = ("decoder", "seq2seq_model", "trainer", "training_run")
_NEED_TORCH = tuple(f"agents/t5/{name}.py" for name in _T5)

collect_ignore = [f"src/wardround/{module}" for module in _NEED_TORCH if not find_spec("torch")]


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path,
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Look for doctests only in files that have any: the search imports and walks a module."""
    collectors = yield
    if file_path.suffix != ".py" or ">>> " in file_path.read_text(encoding="utf-8"):
        return collectors
    return [each for each in collectors if isinstance(each, pytest.Module)]
