"""The house: a folder imports only from those below it (CONTRIBUTING.md)."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src/wardround"
FLOORS = ("core", "ehr", "models", "people", "agents", "scoring", "benchmarks", "report", "apps")
# Pure functions, and records that know no benchmark: of the rest only what core has.
ALONE = {"ehr", "scoring"}


def imported(path: Path) -> set[str]:
    """The folders of wardround that a module imports from, wherever in it."""
    names = set[str]()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return {name.split(".")[1] for name in names if name.startswith("wardround.")}


@pytest.mark.parametrize("floor", FLOORS)
def test_imports_point_down(floor: str) -> None:
    below = {"core"} if floor in ALONE else set(FLOORS[: FLOORS.index(floor)])
    for path in (SOURCE / floor).rglob("*.py"):
        assert imported(path) <= below | {floor}, path
