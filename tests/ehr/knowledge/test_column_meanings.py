import pytest

from wardround.core.errors import ToolError, UserError
from wardround.ehr.knowledge import (
    ColumnMeaning,
    all_column_meanings,
    clinical_documents,
    column_meaning,
    parse_meanings,
)
from wardround.ehr.schema import load_schema

PUBLISHED = b"""{
  "Alien|Sky|Moon": "Its phase.",
  "alien|sky|signal": {
    "column_meaning": "What was heard.",
    "fields_meaning": {"db": "Strength.", "from": {"ra": "Right ascension.", "dec": "Declination."}}
  },
  "alien|sky|note": {"column_meaning": "A note."},
  "other|sky|moon": "Another."
}"""


def test_published_meanings_load_with_the_fields_of_json_columns() -> None:
    meanings = parse_meanings(PUBLISHED, "alien", "m.json")
    assert list(meanings) == [
        ColumnMeaning("Sky", "Moon", "Its phase."),
        ColumnMeaning(
            "sky",
            "signal",
            "What was heard.",
            {"db": "Strength.", "from.ra": "Right ascension.", "from.dec": "Declination."},
        ),
        ColumnMeaning("sky", "note", "A note."),
    ]
    assert column_meaning(meanings, "SKY", ' "signal"')["fields"]["from.dec"] == "Declination."
    assert column_meaning(meanings, "sky", "moon") == {
        "table": "Sky",
        "column": "Moon",
        "meaning": "Its phase.",
    }
    with pytest.raises(ToolError, match=r"no meaning of sky\.sun"):
        column_meaning(meanings, "sky", "sun")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{", "m.json is not valid JSON"),
        (b"[]", "m.json is no object of column meanings"),
        (b'{"alien|sky": "x"}', "the key 'alien|sky' is not database|table|column"),
        (b'{"alien|sky|moon": 3}', "m.json, alien|sky|moon is neither a text nor an object"),
        (b'{"alien|a|b": {"fields_meaning": {"c": {"d": 1}}}}', "fields_meaning.c.d is no text"),
        (b'{"alien|a|b": {"fields_meaning": "c"}}', "alien|a|b: fields_meaning is no text"),
        (b'{"other|a|b": "x"}', "m.json holds no column of the database 'alien'"),
        (b'{"alien|a|b":' + b'{"fields_meaning":' * 900 + b"1" + b"}" * 901, "is no text"),
    ],
)
def test_unusable_meanings_are_refused_with_their_place(content: bytes, said: str) -> None:
    with pytest.raises(UserError) as error:
        parse_meanings(content, "alien", "m.json")
    assert said in str(error.value)


def test_every_column_of_the_clinical_schema_has_a_meaning() -> None:
    meanings = clinical_documents().columns
    schema = load_schema("ehrsql_mimic_iv")
    columns = {(table.name, column.name) for table in schema.tables for column in table.columns}
    assert {(one.table, one.column) for one in meanings if one.text} == columns
    assert len(all_column_meanings(meanings)) == len(columns)
    assert column_meaning(meanings, "labevents", "itemid")["meaning"] == (
        "which laboratory test (refers to d_labitems.itemid)"
    )
    assert column_meaning(meanings, "cost", "cost")["meaning"].endswith("in us dollars")
