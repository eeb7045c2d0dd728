"""Reference pages of schemas in Markdown: the meaning of every table and column."""

from collections.abc import Iterator

from wardround.ehr.schema.model import Column, Schema, Table


def reference(schema: Schema) -> str:
    r"""A Markdown page of a schema's tables and columns with types, units and meanings.

    >>> from wardround.ehr.schema import load_schema
    >>> page = reference(load_schema("ehrsql_eicu"))
    >>> print(page[page.index("## treatment"):].split("\n\n")[1])
    Treatments and procedures during a unit stay. Key: `treatmentid`.
    """
    parts = [f"# {schema.name}", schema.meaning, *_rows(schema)]
    for table in schema.tables:
        parts += [f"## {table.name}", _about(table), _grid(_COLUMNS, _column_rows(table))]
    return "\n\n".join(parts) + "\n"


_COLUMNS = ("column", "type", "unit", "meaning")


def _rows(schema: Schema) -> Iterator[str]:
    """The table of published row counts, if known."""
    if not schema.rows:
        return
    versions = list(schema.rows)
    counts = (
        (table.name, *(_count(schema.rows[version].get(table.name)) for version in versions))
        for table in schema.tables
    )
    yield "Published rows, where they are known:"
    yield _grid(("table", *versions), counts)


def _count(rows: int | None) -> str:
    return "" if rows is None else f"{rows:,}"


def _about(table: Table) -> str:
    key = ", ".join(f"`{column}`" for column in table.key)
    sentences = [table.meaning, f"Key: {key}." if key else "Rows have no key."]
    if table.module:
        sentences.append(f"In the module `{table.module}`.")
    return " ".join(sentences)


def _column_rows(table: Table) -> Iterator[tuple[str, ...]]:
    for column in table.columns:
        yield f"`{column.name}`", _type(column), column.unit or "", _meaning(table, column)


def _type(column: Column) -> str:
    return f"{column.type}, may be empty" if column.null else column.type


def _meaning(table: Table, column: Column) -> str:
    targets = [
        f"`{key.table}.{key.target}`" for key in table.foreign_keys if key.column == column.name
    ]
    meaning = column.meaning.replace("|", r"\|").replace("<", "&lt;")
    return f"{meaning} (in {', '.join(targets)})" if targets else meaning


def _grid(header: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> str:
    lines = [header, tuple("---" for _ in header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
