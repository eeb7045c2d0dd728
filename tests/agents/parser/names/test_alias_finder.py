"""Names that are not the database's own; the cases are in aliases.tsv, a question a line."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from wardround.agents.parser.columns import Domain, read_values
from wardround.agents.parser.names.alias_finder import AliasFinder
from wardround.agents.parser.names.spell_checker import corrected
from wardround.agents.parser.names.value_index import ValueIndex
from wardround.agents.parser.question_reader import read
from wardround.agents.parser.tokens import words
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
    for line in Path(__file__).with_name("aliases.tsv").read_text().splitlines()
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
        domains = [Domain(table, "name") for table in STORED]
        yield ValueIndex(read_values(domains, database))


def resolved(question: str, index: ValueIndex) -> dict[str, set[str]]:
    """The values that aliases and corrections resolve to, by table."""
    names = AliasFinder(index, KNOWN)
    text, _ = corrected(question, names.is_unknown, names.words)
    reading = read(text, index)
    found: dict[str, set[str]] = {}
    for mentions in names.find(reading) or [list(reading.mentions)]:
        for mention in mentions:
            for domain in mention.aliases or (mention.values if text != question else ()):
                found.setdefault(domain.table, set()).update(mention.values[domain])
    return found


@pytest.mark.parametrize(("question", "expected"), CASES, ids=[case[0] for case in CASES])
def test_aliases_are_resolved(question: str, expected: str, index: ValueIndex) -> None:
    wanted = [part.split(": ") for part in expected.split("; ")] if expected != "-" else []
    assert resolved(question, index) == {table: set(v.split(" | ")) for table, v in wanted}


def test_absent_drug_is_named_by_ingredient(index: ValueIndex) -> None:
    names = AliasFinder(index, KNOWN)
    assert names.absent_drugs(read("how many got Xarelto or Lasix", index)) == ["rivaroxaban"]


def test_each_alternative_has_one_domain(index: ValueIndex) -> None:
    alternatives = AliasFinder(index, KNOWN).find(read("how many got Toprol XL", index))
    assert len(alternatives) == 2
    assert all(len(mention.values) == 1 for mentions in alternatives for mention in mentions)
