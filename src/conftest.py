"""Examples in docstrings are tests, but no unit tests; modules without any are left unread."""

from pathlib import Path

import pytest


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out modules without an example, and all if only unit tests are wanted."""
    if config.getoption("markexpr") == "unit":
        return True
    module = collection_path.suffix == ".py" and collection_path.is_file()
    return True if module and ">>>" not in collection_path.read_text("utf-8") else None
