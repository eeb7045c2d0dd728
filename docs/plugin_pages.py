"""Writes a page of the reference for every installed plug-in that has none of its own."""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from wardround.apps.command_line.reference import plugin_options, with_options

BENCHMARKS = Path(__file__).with_name("benchmarks")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds `reference/plug-ins/NAME.md` for each name without `benchmarks/NAME.md`."""
    for name in plugin_options():
        if not (BENCHMARKS / f"{name}.md").exists():
            content = with_options("", name, "../../settings.md")
            files.append(File.generated(config, f"reference/plug-ins/{name}.md", content=content))
    return files
