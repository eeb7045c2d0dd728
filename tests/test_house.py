"""The house: a package imports only packages that stand before it (CONTRIBUTING.md)."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src/wardround"
ORDER = (
    "core",
    "scoring",
    "sandbox",
    "ehr",
    "models",
    "people",
    "agents",
    "benchmarks",
    "authoring",
    "runs",
    "report",
    "apps",
)
# Packages that may import only some of those before them.
NARROWER = {
    "scoring": {"core"},
    "sandbox": {"core"},
    "ehr": {"core", "sandbox"},
    "models": {"core"},
    "runs": {"core", "models"},
    "report": {"core", "scoring"},
    "apps": {"core", "scoring", "sandbox", "ehr", "models", "people", "runs", "report"},
}


def allowed(package: str) -> set[str]:
    """The packages that a package may import."""
    return NARROWER.get(package, set(ORDER[: ORDER.index(package)]))


def imported(path: Path) -> set[str]:
    """The packages of wardround that a module imports, wherever in it."""
    return {name.split(".")[1] for name in names(path) if name.startswith("wardround.")}


def imported_benchmarks(path: Path) -> set[str]:
    """The packages of benchmarks that a module imports."""
    inner = (name.partition("wardround.benchmarks.")[2] for name in names(path))
    return {name.split(".")[0] for name in inner if name}


def names(path: Path) -> set[str]:
    """The dotted names that a module imports."""
    found = set[str]()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


@pytest.mark.parametrize("package", ORDER)
def test_imports_follow_the_package_order(package: str) -> None:
    for path in (SOURCE / package).rglob("*.py"):
        assert imported(path) <= allowed(package) | {package, "__version__"}, path


def test_every_package_is_in_the_order() -> None:
    packages = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert packages <= set(ORDER)


def test_a_benchmark_imports_no_other() -> None:
    for own in (path for path in (SOURCE / "benchmarks").iterdir() if path.is_dir()):
        for path in own.rglob("*.py"):
            assert imported_benchmarks(path) <= {own.name, "kit", "settings"}, path
