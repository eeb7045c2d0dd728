"""Completes the site when it is built: pages of schemas and plug-ins, and tables of the code.

A page asks for a table by a line `<!-- generated: NAME -->`.
"""

import re
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from wardround.apps.command_line.reference import commands, plugin_options
from wardround.ehr.fhir.search.capability import parameter_table
from wardround.ehr.records import record_kinds
from wardround.ehr.schema import load_schema, schema_names
from wardround.ehr.schema.reference import reference

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
        "commands": commands,
        "options": lambda: "\n".join(plugin_options()[name]),
        "kinds of record": kinds_of_record,
        "search parameters": parameter_table,
    }
    return MARKER.sub(lambda marker: tables[marker["name"]](), markdown)


def kinds_of_record() -> str:
    """The kinds of record with their columns, as a table."""
    rows = ["| kind | meaning | columns |", "|---|---|---|"]
    for name, kind in record_kinds().items():
        columns = ", ".join(f"{column} ({type})" for column, type in kind.columns.items())
        rows.append(f"| `{name}` | {kind.meaning} | {columns} |")
    return "\n".join(rows)
