"""Help imports little: neither Pydantic nor a benchmark."""

import pytest

from tests.apps.imports import HEAVY, imported
from wardround.core import plugins

NAMES = plugins.names(plugins.BENCHMARKS)


def test_help_imports_neither_pydantic_nor_a_benchmark() -> None:
    result = imported("--help")
    assert not result & (HEAVY | {"pydantic", "importlib.metadata"})
    assert not [name for name in result if name.startswith("wardround.benchmarks")]


@pytest.mark.parametrize(("name", "other"), [(NAMES[0], NAMES[-1]), (NAMES[-1], NAMES[0])])
def test_run_help_imports_only_its_declaration(name: str, other: str) -> None:
    result = imported("run", name, "--help")
    assert not result & HEAVY
    assert f"wardround.benchmarks.{name}.declaration" in result
    assert f"wardround.benchmarks.{name}.benchmark" not in result
    assert f"wardround.benchmarks.{other}.declaration" not in result
    assert not [module for module in result if module.startswith("wardround.runs")]
