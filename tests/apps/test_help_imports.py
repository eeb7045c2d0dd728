"""Help imports little: neither Pydantic nor a benchmark."""

import pytest

from tests.apps.imports import HEAVY, imported
from wardround.core import plugins

NAMES = plugins.names(plugins.BENCHMARKS)


def test_help_imports_neither_pydantic_nor_a_benchmark() -> None:
    found = imported("--help")
    assert not found & (HEAVY | {"pydantic", "importlib.metadata"})
    assert not [name for name in found if name.startswith("wardround.benchmarks")]


@pytest.mark.parametrize(("name", "other"), [(NAMES[0], NAMES[-1]), (NAMES[-1], NAMES[0])])
def test_run_help_imports_only_its_declaration(name: str, other: str) -> None:
    found = imported("run", name, "--help")
    assert not found & HEAVY
    assert f"wardround.benchmarks.{name}.declaration" in found
    assert f"wardround.benchmarks.{name}.benchmark" not in found
    assert f"wardround.benchmarks.{other}.declaration" not in found
    assert not [module for module in found if module.startswith("wardround.runs")]
