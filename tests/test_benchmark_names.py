"""No benchmark is named outside its own packages; papers are cited."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
NAMES = re.compile(
    r"EHR-?ChatQA|BIRD-?Interact|EHRSQL|(?<![\w-])(?:chatqa|ehrsql|interact)(?![\w])"
)
# `interact` is a word of English too, in prose.
WORD = re.compile(r"\binteract with\b|\bto interact\b")
ALLOWED = re.compile(
    r"(src/wardround/benchmarks|src/wardround/authoring|tests/benchmarks|tests/authoring)/"
    r"(chatqa|ehrsql|interact)/"
    r"|docs/benchmarks/|docs/papers\.md|README\.md|CHANGELOG\.md|bench/|pyproject\.toml|tools/"
    r"|mkdocs\.yml|tests/test_benchmark_names\.py"
)
PENDING = Path(__file__).with_name("benchmark_names_pending.txt")


def naming() -> list[str]:
    """The files that name a benchmark and are no place for it, by path or by text."""
    listed = subprocess.run(
        ["git", "ls-files", "*.py", "*.toml", "*.md"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    paths = (path for path in sorted(set(listed)) if not ALLOWED.match(path))
    return [path for path in paths if (ROOT / path).is_file() and names_one(path)]


def names_one(path: str) -> bool:
    """True if the path or the text names a benchmark."""
    text = (ROOT / path).read_text(encoding="utf-8")
    return bool(NAMES.search(path.replace("_", " ")) or NAMES.search(WORD.sub("", text)))


def test_only_pending_files_name_a_benchmark() -> None:
    """A file leaves the list with the change that mends it; none is added."""
    assert set(naming()) <= set(PENDING.read_text(encoding="utf-8").split())
