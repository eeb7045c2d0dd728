"""The documentation names all that can be chosen, its links lead somewhere, its examples run."""

import ast
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, NamedTuple, get_args

import pytest
import typer.main

from tests.cases import for_each
from wardround.apps.command_line.common_options import RUN_OPTIONS, WORK_OPTIONS
from wardround.apps.command_line.main import app
from wardround.apps.command_line.plugin_group import PluginGroup
from wardround.apps.command_line.reference import commands, plugin_options
from wardround.core import plugins
from wardround.core.declaration import COMMON_OPTIONS, COMMON_WORK_OPTIONS
from wardround.core.declared import benchmark_declaration
from wardround.core.record import Outcome
from wardround.models import own_model
from wardround.runs.settings import RunSettings

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
TEXTS = [*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]

MARKED = re.compile(
    r"<!-- (?P<mark>runnable|file: (?P<file>\S+)) -->\n```(?P<language>\w+)\n(?P<code>.*?)```",
    re.DOTALL,
)
SHELL = re.compile(r"```sh\n(.*?)```", re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
FENCED = re.compile(r"^(`{3,}).*?^\1$", re.MULTILINE | re.DOTALL)
UNREAD = re.compile(r"<!--.*?-->|(?<=\])\([^)]*\)|^:::.*$", re.MULTILINE)
WORD = re.compile(r"\S*\w\S*")
MOST_WORDS = 25_000


class Block(NamedTuple):
    """An example of a page that is run, or a file that the examples after it use."""

    language: str
    code: str
    file: str | None


def command_tree(command: Any, name: str = "wardround") -> Iterator[tuple[str, Any]]:
    """The command and all below it, by what is typed."""
    command = getattr(command, "loaded", command)
    yield name, command
    for word, inner in getattr(command, "commands", {}).items():
        yield from command_tree(inner, f"{name} {word}")


COMMANDS = dict(command_tree(typer.main.get_command(app)))
commands_page, plugin_pages = cache(commands), cache(plugin_options)


def options(command: Any) -> set[str]:
    """The options of a command as they are typed."""
    return {word for each in command.params for word in each.opts if word.startswith("--")}


def section(page: str, heading: str) -> str:
    """A page's text under a heading, up to the next one; empty when there is none."""
    _, _, rest = f"\n{page}".partition(f"\n{heading}\n")
    return re.split(r"\n#+ ", rest, maxsplit=1)[0]


def options_section(page: str, name: str) -> str:
    """A page's text under the heading that names a command, alone or with others."""
    headings = (line for line in page.splitlines() if line.startswith("### "))
    return section(page, next((line for line in headings if f"`{name}`" in line), "### none"))


def first_column(text: str) -> set[str]:
    """The code names in the first cells of a table's rows."""
    cells = re.findall(r"^\| (`[^|]+`) \|", text, re.MULTILINE)
    return {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)}


def blocks(page: Path) -> list[Block]:
    """The marked blocks of a page, in order."""
    found = MARKED.finditer(page.read_text(encoding="utf-8"))
    return [Block(match["language"], match["code"], match["file"]) for match in found]


BENCHMARKS = plugins.names(plugins.BENCHMARKS)
# A benchmark that examples of the common pages are run with: nobody but the agent plays in it.
NAME = [name for name in BENCHMARKS if not benchmark_declaration(name).roles][-1]


MARKER = re.compile(r"^<!-- generated: (.*) -->$", re.MULTILINE)


def test_pages_ask_for_the_tables_of_the_code() -> None:
    """The site's hook, `docs/generated_parts.py`, puts them in when it is built."""
    asked = {(path.stem, name) for path in PAGES for name in MARKER.findall(path.read_text())}
    others = {
        ("settings", "commands"),
        ("settings", "run settings"),
        ("settings", "model settings"),
        ("bring-an-agent", "agents"),
        ("map-your-tables", "kinds of record"),
        ("fhir-search", "search coverage"),
        ("fhir-search", "search parameters"),
        ("plug-ins", "methods of a benchmark"),
    }
    assert asked == {*others, *((name, "options") for name in BENCHMARKS)}


def test_the_pages_are_short() -> None:
    """Counted are words and numbers of the source, in tables and code names too, README included.

    Not counted are code blocks, comments, the targets of links, and what the site adds.
    """
    pages = [path.read_text(encoding="utf-8") for path in (ROOT / "README.md", *PAGES)]
    assert (
        sum(len(WORD.findall(UNREAD.sub("", FENCED.sub("", page)))) for page in pages) <= MOST_WORDS
    )


@for_each(COMMANDS)
def test_an_option_is_documented(name: str) -> None:
    """Among the commands if every plug-in has it, else with the plug-in."""
    every = commands_page()
    parent, _, word = name.rpartition(" ")
    if isinstance(COMMANDS.get(parent), PluginGroup):
        own = options_section("\n".join(plugin_pages()[word]), name)
        common = options_section(every, f"{parent} {COMMANDS[parent].plugin}")
    else:
        own, common = options_section(every, name), ""
    shared = set(
        re.findall(r"`(--[^`]+)`", "".join(re.findall(r"^Shared: .*", own + common, re.M)))
    )
    assert shared <= first_column(section(every, "### Options of several commands"))
    documented = first_column(own) | first_column(common) | shared
    assert documented >= options(COMMANDS[name]) - {"--help"}


def test_a_benchmark_declares_no_common_option() -> None:
    assert {option.name for option in RUN_OPTIONS} <= COMMON_OPTIONS
    assert RunSettings.model_fields.keys() <= COMMON_OPTIONS
    assert {option.name for option in WORK_OPTIONS} <= COMMON_WORK_OPTIONS


