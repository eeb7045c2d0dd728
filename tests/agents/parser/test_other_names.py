"""Names that are not the database's own: the cases are in other_names.tsv, a question a line."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from wardround.agents.parser.columns import Domain
from wardround.agents.parser.question_reader import read
from wardround.agents.parser.spell_checker import without_slips
from wardround.agents.parser.tokens import words
from wardround.agents.parser.value_aliases import OtherNames
from wardround.agents.parser.value_linker import ValueIndex
from wardround.ehr.database import open_database

STORED = {
    "drug": ("metoprolol tartrate", "metoprolol succinate xl", "furosemide", "warfarin", "aspirin"),
    "intake": ("metoprolol", "heparin sodium (prophylaxis)"),
    "lab": ("white blood cells", "calcium, total", "free calcium", "blood", "potassium"),
    "vital": ("heart rate", "arterial blood pressure mean", "arterial blood pressure systolic"),
    "diagnosis": (
        "essential hypertension",
        "bacterial pneumonia, unspecified",
        "pneumonia, organism unspecified",
        "personal history of pneumonia (recurrent)",
        "closed fracture of four ribs",
        "malignant neoplasm of breast (female), unspecified",
    ),
}
KNOWN = frozenset(
    word.text
    for word in words(
        "how many patients were was the last of given got had did get in with what patient four"
    )
)
CASES = [
    line.split("\t")
    for line in Path(__file__).with_name("other_names.tsv").read_text().splitlines()
    if line and not line.startswith("#")
]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ValueIndex]:
    """The stored names, a table each."""
    path = tmp_path_factory.mktemp("names") / "names.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        for table, values in STORED.items():
            connection.execute(f"CREATE TABLE {table} (name TEXT)")
            connection.executemany(
                f"INSERT INTO {table} VALUES (?)", [(value,) for value in values]
            )
    with closing(open_database(path)) as database:
        yield ValueIndex([Domain(table, "name") for table in STORED], database)


def understood(question: str, index: ValueIndex) -> dict[str, set[str]]:
    """What each table is taken to call what is not named as it is."""
    names = OtherNames(index, KNOWN)
    text, _ = without_slips(question, names.strange, names.words)
    reading = read(text, index)
    found: dict[str, set[str]] = {}
    for way in names.find(reading) or [list(reading.mentions)]:
        for mention in way:
            for domain in mention.near or (mention.values if text != question else ()):
                found.setdefault(domain.table, set()).update(mention.values[domain])
    return found


@pytest.mark.parametrize(("question", "expected"), CASES, ids=[case[0] for case in CASES])
def test_understood_as(question: str, expected: str, index: ValueIndex) -> None:
    wanted = [part.split(": ") for part in expected.split("; ")] if expected != "-" else []
    assert understood(question, index) == {table: set(v.split(" | ")) for table, v in wanted}


def test_a_drug_that_no_value_is_of(index: ValueIndex) -> None:
    names = OtherNames(index, KNOWN)
    assert names.absent(read("how many got Xarelto or Lasix", index)) == ["rivaroxaban"]


def test_each_way_takes_a_name_for_one_column(index: ValueIndex) -> None:
    ways = OtherNames(index, KNOWN).find(read("how many got Toprol XL", index))
    assert len(ways) == 2
    assert all(len(mention.values) == 1 for way in ways for mention in way)
