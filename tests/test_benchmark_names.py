"""No benchmark is named outside its own packages; papers are cited."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
NAMES = re.compile(
    r"EHR-?ChatQA|BIRD-?Interact|EHRSQL|ClinSQL|PhysAssist(?:Bench)?|MedAgentBench|FHIR-?AgentBench"
    r"|(?<![\w-])(?:chatqa|clinsql|ehrsql|interact|medagentbench|fhiragentbench)(?![\w])"
)
# `interact` is a word of English too, in prose.
WORD = re.compile(r"\binteract with\b|\bto interact\b")
ALLOWED = re.compile(
    r"(src/wardround/benchmarks|src/wardround/authoring|tests/benchmarks|tests/authoring)/"
    r"(assist|chatqa|clinsql|ehrsql|fhiragentbench|interact|medagentbench)/"
    r"|docs/benchmarks/[\w-]+\.md$|(docs/papers\.md|README\.md|CHANGELOG\.md|pyproject\.toml)$"
    r"|(tests/)?bench/|mkdocs\.yml$|tests/test_benchmark_names\.py$"
)
# Layouts, and the folders of published data, are no benchmarks.
LAYOUT = re.compile(
    r"ehrsql[_-](mimic[_-]iii|mimic[_-]iv|eicu)|ehrsql-(1\.5|2024)|ehrsql_\{|"
    r"removeprefix\('ehrsql_'\)",
    re.IGNORECASE,
)


def naming_files() -> list[str]:
    """Files that may not name a benchmark and do, in their path or text."""
    listed = subprocess.run(
        ["git", "ls-files", "*.py", "*.toml", "*.md", "*.yml"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    paths = (path for path in sorted(set(listed)) if not ALLOWED.match(path))
    return [path for path in paths if (ROOT / path).is_file() and names_benchmark(path)]


def names_benchmark(path: str) -> bool:
    """True if the path or the text names a benchmark."""
    text = LAYOUT.sub("", (ROOT / path).read_text(encoding="utf-8"))
    words = LAYOUT.sub("", path).replace("_", " ")
    return bool(NAMES.search(words) or NAMES.search(WORD.sub("", text)))


def test_no_other_file_names_a_benchmark() -> None:
    assert naming_files() == []
