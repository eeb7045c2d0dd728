"""Moves modules and packages as `moves.tsv` says, and rewrites every import and dotted name.

Run from the repository's root on a clean tree: `python tools/move_modules.py tools/moves.tsv`.
Tests follow the source: a test folder moves with its package, `test_NAME.py` with its module.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

SOURCE, TESTS = Path("src/wardround"), Path("tests")
PLAIN_TEXT = {".toml", ".md", ".yml", ".cfg", ".html", ".lock"}


def main(table: Path) -> None:
    """Moves the files, then rewrites what names them."""
    moves = read_moves(table)
    modules = {dotted(path): dotted(moved(path, moves)) for path in sorted(SOURCE.rglob("*.py"))}
    packages = {dotted(path): dotted(moved(path, moves)) for path in folders(SOURCE)}
    renamed = {old: new for old, new in (packages | modules).items() if old != new}
    for path in tracked("src/wardround"):
        move(path, moved(path, moves))
    for path in tracked("tests"):
        new = moved_test(path, moves)
        if path.suffix == ".py":
            renamed[".".join(path.with_suffix("").parts)] = ".".join(new.with_suffix("").parts)
        move(path, new)
    for path in tracked("."):
        if path.suffix == ".py":
            path.write_text(rewritten(path.read_text("utf-8"), renamed), "utf-8")
        elif path.suffix in PLAIN_TEXT or path.name == "Makefile":
            path.write_text(with_new_names(path.read_text("utf-8"), renamed), "utf-8")


def read_moves(table: Path) -> dict[str, str]:
    """Old path to new path, longest first, so that a module goes before its package."""
    lines = [line for line in table.read_text("utf-8").splitlines() if line[:1] not in ("", "#")]
    pairs = [(old, new) for old, new in (line.split("\t") for line in lines)]
    return dict(sorted(pairs, key=lambda pair: -len(pair[0])))


def moved(path: Path, moves: Mapping[str, str]) -> Path:
    """Where a file or folder of the source goes."""
    inner = path.relative_to(SOURCE).as_posix()
    for old, new in moves.items():
        if inner == f"{old}.py":
            return SOURCE / f"{new}.py"
        if inner == old or inner.startswith(f"{old}/"):
            return SOURCE / (new + inner[len(old) :])
    return path


def moved_test(path: Path, moves: Mapping[str, str]) -> Path:
    """Where a file of the tests goes."""
    inner = path.relative_to(TESTS)
    if path.name.startswith("test_"):
        module = inner.with_name(path.name.removeprefix("test_"))
        if (SOURCE / module).with_suffix("").as_posix().removeprefix(f"{SOURCE}/") in moves:
            new = moved(SOURCE / module, moves).relative_to(SOURCE)
            return TESTS / new.with_name(f"test_{new.name}")
    folder = moved(SOURCE / inner.parent, moves).relative_to(SOURCE)
    return TESTS / folder / path.name


def move(old: Path, new: Path) -> None:
    """Moves a tracked file; nothing is overwritten."""
    if old == new:
        return
    if new.exists():
        sys.exit(f"{new} is there already; {old} cannot be moved to it.")
    new.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "mv", str(old), str(new)], check=True)


def rewritten(source: str, renamed: Mapping[str, str]) -> str:
    """A module's text with its imports, and the names that they bind, made new."""
    edits = list(import_edits(ast.parse(source), renamed))
    lines = source.splitlines(keepends=True)
    for first, last, text in sorted(edits, reverse=True):
        lines[first - 1 : last] = [text]
    return with_new_names("".join(lines), renamed)


def import_edits(tree: ast.Module, renamed: Mapping[str, str]) -> Iterator[tuple[int, int, str]]:
    """Imports of moved modules by `from package import module`, as line spans and new text."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or not node.module:
            continue
        found = [alias for alias in node.names if f"{node.module}.{alias.name}" in renamed]
        if not found:
            continue
        indent = " " * node.col_offset
        rest = [alias for alias in node.names if alias not in found]
        lines = (
            [f"{indent}from {node.module} import {', '.join(map(named, rest))}\n"] if rest else []
        )
        for alias in found:
            package, _, name = renamed[f"{node.module}.{alias.name}"].rpartition(".")
            bound = alias.asname or alias.name
            suffix = f" as {bound}" if bound != name else ""
            lines.append(f"{indent}from {package} import {name}{suffix}\n")
        yield node.lineno, node.end_lineno or node.lineno, "".join(lines)


def named(alias: ast.alias) -> str:
    """An imported name as it is written."""
    return f"{alias.name} as {alias.asname}" if alias.asname else alias.name


def with_new_names(text: str, renamed: Mapping[str, str]) -> str:
    """Dotted names of moved modules, wherever they stand, and paths of them."""
    for old, new in sorted(renamed.items(), key=lambda pair: -len(pair[0])):
        if old in text:
            text = re.sub(rf"(?<![\w.]){re.escape(old)}(?![\w])", new, text)
        path, target = old.replace(".", "/"), new.replace(".", "/")
        if path in text:
            text = re.sub(rf"(?<!\w){re.escape(path)}(?![\w])", target, text)
    return text


def dotted(path: Path) -> str:
    """A file of the source as the name that it is imported by."""
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def folders(root: Path) -> Iterator[Path]:
    """All folders that hold code."""
    yield from sorted({path.parent for path in root.rglob("*.py")})


def tracked(folder: str) -> list[Path]:
    """The files of a folder that git tracks."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", folder], check=True, capture_output=True, text=True
    )
    return [Path(name) for name in listed.stdout.split("\0") if name]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
