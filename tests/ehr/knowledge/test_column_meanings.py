import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.cases import for_each
from wardround.core.errors import UserError
from wardround.ehr.database import open_database
from wardround.ehr.knowledge import Meaning, Meanings, meanings_of, parse_meanings
from wardround.ehr.schema import create_statements, load_schema

PUBLISHED = b"""{
  "Alien|Sky|Moon": "Its phase.",
  "alien|sky|signal": {
    "column_meaning": "What was heard.",
    "fields_meaning": {"db": "Strength.", "from": {"ra": "Right ascension.", "dec": "Declination."}}
  },
  "alien|sky|note": {"column_meaning": "A note."},
  "other|sky|moon": "Another."
}"""


def test_published_meanings_include_json_fields() -> None:
    meanings = parse_meanings(PUBLISHED, "alien", "m.json")
    assert list(meanings) == [
        Meaning("Sky", "Moon", "Its phase."),
        Meaning(
            "sky",
            "signal",
            "What was heard.",
            {"db": "Strength.", "from.ra": "Right ascension.", "from.dec": "Declination."},
        ),
        Meaning("sky", "note", "A note."),
    ]
    assert meanings.of("SKY", ' "signal"') == (
        "What was heard. Fields: db: Strength; from.ra: Right ascension; from.dec: Declination"
    )
    assert meanings.of("sky", "sun") is None
    assert list(meanings.all()) == ["Sky.Moon", "sky.signal", "sky.note"]
    assert meanings.all()["Sky.Moon"] == "Its phase."


@for_each(
    [
        (b"{", "m.json is not valid JSON"),
        (b"[]", "m.json is not an object of column meanings"),
        (b'{"alien|sky": "x"}', "the key 'alien|sky' is not database|table|column"),
        (b'{"alien|sky|moon": 3}', "m.json, alien|sky|moon is neither a text nor an object"),
        (b'{"alien|a|b": {"fields_meaning": {"c": {"d": 1}}}}', "fields_meaning.c.d is not a text"),
        (b'{"alien|a|b": {"fields_meaning": "c"}}', "alien|a|b: fields_meaning is not a text"),
        (b'{"other|a|b": "x"}', "m.json has no column of the database 'alien'"),
        (b'{"alien|a|b":' + b'{"fields_meaning":' * 900 + b"1" + b"}" * 901, "is not a text"),
    ]
)
def test_malformed_meanings_are_refused_with_their_location(content: bytes, message: str) -> None:
    with pytest.raises(UserError) as error:
        parse_meanings(content, "alien", "m.json")
    assert message in str(error.value)


@pytest.mark.integration
def test_meanings_of_a_known_schema(tmp_path: Path) -> None:
    schema = load_schema("ehrsql_mimic_iv")
    with closing(sqlite3.connect(tmp_path / "known.sqlite")) as made:
        made.executescript(";".join(create_statements(schema)))
    with closing(sqlite3.connect(tmp_path / "other.sqlite")) as made:
        made.execute("CREATE TABLE sky (moon TEXT)")
    with closing(open_database(str(tmp_path / "known.sqlite"))) as database:
        meanings = meanings_of(database)
    columns = {f"{table.name}.{column.name}" for table in schema.tables for column in table.columns}
    assert set(meanings.all()) == columns
    assert all(meanings.all().values())
    assert meanings.of("labevents", "itemid") == (
        "which laboratory test (refers to d_labitems.itemid)"
    )
    assert str(meanings.of("cost", "cost")).endswith("in us dollars")
    with closing(open_database(str(tmp_path / "other.sqlite"))) as database:
        assert meanings_of(database) == Meanings(())
