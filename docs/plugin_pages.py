"""Writes a page of the reference for every installed plug-in when the site is built."""

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from wardround.apps.command_line.reference import plugin_pages


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds `reference/plug-ins/NAME.md` for each name."""
    for name, content in plugin_pages().items():
        files.append(File.generated(config, f"reference/plug-ins/{name}.md", content=content))
    return files
