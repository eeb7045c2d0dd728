"""Writes a page of the reference for every packaged schema when the site is built."""

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from wardround.ehr.schema import load_schema, schema_names
from wardround.ehr.schema.reference import reference


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds `reference/schemas/NAME.md` for each schema, as `mkdocs.yml` names them."""
    for name in schema_names():
        page = f"reference/schemas/{name}.md"
        files.append(File.generated(config, page, content=reference(load_schema(name))))
    return files