def test_outcomes_are_explained() -> None:
    running = (DOCS / "run-a-benchmark.md").read_text(encoding="utf-8")
    assert first_column(section(running, "## Outcomes")) == set(Outcome)


def test_plug_in_groups_and_what_comes_with_them_are_listed() -> None:
    page = (DOCS / "plug-ins.md").read_text(encoding="utf-8")
    groups = {group for group in entry_points().groups if group.startswith("wardround.")}
    by_group, _, by_kind = section(page, "# Plug-ins").partition("Work that is chosen by name")
    assert first_column(by_group) == groups | {own_model.GROUP}
    assert first_column(by_kind) == set(get_args(plugins.WorkKind))
    ours = {p.name for group in groups for p in entry_points(group=group) if _is_ours(p)}
    listed = {name for name in ours if f"`{name}`" in page}
    assert {name.rpartition(".")[2] for name in ours - listed} == set(BENCHMARKS)


def _is_ours(point: EntryPoint) -> bool:
    return point.value.startswith("wardround.")


@for_each(TEXTS)
def test_relative_links_lead_somewhere(text: Path) -> None:
    links = LINK.findall(text.read_text(encoding="utf-8"))
    local = (link for link in links if "://" not in link)
    assert [link for link in local if not (text.parent / link).exists()] == []


@for_each(TEXTS)
def test_commands_in_examples_exist(text: Path) -> None:
    unknown = []
    for block in SHELL.findall(text.read_text(encoding="utf-8")):
        for line in block.replace("\\\n", " ").splitlines():
            _, typed, rest = line.partition("wardround ")
            if typed:
                unknown += unknown_words(shlex.split(rest, comments=True))
    assert unknown == []


def unknown_words(words: list[str]) -> list[str]:
    """Words of a command line that are neither a command nor an option of that command."""
    name = "wardround"
    while words and hasattr(COMMANDS[name], "commands") and not words[0].startswith("-"):
        word = next(iter(COMMANDS[name].commands)) if words[0] == "NAME" else words[0]
        inner = f"{name} {word}"
        if inner not in COMMANDS and (name == "wardround score" or ":" in words[0]):
            break
        if inner not in COMMANDS:
            return [inner]
        name, words = inner, words[1:]
    known = options(COMMANDS[name]) | {"--help", "--json"}
    return [word for word in words if word.startswith("--") and word not in known]


@pytest.mark.parametrize(
    "page", [page for page in PAGES if blocks(page)], ids=lambda page: page.stem
)
def test_marked_examples_run(page: Path, tmp_path: Path) -> None:
    """The blocks of a page are run one after the other in one folder, as a reader would."""
    beside = Path(sys.executable).parent
    environment = os.environ | {"PATH": f"{beside}{os.pathsep}{os.environ['PATH']}"}
    for block in blocks(page):
        if block.file:
            (tmp_path / block.file).write_text(block.code, encoding="utf-8")
            continue
        program = [sys.executable, "-c"] if block.language == "python" else ["bash", "-euc"]
        ran = subprocess.run(
            [*program, re.sub(r"\bNAME\b", NAME, block.code)],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, f"{block.code}\n{ran.stdout}\n{ran.stderr}"


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    for page, words in {
        "settings": ("--judge-concurrency", "agent_process", "reasoning_effort"),
        f"benchmarks/{NAME}": ("tasks validate",),
        "bring-an-agent": ("native tool calls",),
        "map-your-tables": ("a laboratory result",),
        "fhir-search": ("combo-code-value-quantity", "_revinclude"),
        "plug-ins": ("estimated_cost(tasks)",),
    }.items():
        text = (tmp_path / page / "index.html").read_text(encoding="utf-8")
        assert [word for word in words if word not in text] == [], page


ROLE_OF_TOOL = re.compile(r'(?<![\w.])role *= *"(\w+)"')
ASKED_ROLE = re.compile(r'\b(?:has_)?tool\("(\w+)"\)')


def test_roles_of_tools_are_listed() -> None:
    """The roles that tools have are those that agents know."""
    source = ROOT / "src/wardround"
    folders = ((source / "benchmarks").glob("*/tools*"), (source / "benchmarks").glob("*/env*"))
    files = [each for folder in folders for path in folder for each in (path, *path.rglob("*"))]
    declared = {
        role
        for path in files
        if path.suffix in (".py", ".toml")
        for role in ROLE_OF_TOOL.findall(path.read_text(encoding="utf-8"))
    }
    page = (DOCS / "plug-ins.md").read_text(encoding="utf-8")
    assert first_column(section(page, "### Roles of tools")) == declared
    agents = "\n".join(p.read_text(encoding="utf-8") for p in (source / "agents").rglob("*.py"))
    assert {role for role in declared if f'"{role}"' not in agents} == set()
    assert set(ASKED_ROLE.findall(agents)) <= declared


def test_contributing_says_of_each_package_what_its_first_line_says() -> None:
    source = ROOT / "src/wardround"
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([^`]+)` \| (.*) \|$", text, re.MULTILINE))
    packages = [*source.glob("*/__init__.py"), *source.glob("ehr/*/__init__.py")]
    names = {str(path.parent.relative_to(source)): path for path in packages}
    parents = {"ehr", "benchmarks", "authoring"}
    assert {name: first_line(path) for name, path in names.items() if name not in parents} == {
        name: rows.get(name) for name in names if name not in parents
    }


def first_line(path: Path) -> str:
    """The first sentence of a module's docstring, on one line and without its stop."""
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return docstring.partition("\n\n")[0].replace("\n", " ").rstrip(".")
