"""The parser learns about any mapped database, and its queries read the database's own tables."""

from contextlib import closing
from pathlib import Path

from tests.hospitals import hospital_file
from wardround.agents.parser import train
from wardround.agents.parser.parser_file import load, save, with_current_values
from wardround.agents.parser.query_search import query_rows
from wardround.authoring.ehrsql.pair_sources import mapped
from wardround.ehr.database import open_database
from wardround.ehr.records.record_tables import record_database

ASKED = 30


def test_a_parser_of_omop_answers_what_it_was_taught(tmp_path: Path) -> None:
    path, file = hospital_file("omop_5_4", 80, seed=5), tmp_path / "parser"
    pairs = mapped(str(path), seed=1, count=240)
    assert pairs.records
    with closing(open_database(path)) as database:
        save(train(pairs, database), file)
        parser = with_current_values(load(file), database)
        assert parser.records == pairs.records
        tables = record_database(database, pairs.records)
        taught = [pair for pair in pairs.pairs if pair.sql][:ASKED]
        right = 0
        for pair in taught:
            guess = parser.answer(pair.question, database).guess or ""
            gold = query_rows(pair.sql or "", tables, parser.words)
            right += query_rows(guess, database, parser.words) == gold
        assert right == len(taught) == ASKED
