"""Reference pages of schemas."""

import re
from pathlib import Path

from tests.cases import for_each
from wardround.ehr.schema import load_schema, reference, schema_names

SITE = Path(__file__).resolve().parents[3] / "mkdocs.yml"
CELLS = re.compile(r"(?<!\\)\|")


@for_each(schema_names())
def test_page_lists_every_column_with_its_meaning(name: str) -> None:
    page = reference(load_schema(name))
    for table in load_schema(name).tables:
        section = page.split(f"\n## {table.name}\n")[1].split("\n## ")[0]
        rows = [line for line in section.splitlines() if line.startswith("| `")]
        assert [row.split("`")[1] for row in rows] == [column.name for column in table.columns]
        for row, column in zip(rows, table.columns, strict=True):
            assert len(CELLS.split(row)) == 6
            assert column.meaning.split()[0].replace("<", "&lt;") in row
            assert ("may be empty" in row) == column.null


def test_page_lists_published_row_counts() -> None:
    assert "| labevents | 158,374,764 | 118,171,367 | 107,727 |" in reference(
        load_schema("mimic_iv")
    )
    assert "Published rows" not in reference(load_schema("ehrsql_eicu"))


def test_site_has_a_page_for_every_schema() -> None:
    pages = re.findall(r"reference/schemas/(\w+)\.md", SITE.read_text(encoding="utf-8"))
    assert sorted(pages) == list(schema_names())
