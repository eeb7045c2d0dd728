"""No benchmark is named outside its own packages; papers are cited."""

import ast
import re
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
NAMES = re.compile(
    r"EHR-?ChatQA|BIRD-?Interact|EHRSQL|ClinSQL|PhysAssist(?:Bench)?|MedAgentBench|FHIR-?AgentBench"
    r"|(?<![\w-])(?:chatqa|clinsql|ehrsql|interact|medagentbench|fhiragentbench)(?![\w])"
    r"|(?:benchmarks|authoring)[./]assist\b|benchmarks/assist\b|[\"'`]assist[\"'`]"
)
# `interact` and `assist` are words of English too, in prose; drugs interact.
WORD = re.compile(r"\binteract with\b|\bto interact\b|\binteract; conflict\b")
ALLOWED = re.compile(
    r"(src/wardround|tests)/(benchmarks|authoring|annotation)/"
    r"(assist|chatqa|clinsql|ehrsql|fhiragentbench|interact|medagentbench)/"
    r"|docs/benchmarks/[\w-]+\.md$|(docs/(papers|audit)\.md|README\.md|CHANGELOG\.md|pyproject\.toml)$"
    r"|(tests/)?bench/|tools/(suites|question_classifier)/|mkdocs\.yml$|tests/test_(benchmark_names|house)\.py$"
)
# Layouts, and the folders of published data, are no benchmarks.
LAYOUT = re.compile(
    r"ehrsql[_-](mimic[_-]iii|mimic[_-]iv|eicu)|ehrsql-(1\.5|2024)|ehrsql_\{|"
    r"removeprefix\('ehrsql_'\)",
    re.IGNORECASE,
)


SUFFIXES = ("py", "toml", "md", "yml", "tsv", "sql", "j2", "html")


def naming_files() -> list[str]:
    """Files that may not name a benchmark and do, in their path or text."""
    return [path for path in _listed() if not ALLOWED.match(path) and names_benchmark(path)]


def _listed() -> list[str]:
    """Code, settings, tables, queries, pages and documentation that git knows."""
    listed = subprocess.run(
        ["git", "ls-files", *(f"*.{suffix}" for suffix in SUFFIXES)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    return [path for path in sorted(set(listed)) if (ROOT / path).is_file()]


def names_benchmark(path: str) -> bool:
    """True if the path or the text names a benchmark."""
    text = LAYOUT.sub("", (ROOT / path).read_text(encoding="utf-8"))
    words = LAYOUT.sub("", path).replace("_", " ")
    return bool(NAMES.search(words) or NAMES.search(WORD.sub("", text)))


def test_no_other_file_names_a_benchmark() -> None:
    assert naming_files() == []


# Words of other things too, and roles; a call still names a tool.
GENERAL = {
    *("abstain", "execute", "find_values", "get_schema", "list_tables"),
    *("finish", "get", "post"),
}
PLATFORM = re.compile(
    r"src/wardround/(core|scoring|sandbox|ehr|models|annotation|people|agents|runs|report|apps"
    r"|assessment|assistant)/"
)
# A model that is asked gets tools of the agent's own.
OWN_TOOLS = re.compile(r"src/wardround/agents/record_queries/")
# A briefing without tools asks for answers in its own text.
TEXT_PROTOCOL = re.compile(r"src/wardround/agents/fhir_reader/channel\.py$")


def tool_names() -> set[str]:
    """The tools of the benchmarks: functions within functions of `tools.py`, and the catalogue.

    Functions of other modules are tools if they are given to `tool`.
    """
    found = set[str]()
    for path in (ROOT / "src/wardround/benchmarks").rglob("*.py"):
        found |= set(re.findall(r"\btool\(([a-z_]+), role=", path.read_text("utf-8")))
    for path in (ROOT / "src/wardround/benchmarks").glob("*/tools.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        outer = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
        found |= {
            inner.name
            for node in outer
            for inner in node.body
            if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef))
        }
    for path in (ROOT / "src/wardround/benchmarks").glob("*/tools/catalogue.toml"):
        for name, entry in tomllib.loads(path.read_text(encoding="utf-8")).items():
            found |= {name} if "description" in entry else {f"{name}.{each}" for each in entry}
    return found


def test_tools_are_found() -> None:
    found = {"sql_execute", "abstain", "Flag.create", "prepare_to_answer", "finish"}
    assert found <= tool_names()
    assert tool_names() > GENERAL


def test_the_platform_names_no_tool_of_a_benchmark() -> None:
    """Agents find tools by their roles."""
    tools = re.compile(rf"\b(?:{'|'.join(map(re.escape, tool_names() - GENERAL))})\b")
    paths = [p for p in _listed() if PLATFORM.match(p) and not OWN_TOOLS.match(p)]
    assert len(paths) > 300
    assert not [path for path in paths if tools.search((ROOT / path).read_text(encoding="utf-8"))]


def test_the_platform_calls_no_tool_of_a_benchmark() -> None:
    called = re.compile(rf"\bCall\(\s*f?[\"'](?:{'|'.join(tool_names())})[\"']|\bFINISH\(")
    assert called.search('Call("finish", {})')
    paths = [p for p in _listed() if PLATFORM.match(p) and not TEXT_PROTOCOL.match(p)]
    assert not [path for path in paths if called.search((ROOT / path).read_text(encoding="utf-8"))]
