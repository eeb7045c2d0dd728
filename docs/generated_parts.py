"""Completes the site when it is built: pages of schemas and plug-ins, and tables of the code.

A page asks for a table by a line `<!-- generated: NAME -->`.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from inspect import cleandoc, getdoc, iscoroutinefunction, signature
from pathlib import PurePosixPath
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from pydantic import BaseModel

from wardround.apps.command_line.reference import commands, plugin_options
from wardround.core import plugins
from wardround.core.benchmark import Benchmark
from wardround.core.benchmark_check import CAPABILITIES, methods
from wardround.ehr.fhir.search.capability import parameter_table
from wardround.ehr.fhir.search.capability import table as search_coverage
from wardround.ehr.records import record_kinds
from wardround.ehr.schema import load_schema, schema_names
from wardround.ehr.schema.reference import reference
from wardround.models.model import ModelSettings
from wardround.runs.settings import RunSettings

# A field of a docstring's `Attributes:` with its text, whose further lines are indented.
ATTRIBUTE = re.compile(r"^    (\w+): (.*(?:\n     .*)*)", re.MULTILINE)
MARKER = re.compile(r"^<!-- generated: (?P<name>[\w ]+) -->$", re.MULTILINE)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds `reference/schemas/NAME.md`, and a page for each plug-in without one of its own."""
    pages = {f"reference/schemas/{n}.md": reference(load_schema(n)) for n in schema_names()}
    benchmarks = {PurePosixPath(file.src_uri).stem for file in files}
    for name in plugin_options().keys() - benchmarks:
        pages[f"reference/plug-ins/{name}.md"] = f"# {name}\n\n<!-- generated: options -->\n"
    for page, content in pages.items():
        files.append(File.generated(config, page, content=content))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Puts tables in the place of a page's markers."""
    return completed(markdown, PurePosixPath(page.file.src_uri).stem)


def completed(markdown: str, name: str) -> str:
    """A page with its tables.

    Args:
        markdown: The page.
        name: The page's name, which is that of a plug-in where its options are asked for.
    """
    tables: dict[str, Callable[[], str]] = {
        "agents": agents,
        "commands": commands,
        "kinds of record": kinds_of_record,
        "methods of a benchmark": methods_of_a_benchmark,
        "model settings": lambda: settings(ModelSettings),
        "options": lambda: "\n".join(plugin_options()[name]),
        "run settings": lambda: settings(RunSettings),
        "search coverage": search_coverage,
        "search parameters": parameter_table,
    }
    return MARKER.sub(lambda marker: tables[marker["name"]](), markdown)


def agents() -> str:
    """The installed agents, as a table."""
    declared = plugins.load_all(plugins.AGENTS)
    return _table(("agent", "plays"), ((f"`{name}`", each.summary) for name, each in declared))


def kinds_of_record() -> str:
    """The kinds of record with their columns, as a table."""
    rows = (
        (f"`{name}`", kind.meaning, ", ".join(f"{a} ({b})" for a, b in kind.columns.items()))
        for name, kind in record_kinds().items()
    )
    return _table(("kind", "meaning", "columns"), rows)


def methods_of_a_benchmark() -> str:
    """The methods of a benchmark with the first sentences of their docstrings, as a table."""
    rows = []
    for protocol in (Benchmark, *CAPABILITIES):
        for name in methods(protocol):
            method = getattr(protocol, name)
            taken = [each for each in signature(method).parameters if each not in ("self", "cls")]
            text = (getdoc(method) or "").partition("\n\n")[0]
            kind = "" if protocol is Benchmark else f"`{protocol.__name__}`"
            called = f"`{name}({', '.join(taken)})`"
            rows.append((called, _form(protocol, name), kind, " ".join(text.split())))
    return _table(("method", "form", "if it is a", "does"), rows)


def _form(protocol: type, name: str) -> str:
    match vars(protocol)[name]:
        case classmethod():
            return "class method"
        case staticmethod():
            return "static"
        case method:
            return "async" if iscoroutinefunction(method) else ""


def settings(form: type[BaseModel]) -> str:
    """The fields of a settings form with their defaults and the texts of its docstring."""
    texts = dict(ATTRIBUTE.findall(cleandoc(form.__doc__ or "")))
    rows = []
    for name, field in form.model_fields.items():
        default = field.get_default(call_default_factory=True, validated_data={})
        shown = "needed" if field.is_required() else "" if not default else f"`{default}`"
        rows.append((f"`{name}`", shown, " ".join(texts[name].split())))
    return _table(("field", "default", "meaning"), rows)


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(_line(cells) for cells in (columns, ["---"] * len(columns), *rows))


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
